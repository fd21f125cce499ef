#!/usr/bin/env python3
"""An adapter for portable heap dumps (PHD), versions 4, 5 and 6, that answers with every facet of the format.

It was written from specs/phd.toml, specs/listing.md and specs/adapter.md alone. Above are the header and the records as
they stand in the file; below, what a listing says of them.
"""
from protocol import Refusal, one_of_each, serve, text_of

HELLO = {
    "name": "full adapter for PHD", "version": "1", "language": "Python", "reads": ["phd"], "levels": ["listing"],
    "facets": [
        "word-size", "version-text", "header-totals", "hash-randoms", "null-references", "address", "kind",
        "class-name", "superclass", "instance-size", "class-references", "class", "class-word", "object-size",
        "array-length", "hash-16", "hash-32", "references", "reference-order", "record-order"]}

# What a dump leaves open, with the default (specs/adapter.md, Readings).
READINGS = {
    "phd.address-unit": "8", "phd.hashes-without-j9": "none", "phd.length-and-size": "length-first",
    "phd.missing-hash": "none", "phd.hash-16": "stored", "phd.array-class": "as-written",
    "phd.first-reference": "kept", "phd.null-references": "listed", "phd.element-order": "file",
    "phd.repeated-class": "every-record",
    "phd.repeated-object": "every-record"}

# ---------------------------------------------------------------------------------------------------------------------
# The dump

MAGIC = b"\x00\x12portable heap dump"
HEADER_LIMIT = 4096  # phd.header.limit: a choice of the specification
ELEMENTS = ["boolean", "char", "float", "double", "byte", "short", "int", "long"]  # phd.primitive-array.type-codes


