"""An adapter that counts what an HPROF dump has, and passes over contents: large dumps take it no longer than small ones.

Its first argument is how it goes wrong with large ones, the second one what it declares beside that (JSON):

right: not at all.
once: not at all, and it counts equal roots once.
fewer: it counts a root less.
signed: lengths of records have 31 bits and a sign.
product: lengths of arrays in bytes have 32 bits and a sign.
position: places in the file have 32 bits.
"""

import json
import os
import struct
import sys

WAY = sys.argv[1]
DECLARED = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
SIZES = {2: 4, 4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
NAMES = ["classes", "instances", "object-arrays", "primitive-arrays", "roots"]


class Refused(Exception):
    pass


def signed(number):
    return number - (1 << 32) if number >= 1 << 31 else number


def take(dump, form):
    bytes = dump.read(struct.calcsize(form))
    if len(bytes) < struct.calcsize(form):
        raise Refused("the dump ends within a record")
    return struct.unpack(form, bytes)


def skip(dump, length):
    if length < 0:
        raise Refused(f"a length of {length} bytes")
    place = dump.tell() + length
    dump.seek(place & 0xFFFFFFFF if WAY == "position" else place)


def array(length, size):
    return signed(length * size & 0xFFFFFFFF) if WAY == "product" else length * size


def sub_records(dump, end, counts):
    roots = set()
    while dump.tell() < end:
        (tag,) = take(dump, ">B")
        if tag == 0x20:
            skip(dump, 42)
            counts["classes"] += 1
        elif tag == 0x21:
            *_, length = take(dump, ">4I")
            skip(dump, length)
            counts["instances"] += 1
        elif tag == 0x22:
            *_, length, _ = take(dump, ">4I")
            skip(dump, array(length, 4))
            counts["object-arrays"] += 1
        elif tag == 0x23:
            *_, length, kind = take(dump, ">3IB")
            skip(dump, array(length, SIZES[kind]))
            counts["primitive-arrays"] += 1
        elif tag == 0x05:
            roots |= {take(dump, ">I")}
            counts["roots"] = len(roots) if WAY == "once" else counts["roots"] + 1
        else:
            raise Refused(f"there is no sub-record {tag:#x} at {dump.tell() - 1}")


def parse(path):
    counts = dict.fromkeys(NAMES, 0)
    with open(path, "rb") as dump:
        length = dump.seek(0, os.SEEK_END)
        dump.seek(19)
        if take(dump, ">IQ")[0] != 4:
            raise Refused("identifiers of 4 bytes are read")
        while dump.tell() < length:
            tag, _, size = take(dump, ">BII")
            size = signed(size) if WAY == "signed" else size
            if tag in (0x0C, 0x1C):
                if size < 0:
                    raise Refused(f"a length of {size} bytes")
                sub_records(dump, dump.tell() + size, counts)
            else:
                skip(dump, size)
    counts["roots"] -= WAY == "fewer"
    return counts


for line in sys.stdin.buffer:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if request["op"] == "hello":
        answer.update(protocol=2, name="large", version="1", language="Python", reads=["hprof"])
        answer.update(levels=["verdict", "counts"], counts=NAMES, **DECLARED)
    else:
        try:
            answer.update(status="accept", counts=parse(request["path"]))
        except Refused as why:
            answer.update(status="reject", message=str(why))
    print(json.dumps(answer), flush=True)
