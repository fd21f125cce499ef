#!/usr/bin/env python3
"""Reads portable heap dumps of IBM and OpenJ9. adapter.py, the template for Python, serves the protocol."""
import gzip
import pathlib

import adapter
from adapter import Refusal

MAGIC = b"portable heap dump"
ELEMENT_TYPES = ["boolean", "char", "float", "double", "byte", "short", "int", "long"]
IS_64_BIT, HASHES_16, IS_J9 = 1, 2, 4


class PhdReader:
    def __init__(self, data):
        self.data, self.pos = data, 0
        self.version_text = None
        self.lines = []
        self.address = 0
        self.class_cache = [0, 0, 0, 0]
        self.cache_next = 0

    # Primitives

    def read_bytes(self, count):
        if self.pos + count > len(self.data):
            raise Refusal(f"unexpected end of file at {self.pos}", self.pos)
        self.pos += count
        return self.data[self.pos - count:self.pos]

    def unsigned(self, size):
        return int.from_bytes(self.read_bytes(size), "big")

    def signed(self, size):
        return int.from_bytes(self.read_bytes(size), "big", signed=True)

    def word(self):
        return self.unsigned(self.word_size)

    def read_string(self):
        raw = self.read_bytes(self.unsigned(2))
        return adapter.text(raw)

    # Header

    def read(self):
        self.read_header()
        while self.pos < len(self.data):
            tag = self.unsigned(1)
            if tag == 3:
                break
            self.read_record(tag)
        self.check_superclasses()
        head = {"listing": 1, "word_size": self.word_size * 8}
        if self.version_text is not None:
            head["version_text"] = self.version_text
        return [head, *self.lines]

    def read_header(self):
        if self.read_bytes(self.unsigned(2)) != MAGIC:
            raise Refusal("not a portable heap dump", 0)
        self.version = self.unsigned(4)
        if self.version not in (4, 5, 6):
            raise Refusal(f"PHD version {self.version} is not supported", 20)
        flags = self.unsigned(4)
        self.word_size = 8 if flags & IS_64_BIT else 4
        self.has_hash16 = flags & (HASHES_16 | IS_J9) == HASHES_16 | IS_J9
        # Other VMs of IBM than J9 aligned objects at 8 bytes.
        self.unit = 8 if self.version != 5 and not flags & IS_J9 else 4
        if self.unsigned(1) != 1:
            raise Refusal("start of header expected", self.pos - 1)
        records = 0
        while (tag := self.unsigned(1)) != 2:
            records += 1
            if records > 4096:
                raise Refusal("the header does not end", self.pos - 1)
            if tag == 1:
                self.read_bytes(8)  # totals, which no one needs
            elif tag == 3:
                self.read_bytes(8)  # random numbers for hash codes
            elif tag == 4:
                self.version_text = self.read_string()
            else:
                raise Refusal(f"unknown header record {tag}", self.pos - 1)
        if self.unsigned(1) != 2:
            raise Refusal("start of body expected", self.pos - 1)

    # Records

    def read_record(self, tag):
        if tag & 0x80:
            self.short_object(tag)
        elif tag & 0x40:
            self.medium_object(tag)
        elif tag & 0x20:
            self.primitive_array(tag)
        elif tag == 4:
            self.long_object()
        elif tag == 6:
            self.class_record()
        elif tag == 7:
            self.long_primitive_array()
        elif tag == 8:
            self.object_array(tag)
        else:
            raise Refusal(f"unknown record tag {tag:#x}", self.pos - 1)

    def move(self, width):
        gap = self.signed(width)
        self.address = self.wrap(self.address + gap * self.unit)

    def wrap(self, address):
        return address & 0xFFFFFFFFFFFFFFFF

    def add(self, kind, **facts):
        self.lines.append({"kind": kind, "address": hex(self.address), **facts})

    def hash_fields(self, is_hashed):
        if self.has_hash16:
            return {"hash16": hex(self.unsigned(2))}
        hash_code = self.unsigned(4) if is_hashed else None
        if hash_code:
            return {"hash32": hex(hash_code)}
        return {}

    def references(self, count, width):
        if count >= 1 << 31:
            raise Refusal(f"{count} references", self.pos)
        return [hex(self.wrap(self.address + self.signed(width) * self.unit)) for _ in range(count)]

    def remember_class(self, class_address):
        self.class_cache[self.cache_next] = class_address
        self.cache_next = (self.cache_next + 1) % 4

    def short_object(self, tag):
        self.move(2 if tag & 0x04 else 1)
        class_address = self.class_cache[tag >> 5 & 3]
        hashes = self.hash_fields(False)
        refs = self.references(tag >> 3 & 3, 1 << (tag & 3))
        self.add("object", **{"class": hex(class_address)}, **hashes, refs=refs)

    def medium_object(self, tag):
        self.move(2 if tag & 0x04 else 1)
        class_address = self.word()
        self.remember_class(class_address)
        hashes = self.hash_fields(False)
        refs = self.references(tag >> 3 & 7, 1 << (tag & 3))
        self.add("object", **{"class": hex(class_address)}, **hashes, refs=refs)

    def long_object(self):
        flags = self.unsigned(1)
        self.move(1 << (flags >> 6))
        class_address = self.word()
        self.remember_class(class_address)
        hashes = self.hash_fields(flags & 0x02)
        refs = self.references(self.unsigned(4), 1 << (flags >> 4 & 3))
        self.add("object", **{"class": hex(class_address)}, **hashes, refs=refs)

    def class_record(self):
        flags = self.unsigned(1)
        self.move(1 << (flags >> 6))
        instance_size = self.unsigned(4)
        hashes = self.hash_fields(flags & 0x08)
        superclass = self.word()
        name = self.read_string()
        refs = self.references(self.unsigned(4), 1 << (flags >> 4 & 3))
        self.add("class", name=name, super=hex(superclass), instance_size=instance_size, **hashes, refs=refs)

    def object_array(self, tag):
        flags = self.unsigned(1)
        self.move(1 << (flags >> 6))
        class_word = self.word()
        hashes = self.hash_fields(flags & 0x02)
        refs = self.references(self.unsigned(4), 1 << (flags >> 4 & 3))
        length = self.unsigned(4) if tag == 8 else len(refs)
        if not len(refs) <= length < 1 << 31:
            raise Refusal(f"an array of {length} elements with {len(refs)} references", self.pos - 4)
        self.add("object-array", **{"class": hex(class_word)}, length=length, **self.size(), **hashes, refs=refs)

    def primitive_array(self, tag):
        width = 1 << (tag & 3)
        self.move(width)
        length = self.signed(width)
        self.add_primitive_array(ELEMENT_TYPES[tag >> 2 & 7], length, self.hash_fields(False))

    def long_primitive_array(self):
        flags = self.unsigned(1)
        width = 4 if flags & 0x10 else 1
        self.move(width)
        length = self.unsigned(width)
        self.add_primitive_array(ELEMENT_TYPES[flags >> 5], length, self.hash_fields(flags & 0x02))

    def add_primitive_array(self, element, length, hashes):
        if not 0 <= length < 1 << 31:
            raise Refusal(f"an array of {length} elements", self.pos)
        self.add("primitive-array", element=element, length=length, **hashes, **self.size())

    def size(self):
        return {"size": self.unsigned(4) * 4} if self.version >= 6 else {}

    def check_superclasses(self):
        supers = {line["address"]: line["super"] for line in self.lines if line["kind"] == "class"}
        for start in supers:
            ancestor, steps = supers[start], 0
            while ancestor in supers:
                ancestor, steps = supers[ancestor], steps + 1
                if steps > len(supers):
                    raise Refusal(f"the superclasses of {start} have no end")


def parse(path, heap):
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError) as failure:
            raise Refusal(f"the file cannot be decompressed: {failure}") from failure
    return PhdReader(data).read()


adapter.parse = parse
adapter.HELLO = {
    "name": "honest parser of PHD", "version": "1", "language": "Python", "reads": ["phd"], "levels": ["listing"],
    "facets": ["word-size", "version-text", "address", "kind", "class-name", "superclass", "instance-size", "class",
               "class-word", "object-size", "array-length", "hash-16", "hash-32", "class-references", "references",
               "reference-order", "record-order"]}

if __name__ == "__main__":
    adapter.main()
