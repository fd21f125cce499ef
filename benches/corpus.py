#!/usr/bin/env python3
"""What `corpus verify` costs beside hashing the same files with sha256sum: the median of the ratios of CPU time of runs in turn.

    benches/corpus.py target/release/heapsmith
"""

import pathlib
import resource
import statistics
import subprocess
import sys

ROUNDS = 9
CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


heapsmith = sys.argv[1]
files = [path for path in sorted(CORPUS.rglob("*")) if path.is_file()]
size = sum(path.stat().st_size for path in files)
ratios = [cpu([heapsmith, "corpus", "verify", CORPUS]) / cpu(["sha256sum", *files]) for _ in range(ROUNDS)]
print(f"{len(files)} files of {size / 1e6:.1f} MB: {statistics.median(ratios):.2f} times sha256sum", end="")
print(f" ({min(ratios):.2f} to {max(ratios):.2f})")
