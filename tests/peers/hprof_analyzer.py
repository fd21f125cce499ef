#!/usr/bin/env python3
"""Runs hprof-analyzer on an HPROF dump and prints what it found as one line of JSON (see README.md).

usage: hprof_analyzer.py PROGRAM DUMP
"""

import json
import os
import signal
import subprocess
import sys
import tempfile

# The report's own histogram has what is reachable; a query has every object.
HISTOGRAM = 'SELECT classof(x) AS class, COUNT(*) AS n FROM ".*" x GROUP BY classof(x)'


def main(program, dump):
    with tempfile.TemporaryDirectory(prefix="peer-hprof-analyzer") as folder:
        out = os.path.join(folder, "out.json")
        command = [program, "--format", "json", "--detail", "minimal", "--progress", "never",
                   "--query", HISTOGRAM, dump, out]
        done = subprocess.run(command, capture_output=True, env={**os.environ, "RUST_BACKTRACE": "0"})
        sys.stderr.write(done.stderr.decode(errors="replace"))
        if done.returncode != 0:
            return 1
        with open(out, encoding="utf-8") as file:
            report = json.load(file)
    census = report["overview"]["record_census"]
    classes = {}
    # No query is answered where not even the header could be read, and that is a success too.
    for query in report.get("queries", []):
        for name, count in query["rows"]:
            classes[name["v"]] = classes.get(name["v"], 0) + count["v"]
    if report.get("truncated_input"):
        print("truncated_input: the counts end where it stopped reading", file=sys.stderr)
    print(json.dumps({
        "peer": "hprof-analyzer",
        "classes": classes,
        "instances": census["instance_dumps"],
        "object_arrays": census["obj_array_dumps"],
        "primitive_arrays": census["prim_array_dumps"],
        "roots": sum(count for _, count in census["gc_root_tag_counts"]),
        "class_dumps": census["class_dumps"],
        "strings": census["utf8_records"],
        "field_checksum": None,
        "element_checksum": None,
    }))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    # So that a time limit does not leave the folder.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main(*sys.argv[1:]))
