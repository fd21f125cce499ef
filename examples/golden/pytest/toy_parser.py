"""A toy parser of HPROF with one bug: it takes identifiers of 4 bytes for signed numbers. Yours takes its place."""
import gzip, re, struct


class Refusal(Exception):
    """The parser does not take this dump."""


# A letter for each field: I an identifier, else as in the module struct. The list after * comes as often as the last field says.
RECORDS = {1: "I", 2: "iIiI", 3: "i", 4: "IIIIii", 5: "iii*I", 6: "hiiiqqi*biiiiii", 7: "iiqq", 10: "iIiIII", 11: "i",
           13: "ii*ii", 14: "ih"}
ROOTS = {1: "II", 2: "Iii", 3: "Iii", 4: "Ii", 5: "I", 6: "Ii", 7: "I", 8: "Iii", 0x89: "I", 0x8A: "I", 0x8B: "I",
         0x8C: "I", 0x8D: "I", 0x8E: "Iii", 0x90: "I", 0xFE: "iI", 0xFF: "I"}
TYPES = {2: "I", 4: "b", 5: "h", 6: "i", 7: "q", 8: "b", 9: "h", 10: "i", 11: "q"}
NAMES = dict(zip(range(4, 12), "boolean char float double byte short int long".split()))


def parse(path):
    """The classes and objects of a dump in its order, as lines of a listing."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if not re.match(rb"(?s)JAVA PROFILE 1\.0\.[123]\0\0\0\0[\1\2\4\x08].{8}", data):
        raise Refusal("no HPROF header")
    return list(Dump(data).lines())


class Dump:
    def __init__(self, data):
        self.data, self.at, self.end, self.id_size = data, 31, len(data), data[22]

    def take(self, count):
        self.at += count
        if self.at > self.end:
            raise Refusal("the data end inside a field")
        return self.data[self.at - count:self.at]

    def one(self, field):
        if field != "I":
            return struct.unpack(">" + field.upper(), self.take(struct.calcsize(">" + field)))[0]
        # THE BUG: identifiers are unsigned. Without `signed` this parser passes.
        return int.from_bytes(self.take(self.id_size), "big", signed=self.id_size == 4) % 2**64

    def read(self, layout):
        layout, _, repeated = layout.partition("*")
        fields = [self.one(field) for field in layout]
        for _ in range(fields[-1] if repeated else 0):
            self.read(repeated)
        return fields

    def known(self, table):
        code = self.one("b")
        if code not in table:
            raise Refusal(f"{code:#x} is unknown")
        return table[code]

    def lines(self):
        while self.at < len(self.data):
            tag, _, length = self.read("bii")
            end = self.at + length
            if end > len(self.data):
                raise Refusal("the file ends inside a record")
            self.end = end
            if tag in RECORDS:
                self.read(RECORDS[tag])
            while tag in (0x0C, 0x1C) and self.at < end:
                yield from self.sub_record()
            self.at, self.end = end, len(self.data)

    def sub_record(self):
        tag = self.one("b")
        if tag == 0x20:
            address, _, parent, *_ = self.read("IiIIIIIIi")
            for _ in range(self.one("h")):  # the constant pool
                self.read("h"), self.read(self.known(TYPES))
            for _ in range(self.one("h")):  # static fields
                self.read("I"), self.read(self.known(TYPES))
            for _ in range(self.one("h")):  # fields
                self.read("I"), self.known(TYPES)
            yield {"kind": "class", "address": hex(address), "super": hex(parent)}
        elif tag == 0x21:
            address, _, own, length = self.read("IiIi")
            self.take(length)
            yield {"kind": "object", "address": hex(address), "class": hex(own)}
        elif tag == 0x22:
            address, _, length, own = self.read("IiiI")
            elements = [hex(self.one("I")) for _ in range(length)]
            yield {"kind": "object-array", "address": hex(address), "array_class": hex(own), "length": length,
                   "elements": elements}
        elif tag in (0x23, 0xC3):  # Android leaves contents out
            address, _, length = self.read("Iii")
            code = self.one("b")
            if code not in NAMES:
                raise Refusal(f"the element type {code} is unknown")
            size = 0 if tag == 0xC3 else struct.calcsize(">" + TYPES[code])
            yield {"kind": "primitive-array", "address": hex(address), "element": NAMES[code], "length": length,
                   "contents": self.take(length * size).hex() if size else None}
        elif tag in ROOTS:
            self.read(ROOTS[tag])
        else:
            raise Refusal(f"the sub-record {tag:#x} is unknown")
