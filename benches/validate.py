#!/usr/bin/env python3
"""CPU time and memory of `validate` with the rules of the whole graph, for PHD dumps of many kinds, beside `openssl dgst -sha256`.

    benches/validate.py target/release/heapsmith [--hotspot DUMP [--slurp HPROF_SLURP]]

Prints a table for benches/README.md. The dumps have 5,000,000 objects and are generated, one after the other, in the temporary
folder (140 MB each, removed at the end). `--hotspot` measures an HPROF that HotSpot wrote, converted to PHD 6, as well, and `--slurp`
the HPROF itself beside hprof-slurp. Each round runs both programs of a pair one after the other; a ratio is the median of the rounds'
ratios of CPU time (user and system, all threads). Memory is the peak with the rules of the whole graph, less that without them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from generator import paired, peak, row, run, told

RECIPES = {
    "`huge`, ordinary addresses": "preset=huge,objects={n},seed=7,addresses=ordinary,format=phd6",
    "`huge`, `addresses=dense`": "preset=huge,objects={n},seed=7,addresses=dense,format=phd6",
    "the same, PHD 5": "preset=huge,objects={n},seed=7,addresses=dense,format=phd5",
    "the same, PHD 4": "preset=huge,objects={n},seed=7,addresses=dense,format=phd4",
    "`plain`": "preset=plain,objects={n},seed=7,format=phd6",
    "`openj9`": "preset=openj9,objects={n},seed=7,format=phd6",
    "`android`": "preset=android,objects={n},seed=7,format=phd6",
    "`hotspot`, with references that dangle": "preset=hotspot,objects={n},seed=7,format=phd6",
    "`power-law:{n}`": "objects=100,shape=power-law:{n},seed=7,format=phd6",
    "`list:{n}`": "objects=100,shape=list:{n},seed=7,format=phd6",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heapsmith")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--objects", type=int, default=5_000_000)
    parser.add_argument("--hotspot", metavar="DUMP")
    parser.add_argument("--slurp", metavar="HPROF_SLURP")
    arguments = parser.parse_args()
    heapsmith, rounds = arguments.heapsmith, arguments.rounds

    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "dump.phd")

        def measure(name):
            openssl, validate = ["openssl", "dgst", "-sha256", dump], [heapsmith, "validate", dump]
            run(openssl)
            report = subprocess.run([*validate, "--json"], capture_output=True, check=True)
            objects = json.loads(report.stdout)["sound"]["objects"]
            with_graph, without = (peak([*validate, *more]) for more in ([], ["--no-graph"]))
            each = f"; {os.path.getsize(dump) / objects:.0f} and {(with_graph - without) * 1024 / objects:.1f} bytes an object"
            told(name + each, "openssl", 12, paired(rounds, [validate], [openssl]))

        row("dump; its bytes an object, and memory for the graph", "ratio", "to", "target", "verdict", "CPU")
        row(*["---"] * 6)
        for name, recipe in RECIPES.items():
            of = "heapsmith-2:" + recipe.format(n=arguments.objects)
            subprocess.run([heapsmith, "generate", of, "--force", "-o", dump], check=True)
            measure(name.format(n=arguments.objects))
        if arguments.hotspot:
            convert = [heapsmith, "convert", arguments.hotspot, "--to", "phd6", "--force", "-o", dump]
            subprocess.run(convert, check=True, stderr=subprocess.DEVNULL)
            measure("a heap of HotSpot, as PHD 6, with references that dangle")
            if arguments.slurp:
                pair = [[heapsmith, "validate", arguments.hotspot]], [[arguments.slurp, arguments.hotspot]]
                told("the same heap, HPROF", "hprof-slurp", 1, paired(rounds, *pair))


if __name__ == "__main__":
    main()
