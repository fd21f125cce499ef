#!/usr/bin/env -S python3 -B
"""An adapter for the program heaptrail 1.4.3.

usage: heaptrail.py PROGRAM [--without COUNT,...]
"""

from counting import arguments, count, report


def main(program, counts):
    # Without a large --top only the first 20 classes are told.
    def command(dump, out):
        return [program, "--json", "--json-out", out, "--top", str(2**31), "--inputFile", dump]

    count("heaptrail", "1.4.3", counts, report(command, {"bool[]": "boolean[]"}))


if __name__ == "__main__":
    main(*arguments(__doc__.strip().splitlines()[-1]))
