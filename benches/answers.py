#!/usr/bin/env python3
"""What `answers` takes beside `validate`, for a dump of very many objects.

    benches/answers.py target/release/heapsmith [OBJECTS] [ROUNDS]

Generates HPROF dumps of 10,000,000 objects in the temporary folder (0.8 GB each, removed at the end): those of the presets `huge` and
`hotspot`, a list, and a graph whose references follow a power law. CPU time is user and system time of each process, in turn, and the
figure is the median of the rounds' ratios. Peak memory is the system's own figure (`ru_maxrss`) for `answers`.
"""

import os
import statistics
import subprocess
import sys
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
    program = sys.argv[1]
    objects = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10_000_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    print("| dump | bytes | answers, s | validate, s | ratio (range) | peak KiB | bytes an object |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, recipe in RECIPES.items():
            dump = os.path.join(folder, "dump.hprof")
            made = subprocess.run(
                [program, "rewrite", f"heapsmith-2:{recipe.format(n=objects)}", "-o", dump, "--through", "records"],
                stderr=subprocess.PIPE,
                text=True,
            )
            if made.returncode:
                print(f"| {name} | | | | | | | <!-- {made.stderr.strip()} -->")
                continue
            pairs = [(cpu(program, "answers", dump), cpu(program, "validate", dump)) for _ in range(rounds)]
            ratios = sorted(ours[0] / theirs[0] for ours, theirs in pairs)
            ours = statistics.median(pair[0][0] for pair in pairs)
            theirs = statistics.median(pair[1][0] for pair in pairs)
            peak = max(pair[0][1] for pair in pairs)
            print(
                f"| {name} | {os.path.getsize(dump)} | {ours:.1f} | {theirs:.1f} | {statistics.median(ratios):.1f} "
                f"({ratios[0]:.1f} to {ratios[-1]:.1f}) | {peak} | {peak * 1024 / objects:.0f} |",
                flush=True,
            )
            os.remove(dump)


if __name__ == "__main__":
    main()
