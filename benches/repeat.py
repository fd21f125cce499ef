"""Makes a large PHD from a small one: its body, many times over.

    python3 repeat.py small.phd large.phd BYTES

Gaps and references are relative, so a repeated body is a sound stream of records. Its addresses go on
from where the body before it ended, and the classes of its first short records are others: it stands
for a large dump where only the bytes matter, which is everything but the rules of the whole graph.
"""

import sys

END_OF_DUMP = b"\x03"


def header_length(dump: bytes) -> int:
    """The bytes up to and including the tag that starts the body."""
    assert dump[:20] == b"\x00\x12portable heap dump", "not a PHD"
    at = 20 + 4 + 4 + 1  # magic, version, flags, tag
    while (tag := dump[at]) != 2:
        assert tag == 4, "header totals would not fit a repeated body"
        at += 3 + int.from_bytes(dump[at + 1 : at + 3], "big")
    return at + 2


small, large, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(small, "rb") as file:
    dump = file.read()
assert dump.endswith(END_OF_DUMP), "no end tag"
start = header_length(dump)
header, body = dump[:start], dump[start:-1]
with open(large, "wb") as file:
    file.write(header)
    for _ in range(max(1, round(size / len(body)))):
        file.write(body)
    file.write(END_OF_DUMP)
