"""Dumps that are spelled by hand."""

import pathlib
import struct
import sys

import pytest

#: The repository.
ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "examples/golden/pytest"))


def record(tag, body):
    """A record of HPROF: tag, time, length, body."""
    return struct.pack(">BII", tag, 0, len(body)) + body


HEADER = b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 4, 0)
#: A class A with a field n, an instance with -42, a char[] whose second element is half a character, an A[] with a null, and a root.
HPROF = b"".join([
    HEADER,
    record(0x01, struct.pack(">I", 1) + b"A"),
    record(0x01, struct.pack(">I", 2) + b"n"),
    record(0x05, struct.pack(">III", 1, 0, 0)),
    record(0x02, struct.pack(">IIII", 1, 0x1000, 1, 1)),
    record(0x0C, b"".join([
        struct.pack(">BIIIIIIIII", 0x20, 0x1000, 1, 0, 0, 0, 0, 0, 0, 4),
        struct.pack(">HHHIB", 0, 0, 1, 2, 0x0A),
        struct.pack(">BIIIIi", 0x21, 0x2000, 1, 0x1000, 4, -42),
        struct.pack(">BIIIBHH", 0x23, 0x3000, 1, 2, 0x05, 0x0041, 0xD83D),
        struct.pack(">BIIIIII", 0x22, 0x4000, 1, 2, 0x1000, 0x2000, 0),
        struct.pack(">BII", 0x01, 0x2000, 5),
    ])),
])  # fmt: skip
#: The complete example of specs/listing.md.
PHD = bytes.fromhex("""
    0012 706f727461626c65206865617020 64756d70 00000006 00000004 01
    04 0004 74696e79 02
    02
    04 43 0420 00001040 0000cafe 00000002 04 0a
    08 01 04 00001040 00000001 fc 00000003 00000006
    38 06 02 00000004
    06 00 d6 00000008 00000000 0010 6a6176612f6c616e672f4f626a656374 00000000
    06 08 10 00000010 00001234 00001000 0001 41 00000001 f0
    03
""")  # fmt: skip


@pytest.fixture
def hprof():
    """A small HPROF dump."""
    return HPROF


@pytest.fixture
def phd():
    """A small PHD dump."""
    return PHD