class Fields:
    """Reads fields one after the other, and refuses where the data end inside one."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise Refusal(f"{count} bytes are due and {len(self.data) - self.at} are left", len(self.data))
        self.at += count
        return self.data[self.at - count:self.at]

    def unsigned(self, width):
        return int.from_bytes(self.take(width), "big")

    def signed(self, width):
        return int.from_bytes(self.take(width), "big", signed=True)


class Dump:
    """A dump as it is decoded: what its header says, its records, and the state that goes from record to record."""

    def __init__(self, data, readings):
        self.fields, self.readings = Fields(data), readings
        self.version_text = self.totals = self.hash_randoms = None
        self.records = []
        self.header()
        self.previous = 0  # address of the preceding record, of any kind
        self.class_cache, self.next_slot = [0, 0, 0, 0], 0
        self.body()

    # The header

    def header(self):
        fields = self.fields
        if fields.take(len(MAGIC)) != MAGIC:
            raise Refusal("the magic is another", 0)
        self.version, flags = fields.unsigned(4), fields.unsigned(4)
        if self.version not in (4, 5, 6):
            raise Refusal(f"version {self.version}", 20)
        self.word = 8 if flags & 1 else 4
        self.is_j9 = is_j9 = bool(flags & 4)
        self.hashes_everywhere = bool(flags & 2) and (is_j9 or self.readings["phd.hashes-without-j9"] == "every-record")
        self.unit = 8 if self.version == 4 and not is_j9 else 4
        if self.version == 6 and not is_j9:
            self.unit = int(self.readings["phd.address-unit"])
        self.due("the start of the header", 1)
        for _ in range(HEADER_LIMIT + 1):
            tag = fields.unsigned(1)
            if tag == 1:
                self.totals = fields.unsigned(4), fields.unsigned(4)
            elif tag == 3:
                self.hash_randoms = fields.unsigned(4), fields.unsigned(4)
            elif tag == 4:
                self.version_text = fields.take(fields.unsigned(2))
            elif tag == 2:
                return self.due("the start of the body", 2)
            else:
                raise Refusal(f"header record {tag}", fields.at - 1)
        raise Refusal(f"more than {HEADER_LIMIT} header records", fields.at)

    def due(self, what, tag):
        if (found := self.fields.unsigned(1)) != tag:
            raise Refusal(f"{what} is {found}", self.fields.at - 1)

    # The body

    def body(self):
        while self.fields.at < len(self.fields.data):  # a dump without its end tag is read all the same
            offset, tag = self.fields.at, self.fields.unsigned(1)
            if tag == 3:
                return
            record = {"record": len(self.records), "offset": offset}
            if tag & 0x80:
                self.short_object(record, tag)
            elif tag & 0x40:
                self.medium_object(record, tag)
            elif tag & 0x20:
                self.primitive_array(record, tag)
            elif tag in (4, 5, 6, 7, 8):
                [self.long_object, self.object_array, self.class_record, self.long_primitive_array,
                 self.object_array][tag - 4](record, tag)
            else:
                raise Refusal(f"a record with the tag {tag:#x}", offset)
            if record.get("length", 0) >= 1 << 31:
                raise Refusal(f"an array of {record['length']} elements", offset)
            self.records.append(record)

    def short_object(self, record, tag):
        slot, count, gap, width = tag >> 5 & 3, tag >> 3 & 3, 1 + (tag >> 2 & 1), 1 << (tag & 3)
        self.address(record, gap)
        record.update(kind="object", class_word=self.class_cache[slot])
        self.hash(record, False)
        self.references(record, count, width)

    def medium_object(self, record, tag):
        count, gap, width = tag >> 3 & 7, 1 + (tag >> 2 & 1), 1 << (tag & 3)
        self.address(record, gap)
        self.cached_class(record)
        self.hash(record, False)
        self.references(record, count, width)

    def long_object(self, record, _):
        flags, gap, width = self.flags()
        self.address(record, gap)
        self.cached_class(record)
        self.hash(record, flags & 0x02)
        self.references(record, self.count(), width)

    def object_array(self, record, tag):
        flags, gap, width = self.flags()
        self.address(record, gap)
        record.update(kind="object-array", class_word=self.fields.unsigned(self.word))  # not for the class cache
        self.hash(record, flags & 0x02)
        self.references(record, self.count(), width)
        if tag == 8:  # tag 5 has no true length
            record["length"] = self.fields.unsigned(4)
            if record["length"] < len(record["references"]):
                raise Refusal("an array with more references than elements", record["offset"])
        self.size(record)

    def primitive_array(self, record, tag):
        width = 1 << (tag & 3)
        self.address(record, width)
        record.update(kind="primitive-array", element=ELEMENTS[tag >> 2 & 7], length=self.fields.unsigned(width))
        self.hash(record, False)
        self.size(record)

    def long_primitive_array(self, record, _):
        flags = self.fields.unsigned(1)
        width = self.word if flags & 0x10 else 1
        self.address(record, width)
        record.update(kind="primitive-array", element=ELEMENTS[flags >> 5], length=self.fields.unsigned(width))
        self.hash(record, flags & 0x02)
        self.size(record)

    def class_record(self, record, _):
        flags, gap, width = self.flags()
        self.address(record, gap)
        record.update(kind="class", instance_size=self.fields.unsigned(4))
        self.hash(record, flags & 0x08)
        record["superclass"] = self.fields.unsigned(self.word)
        record["name"] = self.fields.take(self.fields.unsigned(2))
        self.references(record, self.count(), width)

    # Parts that several records have

    def flags(self):
        """The flags byte, the gap's width and that of the references."""
        flags = self.fields.unsigned(1)
        return flags, 1 << (flags >> 6), 1 << (flags >> 4 & 3)

    def address(self, record, width):
        self.previous = self.at_distance(self.previous, self.fields.signed(width))
        record["address"] = self.previous

    def at_distance(self, base, units):
        return (base + units * self.unit) % (1 << 8 * self.word)

    def cached_class(self, record):
        """The class word of a medium or long object, which goes to the next slot of the class cache."""
        record.update(kind="object", class_word=self.fields.unsigned(self.word))
        self.class_cache[self.next_slot] = record["class_word"]
        self.next_slot = (self.next_slot + 1) % 4

    def hash(self, record, has_hash):
        """The hash field; `has_hash` is the record's own flag, which only counts where not every record has a hash."""
        if self.hashes_everywhere:
            record["hash16"] = self.fields.unsigned(2)
        elif has_hash:
            record["hash32"] = self.fields.unsigned(4)

    def count(self):
        count = self.fields.unsigned(4)
        if count >= 1 << 31:
            raise Refusal(f"{count} references", self.fields.at - 4)
        return count

    def references(self, record, count, width):
        distances = self.fields.take(count * width)
        record["references"] = [
            self.at_distance(record["address"], int.from_bytes(distances[at:at + width], "big", signed=True))
            for at in range(0, len(distances), width)]

    def size(self, record):
        if self.version >= 6:
            record["instance_size"] = self.fields.unsigned(4)


