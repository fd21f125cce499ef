#!/usr/bin/env python3
"""What `answers` takes beside `validate`, for a dump of very many objects.

    benches/answers.py target/release/heapsmith [--objects N] [--rounds N] [--hotspot DUMP] [--peer 'PROGRAM ARGUMENT...']...

Generates HPROF dumps of 10,000,000 objects in the temporary folder (0.8 GB each, removed at the end): those of the presets `huge` and
`hotspot`, a list, and a graph whose references follow a power law. CPU time is user and system time of each process, in turn, and the
figure is the median of the rounds' ratios. Peak memory is the system's own figure (`ru_maxrss`) for `answers`. `--hotspot` measures a
dump that HotSpot wrote, too, and `--peer` another program beside `answers`, with the dump in the place of `{dump}`:

    --peer 'hprof-slurp {dump}' --peer 'hprof-analyzer --format json {dump} /dev/null'
"""

import argparse
import os
import shlex
import statistics
import subprocess
import tempfile

RECIPES = {
    "huge": "preset=huge,objects={n},seed=7",
    "list": "objects=100,shape=list:{n},seed=7",
    "power-law": "objects=100,shape=power-law:{n},seed=7",
    "hotspot": "preset=hotspot,objects={n},seed=7",
}


def cpu(*command):
    """CPU seconds and peak KiB of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heapsmith")
    parser.add_argument("--objects", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hotspot", metavar="DUMP")
    parser.add_argument("--peer", action="append", default=[])
    arguments = parser.parse_args()
    program, objects = arguments.heapsmith, arguments.objects
    print("| dump | bytes | answers, s | peak KiB | answers beside... | s | ratio (range) |\n|---|---|---|---|---|---|---|")

    def measure(name, dump):
        peers = [f"{program} validate {{dump}}", *arguments.peer]
        commands = [[part.replace("{dump}", dump) for part in shlex.split(peer)] for peer in peers]
        rounds = [[cpu(program, "answers", dump), *(cpu(*command) for command in commands)] for _ in range(arguments.rounds)]
        ours = statistics.median(all_[0][0] for all_ in rounds)
        peak = max(all_[0][1] for all_ in rounds)
        for at, peer in enumerate(peers, 1):
            ratios = sorted(all_[0][0] / all_[at][0] for all_ in rounds)
            theirs = statistics.median(all_[at][0] for all_ in rounds)
            print(
                f"| {name} | {os.path.getsize(dump)} | {ours:.1f} | {peak} | {os.path.basename(peer.split()[0])} | {theirs:.2f} | "
                f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) |",
                flush=True,
            )

    with tempfile.TemporaryDirectory() as folder:
        for name, recipe in RECIPES.items():
            dump = os.path.join(folder, "dump.hprof")
            made = subprocess.run(
                [program, "rewrite", f"heapsmith-2:{recipe.format(n=objects)}", "-o", dump, "--through", "records"],
                stderr=subprocess.PIPE,
                text=True,
            )
            if made.returncode:
                raise SystemExit(f"{name}: {made.stderr.strip()}")
            measure(name, dump)
            os.unlink(dump)
    if arguments.hotspot:
        measure("HotSpot", arguments.hotspot)


if __name__ == "__main__":
    main()
