#!/usr/bin/env -S python3 -B
"""An adapter for the program hprof-slurp 0.10.0.

usage: hprof_slurp.py PROGRAM [--without COUNT,...]
"""

from counting import arguments, count, report


def main(program, counts):
    # Without a large --top only the first 20 classes are told.
    def command(dump, out):
        return [program, "--json", "--output", out, "--top", str(2**31), dump]

    count("hprof-slurp", "0.10.0", counts, report(command))


if __name__ == "__main__":
    main(*arguments(__doc__.strip().splitlines()[-1]))