# ---------------------------------------------------------------------------------------------------------------------
# Readings other than the default, of records as they stand in the file


def read_otherwise(dump, readings):
    """Changes the records of a dump to what other readings make of them."""
    arrays = {record["address"] for record in dump.records
              if record["kind"] == "class" and record["name"].startswith(b"[")}
    for record in dump.records:
        other_hash(dump, record, readings)
        if record["kind"] == "object-array":
            other_array(dump, record, arrays, readings)
        references = record.get("references", [])
        if (readings["phd.first-reference"] == "dropped" and dump.is_j9 and "class_word" in record
                and references[:1] == [record["class_word"]]):
            del references[0]
        if readings["phd.null-references"] == "left-out":
            references[:] = filter(None, references)
        if readings["phd.element-order"] == "index" and record["kind"] == "object-array":
            references.reverse()
    dump.records = one_of_each(dump.records, readings, "phd")


def other_hash(dump, record, readings):
    if readings["phd.missing-hash"] == "computed" and not dump.is_j9 and not {"hash16", "hash32"} & set(record):
        first, second = dump.hash_randoms or (0, 0)
        turned = (record["address"] >> 3) % (1 << 32) ^ first
        record["hash32"] = ((turned >> 17 | turned << 15 & 0xffffffff) ^ second) >> 1
    if "hash16" in record and readings["phd.hash-16"] != "stored":
        low = record["hash16"] & 0x7fff
        if readings["phd.hash-16"] == "15-bits":
            record["hash16"] = low
        else:
            del record["hash16"]
            record["hash32"] = low << 16 | low


def other_array(dump, record, arrays, readings):
    references = record["references"]
    if dump.version == 6 and "length" in record:
        length, size = record["length"], record["instance_size"]
        is_swapped = {"length-first": False, "size-first": True, "by-size": size < length + 2}
        if is_swapped[readings["phd.length-and-size"]] and size >= len(references):
            record.update(length=size, instance_size=length)
    if dump.version == 4 and dump.is_j9 and readings["phd.array-class"] != "as-written" and references:
        if references[0] in arrays:
            record["class_word"] = references[0]
            if readings["phd.array-class"] == "first-reference-removed":
                del references[0]


# ---------------------------------------------------------------------------------------------------------------------
# The answer

def listing(dump):
    """The lines of the dump's listing."""
    read_otherwise(dump, dump.readings)
    head = {"listing": 1, "format": f"phd{dump.version}", "word_size": dump.word * 8,
            "hashes": "every-16" if dump.hashes_everywhere else "where-used-32"}
    if dump.version_text is not None:
        head["version_text"] = text_of(dump.version_text)
    if dump.totals is not None:
        head["totals"] = dict(zip(("objects", "references"), dump.totals))
    if dump.hash_randoms is not None:
        head["hash_randoms"] = [hex(number) for number in dump.hash_randoms]
    return [head, *map(line, dump.records)]


def line(record):
    told = {"kind": record["kind"], "address": hex(record["address"]), "record": record["record"],
            "offset": record["offset"]}
    if record["kind"] == "class":
        told.update(name=text_of(record["name"]), super=hex(record["superclass"]),
                    instance_size=record["instance_size"])
    elif record["kind"] == "primitive-array":
        told["element"] = record["element"]
    else:
        told["class"] = hex(record["class_word"])
    if "length" in record:
        told["length"] = record["length"]
    if record["kind"] != "class" and "instance_size" in record:
        told["size"] = record["instance_size"] * 4  # of an array, stored in words of 4 bytes
    for key in ("hash16", "hash32"):
        if key in record:
            told[key] = hex(record[key])
    if "references" in record:
        told["refs"] = [hex(address) for address in record["references"]]
    return told


if __name__ == "__main__":
    serve(HELLO, READINGS, lambda data, _, readings: listing(Dump(data, readings)))
