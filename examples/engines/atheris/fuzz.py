#!/usr/bin/env python3
"""NAME under atheris. heapsmith changes the dumps."""

import sys

import atheris
from heapsmith.atheris import custom_crossover, custom_mutator

# The modules of your parser are imported here, so that atheris sees which of their code runs.
with atheris.instrument_imports():
    import struct


class Refusal(Exception):
    """The parser does not take this dump."""


@atheris.instrument_func
def parse(dump):
    """YOUR PARSER GOES HERE. This one reads the records of an HPROF, for the template to work as it is."""
    if not dump.startswith(b"JAVA PROFILE ") or b"\0" not in dump:
        raise Refusal("no HPROF header")
    at, records = dump.index(b"\0") + 1 + 4 + 8, 0
    while at < len(dump):
        if at + 9 > len(dump):
            raise Refusal("the file ends inside of a record's header")
        (length,) = struct.unpack_from(">I", dump, at + 5)
        at += 9 + length
        records += 1
    if at > len(dump):
        raise Refusal("the file ends inside of a record")
    return records


def test_one_input(dump):
    """Gives a dump to the parser. Any exception but those by which it refuses dumps is a finding."""
    try:
        parse(dump)
    except Refusal:
        pass


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input, custom_mutator=custom_mutator, custom_crossover=custom_crossover)
    atheris.Fuzz()
