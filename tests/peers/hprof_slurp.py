#!/usr/bin/env python3
"""Runs hprof-slurp on an HPROF dump and prints what it found as one line of JSON (see README.md).

usage: hprof_slurp.py PROGRAM DUMP
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile


def main(program, dump):
    with tempfile.TemporaryDirectory(prefix="peer-hprof-slurp") as folder:
        out = os.path.join(folder, "out.json")
        # Without a large --top only the first 20 classes are told.
        command = [program, "--json", "--output", out, "--top", str(2**31), dump]
        done = subprocess.run(command, capture_output=True, env={**os.environ, "RUST_BACKTRACE": "0"})
        if done.returncode != 0:
            sys.stderr.write(done.stderr.decode(errors="replace"))
            return 1
        with open(out, encoding="utf-8") as file:
            heap = json.load(file)["heap"]
    counts = summary(done.stdout.decode(errors="replace"))
    # One entry a class, so that a name under two loaders comes twice.
    classes = {}
    for entry in heap["top_allocated_classes"]:
        name = entry["class_name"]
        classes[name] = classes.get(name, 0) + entry["instance_count"]
    print(json.dumps({
        "peer": "hprof-slurp",
        "classes": classes,
        "instances": counts["..GC instance dump"],
        "object_arrays": counts["..GC object array dump"],
        "primitive_arrays": counts["..GC primitive array dump"],
        "roots": sum(count for kind, count in counts.items() if kind.startswith("..GC root ")),
        "class_dumps": counts["..GC class dump"],
        "strings": counts["UTF-8 Strings"],
        "field_checksum": None,
        "element_checksum": None,
    }))
    return 0


def summary(text):
    """The counts of the record kinds are in the report for people only, before the first empty table."""
    head = text.split("\nFound ", 1)[0]
    return {kind: int(count) for kind, count in re.findall(r"^([^:\n]+): (\d+)$", head, re.MULTILINE)}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    # So that a time limit does not leave the folder.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main(*sys.argv[1:]))
