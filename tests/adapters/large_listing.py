"""An adapter that lists HPROF dumps with identifiers of 4 bytes, and passes over the contents of primitive arrays where it is asked to
leave them out. Its first argument is how it goes wrong, the second one what it declares beside that (JSON):

right: not at all.
lengths: it takes the length of an array for a number of 31 bits and a sign, and lists what it can of that.
after: it ends after 4 GiB.
"""

import json
import os
import struct
import sys

WAY = sys.argv[1]
DECLARED = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {"omits": ["primitive-contents"]}
NAMES = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}
SIZES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
FACETS = ["address", "kind", "class-name", "superclass", "class", "array-length", "primitive-contents", "root-objects"]


def take(dump, form):
    data = dump.read(struct.calcsize(">" + form))
    return struct.unpack(">" + form, data)


def sub_record(dump, names, omits, lines):
    (tag,) = take(dump, "B")
    if tag == 0x20:
        at, _, superclass, *_ = take(dump, "IIIIIIIIIHHH")
        lines.append({"kind": "class", "address": hex(at), "name": names.get(at, ""), "super": hex(superclass)})
    elif tag == 0x21:
        at, _, of, length = take(dump, "IIII")
        dump.seek(length, 1)
        lines.append({"kind": "object", "address": hex(at), "class": hex(of)})
    elif tag == 0x23:
        at, _, length, kind = take(dump, "IIIB")
        line = {"kind": "primitive-array", "address": hex(at), "element": NAMES[kind], "length": length}
        if "primitive-contents" in omits:
            dump.seek(length * SIZES[kind], 1)
        else:
            line["contents"] = dump.read(length * SIZES[kind]).hex()
        if WAY == "lengths" and length >= 1 << 31:
            line["length"] = length - (1 << 31)
        lines.append(line)
    elif tag == 0x05:
        lines.append({"kind": "root", "root": "sticky-class", "object": hex(take(dump, "I")[0])})
    else:
        raise ValueError(f"the sub-record {tag:#x}")


def listing(path, omits):
    texts, names, lines = {}, {}, []
    with open(path, "rb") as dump:
        length = dump.seek(0, os.SEEK_END)
        dump.seek(31)
        while dump.tell() < length and not (WAY == "after" and dump.tell() >= 1 << 32):
            tag, _, size = take(dump, "BII")
            end = dump.tell() + size
            if tag == 0x01:
                (identifier,) = take(dump, "I")
                texts[identifier] = dump.read(size - 4).decode()
            elif tag == 0x02:
                _, at, _, name = take(dump, "IIII")
                names[at] = texts[name]
            while tag in (0x0C, 0x1C) and dump.tell() < end:
                sub_record(dump, names, omits, lines)
            dump.seek(end)
    roots = sum(line["kind"] == "root" for line in lines)
    return [{"listing": 1, "roots": roots, "omits": omits}, *lines]


for line in sys.stdin.buffer:
    request = json.loads(line)
    answer = {"id": request["id"], "status": "accept"}
    if request["op"] == "hello":
        answer = {"id": request["id"], "protocol": 2, "name": "large listing", "version": "1", "language": "Python",
                  "reads": ["hprof"], "levels": ["listing"], "facets": FACETS, **DECLARED}
    else:
        with open(request["out"], "w", encoding="utf-8") as out:
            out.writelines(json.dumps(line) + "\n" for line in listing(request["path"], request.get("omits", [])))
    print(json.dumps(answer), flush=True)
