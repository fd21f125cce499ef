#!/usr/bin/env -S python3 -B
"""An adapter for the program hprof-analyzer 0.3.2.

usage: hprof_analyzer.py PROGRAM [--without COUNT,...]
       hprof_analyzer.py PROGRAM --answers

With --answers it tells of each class and object what the program's index files for Eclipse MAT have.
"""

import json
import os
import sys
import tempfile

from counting import arguments, count, histogram
from mat_index import numbers
from protocol import Refused, run, serve

# The report's own histogram has what is reachable; a query has every object.
QUERY = 'SELECT classof(x) AS class, COUNT(*) AS n FROM ".*" x GROUP BY classof(x)'


def main(program, counts):
    def parse(dump):
        with tempfile.TemporaryDirectory() as folder:
            return told(reported(program, dump, folder, "--query", QUERY))

    count("hprof-analyzer", "0.3.2", counts, parse)


def reported(program, dump, folder, *options):
    """The program's report on a dump."""
    out = os.path.join(folder, "out.json")
    run([program, "--format", "json", "--detail", "minimal", "--progress", "never", *options, dump, out], folder)
    with open(out, encoding="utf-8") as file:
        report = json.load(file)
    # It ends well on a dump that it could not read to its end, and says so here.
    if report.get("truncated_input"):
        raise Refused("truncated_input")
    return report


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


def answer(program, readings):
    """Serves at the level of answers."""
    hello = {"protocol": 2, "name": "hprof-analyzer", "version": "0.3.2", "language": "Rust", "reads": ["hprof"],
             "levels": ["answers"], "answers": ["reachability", "dominators", "retained"], "readings": readings}

    def parse(request):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(request["path"], os.path.join(folder, "dump.hprof"))
            reported(program, "dump.hprof", folder)  # the index files do not say that a dump was not read to its end
            run([program, "mat", "caches", "dump.hprof", "."], folder)
            lines = list(entries(os.path.join(folder, "dump")))
        with open(request["out"], "w", encoding="ascii") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        return {}

    serve(hello, {"parse": parse})


def entries(prefix):
    """A line for each object in the index files, which are those that roots reach."""
    addresses, retained = (numbers(f"{prefix}.{kind}.index", 64) for kind in ("idx", "o2ret"))
    dominators, sizes = (numbers(f"{prefix}.{kind}.index", 32) for kind in ("domIn", "a2s"))
    for address, dominator, kept, size in zip(addresses, dominators, retained, sizes):
        if address == 0:
            continue  # a class loader that the files have beside the dump's objects
        line = {"address": of(address), "retained": {"bytes": kept}, "bytes": size}
        # 0 and 1 are the roots as a whole.
        if dominator > 1 and addresses[dominator - 2]:
            line["dominator"] = of(addresses[dominator - 2])
        yield line


def of(address):
    return hex(address % (1 << 64))


# Which references the program follows.
READINGS = {"answers.referents": "counted", "answers.class-of-object": "counted",
            "answers.references-of-class": "superclass-loader-statics", "answers.class-of-class": "left-out",
            "answers.thread-locals": "of-thread", "answers.class-roots": "boot-loader",
            "answers.class-objects": "entries"}


if __name__ == "__main__":
    if sys.argv[2:] == ["--answers"]:
        answer(sys.argv[1], READINGS)
    else:
        main(*arguments(__doc__.strip().splitlines()[2]))
