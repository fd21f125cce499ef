#!/usr/bin/env python3
"""Counts what a PHD, HPROF or classic text dump holds, from its bytes and with no part of heapsmith.

usage: count.py [--heap N] DUMP
       count.py --like SOURCE [--heap N] [--exact KEY,...] DUMP
       count.py --answers PHD < LINES_OF_RUN_SH

The first prints one line of JSON: classes, instances, object_arrays, primitive_arrays; references (not null) of
objects and of classes (HPROF: static fields); elements of arrays; by_class (objects by class name in Java's form,
arrays too); sums of reference values, modulo 2^64, of instances and of object arrays; for PHD hashes, and arrays
without a length (tag 5); for HPROF roots by kind and the number of field and element values that are not 0.

The second says `right`, or what of SOURCE's heap N was counted otherwise in DUMP: objects, references and objects by
class, and what --exact names besides. The third judges what readers say of a PHD that was converted to HPROF.
"""

import collections
import gzip
import json
import re
import struct
import sys

PHD_TYPES = ["boolean", "char", "float", "double", "byte", "short", "int", "long"]
PHD_SIZES = [1, 2, 4, 8, 1, 2, 4, 8]
HPROF_TYPES = {4: ("boolean", 1), 5: ("char", 2), 6: ("float", 4), 7: ("double", 8), 8: ("byte", 1), 9: ("short", 2),
               10: ("int", 4), 11: ("long", 8)}
DESCRIPTORS = dict(Z="boolean", C="char", F="float", D="double", B="byte", S="short", I="int", J="long")
ROOTS = {0xff: "unknown", 1: "jni-global", 2: "jni-local", 3: "java-frame", 4: "native-stack", 5: "sticky-class",
         6: "thread-block", 7: "monitor", 8: "thread-object", 0x89: "interned-string", 0x8a: "finalizing",
         0x8b: "debugger", 0x8c: "reference-cleanup", 0x8d: "vm-internal", 0x8e: "jni-monitor", 0x90: "unreachable"}


def java(name):
    """[Ljava/lang/String; and java/lang/String[] become java.lang.String[]."""
    depth = len(name) - len(name.lstrip("["))
    if depth:
        name = name[depth:]
        name = DESCRIPTORS.get(name, name[1:-1] if name.startswith("L") and name.endswith(";") else name)
    return name.replace("/", ".") + "[]" * depth


class Count:
    def __init__(self):
        self.n = collections.Counter()
        self.by_class = collections.Counter()
        self.sums = collections.Counter()

    def object(self, kind, name, references):
        self.n[kind] += 1
        self.by_class[name] += 1
        self.n["references"] += sum(1 for r in references if r)
        self.sums[kind] = (self.sums[kind] + sum(references)) & (2**64 - 1)

    def answer(self, **more):
        keys = ["classes", "instances", "object_arrays", "primitive_arrays", "references", "class_references",
                "elements", "primitive_elements"]
        return {**{key: self.n[key] for key in keys}, "instance_sum": f"{self.sums['instances']:016x}",
                "array_sum": f"{self.sums['object_arrays']:016x}", **more, "by_class": dict(sorted(self.by_class.items()))}


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        if self.at > len(self.data):
            raise EOFError(f"cut at {len(self.data)}")
        return self.data[self.at - count:self.at]

    def u(self, size):
        return int.from_bytes(self.take(size), "big")

    def s(self, size):
        return int.from_bytes(self.take(size), "big", signed=True)


