#!/usr/bin/env -S python3 -B
"""An adapter for the program hprof-conv, which converts Android's HPROF to that of the JDK.

usage: hprof_conv.py PROGRAM
       hprof_conv.py PROGRAM IN OUT

With a dump and a path it converts once: exit code 1 is a refusal. The program's own is 255, which looks like a crash.
"""

import os
import shutil
import sys
import tempfile

from protocol import Crashed, Refused, Skipped, die, run, serve

# Said of every dump that is not of version 1.0.3: there is nothing to convert.
NOT_ANDROID = ("HPROF file already in 1.0.2 format", "expecting HPROF file format 1.0.3")


def convert(program, path, out):
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "out.hprof")
        # The program opens its output before it looks at its input.
        run([program, path, made], folder)
        shutil.move(made, out)


def main(program):
    def answer(request):
        if (request["from"], request["to"]) != ("hprof", "hprof"):
            raise ValueError("from and to are not declared")
        try:
            convert(program, request["path"], request["out"])
        except Refused as refusal:
            if any(text in str(refusal) for text in NOT_ANDROID):
                raise Skipped("hprof-conv converts dumps of version 1.0.3 alone") from None
            raise
        return {}

    hello = {"name": "hprof-conv", "version": "29.0.6", "language": "C++", "reads": [], "levels": [],
             "converts": [{"from": "hprof", "to": "hprof"}]}
    serve(hello, {"convert": answer})


def once(program, path, out):
    try:
        convert(program, path, out)
    except Refused:
        sys.exit(1)
    except Crashed as crash:
        die(crash)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4):
        sys.exit("\n".join(__doc__.strip().splitlines()[2:4]))
    (main if len(sys.argv) == 2 else once)(*sys.argv[1:])
