#!/usr/bin/env python3
"""Compares two HPROF files of the same identifiers record by record, with no part of heapsmith.

usage: changes.py LEFT RIGHT [VERDICT.json]

Counts classes and objects that one has, objects whose fields or elements differ, and within them references that were
changed and primitive values of the right that are not 0; roots whose kind differs. With the JSON of `check-conversion`
it says as well where that counts otherwise, and exits with 1.
"""

import collections
import json
import sys

from count import HPROF_TYPES, ROOTS, Bytes


def size(kind, ident):
    return ident if kind == 2 else HPROF_TYPES[kind][1]


class File:
    def __init__(self, path):
        with open(path, "rb") as file:
            b = Bytes(file.read())
        b.at = b.data.index(0) + 1
        self.version = b.data[13:b.at - 1].decode()
        self.ident = ident = b.u(4)
        b.take(8)
        self.strings, self.classes, self.objects, self.roots = {}, {}, {}, []
        self.tags, self.unknown, self.broken = collections.Counter(), collections.Counter(), None
        while b.at < len(b.data):
            tag, _, length = b.u(1), b.u(4), b.u(4)
            body = Bytes(b.take(length))
            if tag == 1:
                self.strings[body.u(ident)] = body.data[ident:]
            elif tag in (0x0c, 0x1c):
                try:
                    while body.at < length:
                        self.sub_record(body, ident)
                except (EOFError, ValueError, KeyError) as why:
                    self.broken = f"at {b.at - length + body.at}: {why}"
                    return
            elif tag > 0x2c:
                self.unknown[tag] += 1

    def sub_record(self, s, ident):
        tag = s.u(1)
        self.tags[tag] += 1
        if tag in ROOTS:
            kind = ROOTS[tag]
            object = s.u(ident)
            s.take({1: ident, 2: 8, 3: 8, 4: 4, 6: 4, 8: 8, 0x8e: 8}.get(tag, 0))
            self.roots.append((kind, object))
        elif tag == 0xfe:
            s.take(4 + ident)
        elif tag == 0x20:
            own, _, above = s.u(ident), s.u(4), s.u(ident)
            s.take(5 * ident + 4)
            for _ in range(s.u(2)):
                s.take(2)
                s.take(size(s.u(1), ident))
            statics = []
            for _ in range(s.u(2)):
                name, kind = s.u(ident), s.u(1)
                statics.append((name, kind, s.u(size(kind, ident))))
            fields = [(s.u(ident), s.u(1)) for _ in range(s.u(2))]
            self.classes[own] = (above, statics, fields)
        elif tag == 0x21:
            own, _, type = s.u(ident), s.u(4), s.u(ident)
            self.objects[own] = ("instance", type, s.take(s.u(4)))
        elif tag == 0x22:
            own, _, length, type = s.u(ident), s.u(4), s.u(4), s.u(ident)
            self.objects[own] = ("array", type, s.take(length * ident))
        elif tag in (0x23, 0xc3):
            own, _, length, kind = s.u(ident), s.u(4), s.u(4), s.u(1)
            data = s.take(length * HPROF_TYPES[kind][1]) if tag == 0x23 else None
            self.objects[own] = ("primitives", kind, data)
        else:
            raise ValueError(f"sub-record {tag:02x}")

    def fields(self, object):
        """Kinds and values: those of the object's own class first, then its superclasses'."""
        _, at, data = object
        values = Bytes(data)
        while at in self.classes:
            above, _, fields = self.classes[at]
            for _, kind in fields:
                yield kind, values.u(size(kind, self.ident))
            at = above


def compare(left, right):
    n = collections.Counter()
    n["classes gone"] = len(left.classes.keys() - right.classes.keys())
    n["objects gone"] = len(left.objects.keys() - right.objects.keys())
    n["objects new"] = len(right.objects.keys() - left.objects.keys())
    for own in left.classes.keys() & right.classes.keys():
        n["statics"] += left.classes[own][1] != right.classes[own][1]
    for own in left.objects.keys() & right.objects.keys():
        one, other = left.objects[own], right.objects[own]
        if one[:2] != other[:2]:
            n["objects of another class"] += 1
        elif one[0] == "instance":
            n["field-values"] += one[2] != other[2]
            for (kind, before), (_, now) in zip(left.fields(one), right.fields(other)):
                if kind == 2:
                    n["references changed"] += before != now
                else:
                    n["primitive fields left"] += now != 0
        elif one[2] is not None:
            n["elements" if one[0] == "array" else "primitive-contents"] += one[2] != other[2]
    n["strings"] = sum(right.strings.get(id) != text for id, text in left.strings.items())
    n["roots"] = sum((collections.Counter(left.roots) - collections.Counter(right.roots)).values())
    n["unknown-records"] = sum((right.unknown - left.unknown).values())
    n["header-version"] = left.version != right.version
    return {key: count for key, count in n.items() if count}


def main(arguments):
    if len(arguments) not in (2, 3):
        sys.exit("usage: changes.py LEFT RIGHT [VERDICT.json]")
    left, right = File(arguments[0]), File(arguments[1])
    if right.broken:
        print(f"the right is broken {right.broken}; the left has {left.tags[0xc3]} arrays without contents (c3)")
        return
    found = compare(left, right)
    print(", ".join(f"{key} {count}" for key, count in found.items()) or "nothing")
    if len(arguments) == 3:
        with open(arguments[2], encoding="utf-8") as file:
            judged = {each["facet"]: each["count"] for each in json.load(file)["changed"]}
        judged["objects gone"] = judged.pop("address", 0)
        same = ["objects gone", "statics", "field-values", "elements", "primitive-contents", "roots", "header-version",
                "unknown-records"]
        off = [f"{key}: check-conversion counts {judged.get(key, 0)}, here are {found.get(key, 0)}" for key in same
               if judged.get(key, 0) != found.get(key, 0)]
        # heapsmith compares texts, of which two records may have the same.
        if ("strings" in judged) != ("strings" in found):
            off.append("strings differ for one alone")
        if off:
            print("WRONG: " + "; ".join(off))
            sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