def phd(data):
    """Two passes: names of classes may stand after their objects."""
    b = Bytes(data)
    b.take(b.u(2))
    version, flags = b.u(4), b.u(4)
    word = 8 if flags & 1 else 4
    unit = 8 if version == 4 and not flags & 4 else 4
    hash16 = flags & 6 == 6
    if b.u(1) != 1:
        raise ValueError("no header")
    while (tag := b.u(1)) != 2:
        if tag == 1 or tag == 3:
            b.take(8)
        elif tag == 4:
            b.take(b.u(2))
        else:
            raise ValueError(f"header record {tag}")
    if b.u(1) != 2:
        raise ValueError("no body")
    names, objects, hashes = {}, [], collections.Counter()
    cache, slot, last = [0] * 4, 0, 0
    count = Count()

    def gap(size):
        nonlocal last
        last = (last + b.s(size) * unit) & (2 ** (8 * word) - 1)

    def references(number, width):
        got = struct.unpack(f">{number}{'bhiq'[width]}", b.take(number << width))
        return [(last + r * unit) & (2 ** (8 * word) - 1) for r in got]

    def hashed(flag):
        if hash16:
            b.take(2)
            hashes["16"] += 1
        elif flag:
            b.take(4)
            hashes["32"] += 1

    while (tag := b.u(1)) != 3:
        if tag & 0x80:
            gap(2 if tag & 4 else 1)
            hashed(False)
            objects.append(("instances", cache[tag >> 5 & 3], references(tag >> 3 & 3, tag & 3)))
        elif tag & 0x40:
            gap(2 if tag & 4 else 1)
            own = b.u(word)
            hashed(False)
            objects.append(("instances", own, references(tag >> 3 & 7, tag & 3)))
            cache[slot], slot = own, slot + 1 & 3
        elif tag & 0x20:
            size = 1 << (tag & 3)
            gap(size)
            length = b.u(size)
            hashed(False)
            if version == 6:
                b.take(4)
            count.n["primitive_elements"] += length
            count.object("primitive_arrays", PHD_TYPES[tag >> 2 & 7] + "[]", [])
        elif tag == 7:
            bits = b.u(1)
            size = word if bits & 0x10 else 1
            gap(size)
            length = b.u(size)
            hashed(bits & 2)
            if version == 6:
                b.take(4)
            count.n["primitive_elements"] += length
            count.object("primitive_arrays", PHD_TYPES[bits >> 5] + "[]", [])
        elif tag in (4, 5, 8):
            bits = b.u(1)
            gap(1 << (bits >> 6))
            own = b.u(word)
            hashed(bits & 2)
            listed = references(b.u(4), bits >> 4 & 3)
            if tag == 4:
                cache[slot], slot = own, slot + 1 & 3
                objects.append(("instances", own, listed))
            else:
                count.n["elements"] += b.u(4) if tag == 8 else len(listed)
                count.n["without_length"] += tag == 5
                if version == 6:
                    b.take(4)
                objects.append(("object_arrays", own, listed))
        elif tag == 6:
            bits = b.u(1)
            gap(1 << (bits >> 6))
            b.take(4)
            hashed(bits & 8)
            b.take(word)
            names[last] = java(b.take(b.u(2)).decode(errors="replace"))
            count.n["classes"] += 1
            count.n["class_references"] += len(references(b.u(4), bits >> 4 & 3))
        else:
            raise ValueError(f"tag {tag} at {b.at - 1}")
    if b.at != len(data):
        raise ValueError("bytes after the end")
    # J9 in version 4 puts an array's own class first and names the innermost component.
    arrays = [(names.get(own), names.get(listed[0]) if listed else None)
              for kind, own, listed in objects if kind == "object_arrays"]
    first = bool(arrays) and all(own and own_class and own_class.endswith("[]") and own_class.rstrip("[]") == own
                                 for own, own_class in arrays)
    for kind, own, listed in objects:
        name = names.get(own, f"?{own:x}")
        if kind == "object_arrays":
            if first:
                name, listed = names[listed[0]], listed[1:]
                count.n["elements"] -= 1
            else:
                name += "[]"
        count.object(kind, name, listed)
    count.n["elements"] += count.n["primitive_elements"]
    return count.answer(format=f"phd{version}", hashes=dict(hashes), arrays_without_length=count.n["without_length"])


