#!/usr/bin/env -S python3 -B
"""An adapter for the program hprof-analyzer 0.3.2.

usage: hprof_analyzer.py PROGRAM [--without COUNT,...]
"""

import json
import os
import tempfile

from counting import arguments, count, histogram
from protocol import Refused, run

# The report's own histogram has what is reachable; a query has every object.
QUERY = 'SELECT classof(x) AS class, COUNT(*) AS n FROM ".*" x GROUP BY classof(x)'


def main(program, counts):
    def parse(dump):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            run([program, "--format", "json", "--detail", "minimal", "--progress", "never", "--query", QUERY,
                 dump, out], folder)
            with open(out, encoding="utf-8") as file:
                report = json.load(file)
        # It ends well on a dump that it could not read to its end, and says so here.
        if report.get("truncated_input"):
            raise Refused("truncated_input")
        return told(report)

    count("hprof-analyzer", "0.3.2", counts, parse)


def told(report):
    census = report["overview"]["record_census"]
    rows = [row for query in report.get("queries", []) for row in query["rows"]]
    return {
        "counts": {
            "classes": census["class_dumps"],
            "instances": census["instance_dumps"],
            "object-arrays": census["obj_array_dumps"],
            "primitive-arrays": census["prim_array_dumps"],
            "roots": sum(count for _, count in census["gc_root_tag_counts"]),
        },
        "histogram": histogram((name["v"], count["v"]) for name, count in rows),
    }


if __name__ == "__main__":
    main(*arguments(__doc__.strip().splitlines()[-1]))
