#!/usr/bin/env -S python3 -B
"""An adapter for the program heaptrail 1.4.3.

usage: heaptrail.py PROGRAM [--without COUNT,...]
       heaptrail.py PROGRAM --answers

With --answers it tells what each object retains, as the program's list of suspects for leaks has it.
"""

import json
import os
import sys
import tempfile

from counting import arguments, count, report
from protocol import run, serve

ALL = str(2**31)


def main(program, counts):
    # Without a large --top only the first 20 classes are told.
    def command(dump, out):
        return [program, "--json", "--json-out", out, "--top", ALL, "--inputFile", dump]

    count("heaptrail", "1.4.3", counts, report(command, {"bool[]": "boolean[]"}))


def answer(program):
    """Serves at the level of answers."""
    hello = {"protocol": 2, "name": "heaptrail", "version": "1.4.3", "language": "Rust", "reads": ["hprof"],
             "levels": ["answers"], "answers": ["retained"], "readings": READINGS}

    def parse(request):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            # With the threshold 0 every object is a suspect.
            run([program, "--leak-suspects", "0", "--top", ALL, "--json", "--json-out", out,
                 "--inputFile", request["path"]], folder)
            with open(out, encoding="utf-8") as file:
                suspects = json.load(file)["suspects"]
        with open(request["out"], "w", encoding="ascii") as file:
            for one in suspects:
                line = {"address": hex(one["dominator_id"]), "retained": {"bytes": one["retained_bytes"]}}
                file.write(json.dumps(line) + "\n")
        return {}

    serve(hello, {"parse": parse})


# Which references the program follows. Of class objects it knows their static fields alone.
READINGS = {"answers.referents": "counted", "answers.thread-locals": "roots", "answers.class-objects": "none"}


if __name__ == "__main__":
    if sys.argv[2:] == ["--answers"]:
        answer(sys.argv[1])
    else:
        main(*arguments(__doc__.strip().splitlines()[2]))