def hprof(data, heap):
    b = Bytes(data)
    b.at = data.index(0) + 1
    ident = b.u(4)
    b.take(8)
    strings, names = {}, {}
    dumps, current, records = [[]], False, collections.Counter()
    while b.at < len(data):
        tag, _, length = b.u(1), b.u(4), b.u(4)
        body = b.take(length)
        records[tag] += 1
        if tag == 1:
            strings[int.from_bytes(body[:ident], "big")] = body[ident:].decode(errors="replace")
        elif tag == 2:
            names[int.from_bytes(body[4:4 + ident], "big")] = int.from_bytes(body[8 + ident:8 + 2 * ident], "big")
        elif tag in (0x0c, 0x1c):
            dumps[-1].append(body)
        elif tag == 0x2c:
            dumps.append([])
    dumps = [dump for dump in dumps if dump]
    name = lambda ref: java(strings.get(names.get(ref), f"?{ref:x}"))
    count, roots, classes, instances = Count(), collections.Counter(), {}, []
    statics = collections.Counter()

    def size(kind):
        return ident if kind == 2 else HPROF_TYPES[kind][1]

    for body in dumps[heap]:
        s = Bytes(body)
        while s.at < len(body):
            tag = s.u(1)
            if tag in ROOTS:
                roots[ROOTS[tag]] += 1
                s.take(ident + {1: ident, 2: 8, 3: 8, 4: 4, 6: 4, 8: 8, 0x8e: 8}.get(tag, 0))
            elif tag == 0xfe:
                s.take(4 + ident)
            elif tag == 0x20:
                own, _, above = s.u(ident), s.u(4), s.u(ident)
                s.take(5 * ident + 4)
                for _ in range(s.u(2)):
                    s.take(2)
                    kind = s.u(1)
                    value = s.u(size(kind))
                    count.n["pool_references"] += kind == 2 and value != 0
                for _ in range(s.u(2)):
                    s.take(ident)
                    kind = s.u(1)
                    value = s.u(size(kind))
                    statics["references" if kind == 2 else "primitives"] += value != 0
                fields = [(s.take(ident), s.u(1))[1] for _ in range(s.u(2))]
                count.n["classes"] += 1
                classes[own] = (above, fields)
            elif tag == 0x21:
                s.take(ident + 4)
                own = s.u(ident)
                instances.append((own, s.take(s.u(4))))
            elif tag == 0x22:
                s.take(ident + 4)
                length, own = s.u(4), s.u(ident)
                listed = [int.from_bytes(body[p:p + ident], "big") for p in
                          range(s.at, s.at + length * ident, ident)]
                s.take(length * ident)
                count.n["elements"] += length
                count.object("object_arrays", name(own), listed)
            elif tag in (0x23, 0xc3):
                s.take(ident + 4)
                length, kind = s.u(4), s.u(1)
                count.n["elements"] += length
                count.n["primitive_elements"] += length
                if tag == 0x23:
                    wide = HPROF_TYPES[kind][1]
                    values = s.take(length * wide)
                    count.n["nonzero_elements"] += sum(any(values[p:p + wide]) for p in range(0, len(values), wide))
                count.object("primitive_arrays", HPROF_TYPES[kind][0] + "[]", [])
            else:
                raise ValueError(f"sub-record {tag:x}")
    layouts = {}

    def layout(own):
        if own not in layouts:
            layouts[own] = []
            at = own
            while at in classes:
                above, fields = classes[at]
                layouts[own] += fields
                at = above
        return layouts[own]

    for own, values in instances:
        at, listed = 0, []
        for kind in layout(own):
            value = int.from_bytes(values[at:at + size(kind)], "big")
            at += size(kind)
            if kind == 2:
                listed.append(value)
            else:
                count.n["nonzero_fields"] += value != 0
        if at != len(values):
            raise ValueError("an instance that does not fit its class")
        count.object("instances", name(own), listed)
    count.n["class_references"] = statics["references"]
    return count.answer(
        format=f"hprof, {len(dumps)} heaps" if len(dumps) > 1 else "hprof", id_size=ident, roots=dict(roots),
        records={f"{tag:02x}": n for tag, n in sorted(records.items())}, strings=len(strings),
        pool_references=count.n["pool_references"], nonzero_statics=statics["primitives"],
        nonzero_fields=count.n["nonzero_fields"], nonzero_elements=count.n["nonzero_elements"])


CLASSIC = re.compile(r"^\s*(0x)?([0-9A-Fa-f]{4,16})\s+\[(\d+)\]\s+(CLS|OBJ)\s+(\S.*?)\s*$")


def classic(data):
    count, entries, names = Count(), [], {}
    for line in data.decode().splitlines():
        if line.lstrip().startswith("//") or not line.strip():
            continue
        if head := CLASSIC.match(line):
            address, name = int(head[2], 16), java(head[5])
            entries.append((head[4] == "CLS", name, []))
            if head[4] == "CLS":
                names[address] = name
        else:
            entries[-1][2].extend(int(word, 16) for word in line.split())
    objects = [(name, listed) for is_class, name, listed in entries if not is_class]
    # IBM's J9 lists an object's class first.
    blocks = bool(objects) and all(listed and names.get(listed[0]) == name for name, listed in objects)
    for is_class, name, listed in entries:
        if is_class:
            count.n["classes"] += 1
            count.n["class_references"] += sum(1 for r in listed if r)
        else:
            kind = "instances" if not name.endswith("[]") else \
                "primitive_arrays" if name[:-2] in PHD_TYPES else "object_arrays"
            count.object(kind, name, listed[1:] if blocks else listed)
    return count.answer(format="classic")


def read(path, heap=0):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[2:20] == b"portable heap dump":
        return phd(data)
    return hprof(data, heap) if data.startswith(b"JAVA PROFILE") else classic(data)


def differences(source, result, keys):
    """What of a conversion was counted otherwise, in words. Made-up classes and class references may be added."""
    for key in keys:
        if source[key] != result[key]:
            yield f"{key} {result[key]}, not {source[key]}"
    for key in ("classes", "class_references"):
        if key not in keys and source[key] > result[key]:
            yield f"{key} {result[key]}, fewer than {source[key]}"
    for name in sorted(set(source["by_class"]) | set(result["by_class"])):
        if source["by_class"].get(name, 0) != result["by_class"].get(name, 0):
            yield f"{name} {result['by_class'].get(name, 0)}, not {source['by_class'].get(name, 0)}"


def answers(source):
    """Lines of run.sh on standard input, about a dump whose only field values and elements are references."""
    wrong = False
    for line in sys.stdin:
        if not line.startswith("{"):
            print(line.strip())
            wrong |= line.startswith("failed")
            continue
        told = json.loads(line)
        name = told.pop("peer")
        expected = {"class_dumps": source["classes"], "classes": source["by_class"],
                    "field_checksum": source["instance_sum"], "element_checksum": source["array_sum"]}
        expected.update((key, source[key]) for key in source if key in told and key != "classes")
        off = [f"{key} {told[key]}, not {value}" for key, value in expected.items()
               if told.get(key) is not None and told[key] != value]
        wrong |= bool(off)
        print(f"{name}: " + (" ".join(off)[:200] if off else "right"))
    return wrong


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--answers":
        sys.exit(answers(read(arguments[1])))
    heap, like, exact = 0, None, []
    while len(arguments) > 1:
        if arguments[0] == "--heap":
            heap = int(arguments[1])
        elif arguments[0] == "--like":
            like = arguments[1]
        elif arguments[0] == "--exact":
            exact = arguments[1].split(",")
        else:
            break
        arguments = arguments[2:]
    if len(arguments) != 1:
        sys.exit("usage: count.py [--heap N] DUMP\n       count.py --like SOURCE [--heap N] [--exact KEY,...] DUMP\n"
                 "       count.py --answers PHD < LINES_OF_RUN_SH")
    if like is None:
        print(json.dumps(read(arguments[0], heap)))
        return
    keys = ["instances", "object_arrays", "primitive_arrays", "references", *exact]
    wrong = list(differences(read(like, heap), read(arguments[0]), keys))
    print("; ".join(wrong[:3]) + (f"; and {len(wrong) - 3} more" if len(wrong) > 3 else "") if wrong else "right")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
