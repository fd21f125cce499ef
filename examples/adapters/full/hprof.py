#!/usr/bin/env python3
"""An adapter for HPROF, versions 1.0.1 to 1.0.3, that answers with every facet of the format.

It was written from specs/hprof.toml, specs/listing.md and specs/adapter.md alone. Above are the records and sub-records
as they stand in the file, gathered into heaps; below, what a listing says of one of these heaps.
"""
import copy
import re

from protocol import Refusal, one_of_each, serve, text_of

HELLO = {
    "name": "full adapter for HPROF", "version": "1", "language": "Python", "reads": ["hprof"], "levels": ["listing"],
    "heaps": True,
    "facets": [
        "identifier-size", "header-version", "time-stamp", "dump-times", "address", "kind", "class-name", "superclass",
        "loader", "signers", "protection-domain", "instance-size", "fields", "statics", "constant-pool", "class-serial",
        "class-trace", "class", "array-length", "field-values", "elements", "primitive-contents", "references",
        "object-trace", "roots", "threads", "stack-traces", "regions", "reference-order", "record-order", "root-order",
        "strings", "unloads", "allocation-sites", "heap-summaries", "cpu-samples", "control-settings",
        "unknown-records", "events", "string-text"]}

# What a dump leaves open, with the default (specs/adapter.md, Readings).
READINGS = {
    "hprof.several-heaps": "first", "hprof.unpatched-length": "empty", "hprof.repeated-string": "last",
    "hprof.string-0": "none", "hprof.regions": "merged", "hprof.undeclared-bytes": "raw",
    "hprof.surplus-bytes": "raw", "hprof.array-class": "array", "hprof.repeated-class": "every-record",
    "hprof.repeated-object": "every-record", "hprof.string-byte-order": "little-endian"}

# ---------------------------------------------------------------------------------------------------------------------
# The dump

# A layout is a list of fields: a name, and a width in bytes or `id` for an identifier. A minus is for a signed number.
LOAD_CLASS, FRAME, TRACE, START_THREAD, END = 0x02, 0x04, 0x05, 0x0A, 0x2C
TEXT, SITES, SAMPLES, HEAP_DUMP, SEGMENT = 0x01, 0x06, 0x0D, 0x0C, 0x1C
TOTALS = "live_bytes:4 live_instances:4 allocated_bytes:8 allocated_instances:8"
RECORDS = {
    LOAD_CLASS: ("load-class", "serial:4 class:id trace:4 name:id"),
    0x03: ("unload-class", "serial:4"),
    FRAME: ("frame", "id:id method:id signature:id source:id class:4 line:-4"),
    TRACE: ("trace", "serial:4 thread:4"),
    SITES: ("allocation-sites", "flags:2 cutoff:4"),
    0x07: ("heap-summary", TOTALS),
    START_THREAD: ("start-thread", "serial:4 object:id trace:4 name:id group:id parent_group:id"),
    0x0B: ("end-thread", "serial:4"),
    SAMPLES: ("cpu-samples", "total:4"),
    0x0E: ("control-settings", "flags:4 depth:2")}
SITE = "array:1 class:4 trace:4 live_bytes:4 live_instances:4 allocated_bytes:4 allocated_instances:4"

ROOTS = {
    0xFF: ("unknown", "object:id"),
    0x01: ("jni-global", "object:id reference:id"),
    0x02: ("jni-local", "object:id thread:4 frame:-4"),
    0x03: ("java-frame", "object:id thread:4 frame:-4"),
    0x04: ("native-stack", "object:id thread:4"),
    0x05: ("sticky-class", "object:id"),
    0x06: ("thread-block", "object:id thread:4"),
    0x07: ("monitor-used", "object:id"),
    0x08: ("thread-object", "object:id thread:4 trace:4"),
    0x89: ("interned-string", "object:id"),
    0x8A: ("finalizing", "object:id"),
    0x8B: ("debugger", "object:id"),
    0x8C: ("reference-cleanup", "object:id"),
    0x8D: ("vm-internal", "object:id"),
    0x8E: ("jni-monitor", "object:id thread:4 frame:-4"),
    0x90: ("unreachable", "object:id")}
CLASS_DUMP = ("address:id trace:4 super:id loader:id signers:id protection_domain:id reserved:id reserved:id "
              "instance_size:4")
INSTANCE_DUMP = "address:id trace:4 class:id"
OBJECT_ARRAY_DUMP = "address:id trace:4 length:4 array_class:id"
PRIMITIVE_ARRAY_DUMP = "address:id trace:4 length:4"
HEAP_DUMP_INFO = "id:4 name:id"

REFERENCE, CHAR, BYTE = 2, 5, 8
TYPES = {REFERENCE: ("object", "id"), 4: ("boolean", "1"), 5: ("char", "2"), 6: ("float", "4"), 7: ("double", "8"),
         8: ("byte", "1"), 9: ("short", "2"), 10: ("int", "4"), 11: ("long", "8")}


class Identifier(int):
    """An identifier of an object, a text or a frame: unsigned, and never added to."""


class Fields:
    """Reads the fields of the bytes from `at` to `end`, and refuses where they do not suffice."""

    def __init__(self, data, at, end, id_size):
        self.data, self.at, self.end, self.id_size = data, at, end, id_size

    def take(self, count):
        if self.at + count > self.end:
            raise Refusal(f"{count} bytes are due and {self.end - self.at} are left", self.at)
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, width, signed=False):
        return int.from_bytes(self.take(width), "big", signed=signed)

    def field(self, width):
        if width == "id":
            return Identifier(self.number(self.id_size))
        return self.number(int(width.lstrip("-")), width.startswith("-"))

    def fields(self, layout):
        """A record's fields by their names."""
        return {name: self.field(width) for name, width in (field.split(":") for field in layout.split())}

    def items(self, count_width, read):
        """A list, with the number of its items in front."""
        return [read() for _ in range(self.number(count_width))]

    def type(self):
        code = self.number(1)
        if code not in TYPES:
            raise Refusal(f"the type code {code}", self.at - 1)
        return code

    def value(self, code):
        name, width = TYPES[code]
        return name, self.field(width)


class Given(dict):
    """What is given under identifiers or numbers: of several things the last one."""

    def __init__(self):
        super().__init__()
        self.all = []  # in the order of the file

    def __setitem__(self, key, value):
        self.all.append((key, value))
        super().__setitem__(key, value)

    def setdefault(self, key, value):
        if key not in self:
            self[key] = value
        return self[key]

    def as_of(self, count):
        """What counts after the first things of this number: of several the last of these, else the first of the others."""
        return {**dict(reversed(self.all[count:])), **dict(self.all[:count])}


class Heap:
    """One heap of a file, and the log that leads up to its end."""

    def __init__(self, readings):
        self.states_all_parts = readings["hprof.regions"] == "as-stated"
        self.has_begun = False
        self.times = [0, 0]  # of its first dump record and of its end
        self.log = []  # (how many items stand before it, record)
        self.items = []  # classes, objects and arrays
        self.roots = []  # (how many items stand before it, kind, fields)
        self.parts = []  # (how many items stand before it, number, identifier of the name) where a part begins
        self.has_part = False  # whether the dump record has said what part its next item is in

    def begin(self, time):
        """At the head of a dump record."""
        if not self.has_begun:
            self.has_begun, self.times = True, [time, time]
        self.has_part = False

    def part(self, number, name):
        self.parts.append((len(self.items), number, name))
        self.has_part = True

    def in_a_part(self):
        """Something comes that shows in which part the dump record is."""
        if not self.has_part and not self.states_all_parts:
            self.part(0, None)  # as at the start of each dump record

    def item(self, item):
        """Takes in a class, an object or an array."""
        self.in_a_part()
        self.items.append({**item, "record": len(self.items)})


class Dump:
    """A file as it is decoded: header, heaps, and the tables that hold for all of it."""

    def __init__(self, data, readings, is_one_heap=False):
        self.data, self.readings = data, readings
        self.is_one_heap = is_one_heap  # whether all heaps are taken as one
        self.header()
        self.texts = Given()  # by identifier
        self.names, self.serials, self.loaded = Given(), Given(), Given()  # of classes by identifier; of serial numbers
        self.frames = Given()  # by identifier
        self.heaps = []
        self.records()

    def header(self):
        found = re.match(rb"JAVA PROFILE (1\.0\.[123])\0", self.data)
        if not found:
            raise Refusal("no header of HPROF", 0)
        self.version = found[1].decode()
        fields = Fields(self.data, found.end(), len(self.data), None)
        self.id_size, self.time_stamp = fields.number(4), fields.number(8)
        if self.id_size not in (1, 2, 4, 8):
            raise Refusal(f"identifiers of {self.id_size} bytes", found.end())
        self.at = fields.at

    def records(self):
        heap = Heap(self.readings)
        while self.at < len(self.data):
            head = Fields(self.data, self.at, len(self.data), self.id_size)
            tag, time, length = head.number(1), head.number(4), head.number(4)
            if tag == HEAP_DUMP and heap.has_begun:
                heap = self.ended(heap)
            if tag in (HEAP_DUMP, SEGMENT):
                heap.begin(time)
                self.at = self.dump_record(heap, tag, head.at, length)
                if tag == HEAP_DUMP:
                    heap = self.ended(heap)
                continue
            if head.at + length > len(self.data):
                raise Refusal(f"{length} bytes are due and {len(self.data) - head.at} are left", self.at)
            self.at = head.at + length
            if tag != END:
                body = Fields(self.data, head.at, self.at, self.id_size)
                heap.log.append((len(heap.items), self.log_record(body, tag, time)))
            elif heap.has_begun:
                heap.times[1] = time
                heap = self.ended(heap)
        if heap.has_begun or not self.heaps:
            self.ended(heap, is_last=True)

    def ended(self, heap, is_last=False):
        """Takes a heap in, and returns the one that follows."""
        if self.is_one_heap and not is_last:
            return heap
        heap.given = {name: len(getattr(self, name).all) for name in ("texts", "names", "serials", "loaded", "frames")}
        self.heaps.append(heap)
        return Heap(self.readings)

    def seen_from(self, index):
        """The dump with the tables that count for a heap. What stands after the last one counts for that."""
        seen = copy.copy(self)
        if index + 1 < len(self.heaps):
            for name, count in self.heaps[index].given.items():
                setattr(seen, name, getattr(self, name).as_of(count))
        return seen

    # Records outside of the heap

    def log_record(self, body, tag, time):
        """A record of the log; what it says to other records goes to the tables."""
        if tag == TEXT:
            record = {"event": "text", "id": body.field("id"), "text": body.take(body.end - body.at)}
            if record["id"] not in self.texts or self.readings["hprof.repeated-string"] == "last":
                self.texts[record["id"]] = record["text"]
        elif tag in RECORDS:
            name, layout = RECORDS[tag]
            record = {"event": name, **body.fields(layout)}
        else:
            record = {"event": "unknown", "tag": tag, "body": body.take(body.end - body.at)}
        if tag == TRACE:
            record["frames"] = body.items(4, lambda: body.field("id"))
        elif tag == SITES:
            record["totals"] = body.fields(TOTALS)
            record["sites"] = body.items(4, lambda: body.fields(SITE))
        elif tag == SAMPLES:
            record["traces"] = body.items(4, lambda: body.fields("samples:4 trace:4"))
        elif tag == LOAD_CLASS:
            self.names[record["class"]] = record["name"]
            self.serials[record["class"]] = record["serial"]
            self.loaded[record["serial"]] = record["class"]
        elif tag == FRAME:
            self.frames[record["id"]] = record
        return {"time": time, **record}

    # Dump records

    def dump_record(self, heap, tag, at, length):
        """Decodes the sub-records of a dump record, whose body is at `at`; returns where it ends."""
        end, is_open = at + length, False
        if length == 0 and self.readings["hprof.unpatched-length"] == "patched" and not self.is_chain(at):
            end, is_open = len(self.data), True  # its length was never patched in
        elif end > len(self.data):
            raise Refusal(f"{length} bytes are due and {len(self.data) - at} are left", at)
        elif tag == HEAP_DUMP and (len(self.data) - end) % (1 << 32) == 0 and not self.is_chain(end):
            end = len(self.data)  # its length has wrapped
        body = Fields(self.data, at, end, self.id_size)
        while body.at < end:
            if is_open and self.data[body.at] in (HEAP_DUMP, SEGMENT, END):
                break
            self.sub_record(heap, body)
        return body.at

    def is_chain(self, at):
        """Whether records from here on, hopped over by their lengths, end where the file does."""
        while at < len(self.data):
            at += 9 + int.from_bytes(self.data[at + 5:at + 9], "big")
        return at == len(self.data)

    def sub_record(self, heap, body):
        """Decodes a sub-record into its heap."""
        offset, tag = body.at, body.number(1)
        if tag in ROOTS:
            kind, layout = ROOTS[tag]
            heap.in_a_part()
            heap.roots.append((len(heap.items), kind, body.fields(layout)))
        elif tag == 0xFE:
            info = body.fields(HEAP_DUMP_INFO)
            heap.part(info["id"], info["name"])
        elif tag in SUB_RECORDS:
            heap.item({**SUB_RECORDS[tag](body), "offset": offset})
        else:
            raise Refusal(f"a sub-record with the tag {tag:#x}", offset)


def class_dump(body):
    def pool_entry():
        index = body.number(2)
        return index, *body.value(body.type())

    def static_field():
        name = body.field("id")
        return name, *body.value(body.type())

    def field():
        return body.field("id"), body.type()

    return {"kind": "class", **body.fields(CLASS_DUMP), "constant_pool": body.items(2, pool_entry),
            "statics": body.items(2, static_field), "fields": body.items(2, field)}


def instance_dump(body):
    fields = body.fields(INSTANCE_DUMP)
    return {"kind": "object", **fields, "bytes": body.take(body.number(4))}


def object_array_dump(body):
    fields = body.fields(OBJECT_ARRAY_DUMP)
    elements = body.take(fields["length"] * body.id_size)
    return {"kind": "object-array", **fields, "elements": [
        Identifier.from_bytes(elements[at:at + body.id_size], "big") for at in range(0, len(elements), body.id_size)]}


def primitive_array_no_data_dump(body):
    fields, code = body.fields(PRIMITIVE_ARRAY_DUMP), body.type()
    if code == REFERENCE:
        raise Refusal("a primitive array of references", body.at - 1)
    return {"kind": "primitive-array", **fields, "code": code}


def primitive_array_dump(body):
    array = primitive_array_no_data_dump(body)
    _, width = TYPES[array["code"]]
    return {**array, "contents": body.take(array["length"] * int(width))}


SUB_RECORDS = {0x20: class_dump, 0x21: instance_dump, 0x22: object_array_dump, 0x23: primitive_array_dump,
               0xC3: primitive_array_no_data_dump}

# ---------------------------------------------------------------------------------------------------------------------
# The answer


def listing(dump, index):
    """The lines of the listing of one heap. Which of several, where none is asked for, a reading says."""
    if index is None and len(dump.heaps) > 1:
        choice = dump.readings["hprof.several-heaps"]
        if choice == "refused":
            raise Refusal("the dump has several heaps")
        if choice == "joined":
            dump = Dump(dump.data, dump.readings, is_one_heap=True)
        index = len(dump.heaps) - 1 if choice == "last" else 0
    index = index or 0
    whole, dump = dump, dump.seen_from(index)
    heap = dump.heaps[index]
    heap.items = one_of_each(heap.items, dump.readings, "hprof")
    classes = {}
    for item in heap.items:
        if item["kind"] == "class":
            classes[item["address"]] = item
    lines = [item_line(dump, classes, item) for item in heap.items]
    add_texts(dump, heap, classes, lines)
    roots = [{"kind": "root", "root": kind, **told(fields), "after": after} for after, kind, fields in heap.roots]
    threads = thread_lines(whole, index)
    traces = trace_lines(whole, index, threads)
    regions = region_lines(dump, heap)
    events = [event_line(after, record) for after, record in heap.log]
    head = {"listing": 1, "format": "hprof", "identifier_size": dump.id_size, "header_version": dump.version,
            "time_stamp": dump.time_stamp, "dump_times": heap.times, "roots": len(roots), "threads": len(threads),
            "traces": len(traces), "regions": len(regions), "events": len(events)}
    return [head, *lines, *roots, *threads, *traces, *regions, *events]


def told(value):
    """Fields as a listing has them: identifiers in hexadecimal, numbers as they are."""
    if isinstance(value, dict):
        return {key: told(part) for key, part in value.items()}
    if isinstance(value, list):
        return [told(part) for part in value]
    return hex(value) if isinstance(value, Identifier) else value


def name_of(dump, identifier):
    """The text of an identifier, empty where no record gives it."""
    if identifier is None or identifier == 0 and dump.readings["hprof.string-0"] == "none":
        return ""
    return text_of(dump.texts.get(identifier, b""))


def known(facts):
    """The facts that are known. What is absent from a line is unknown."""
    return {key: fact for key, fact in facts.items() if fact is not None}


# Classes and objects


def item_line(dump, classes, item):
    facts = {key: told(item[key]) for key in ("kind", "address", "record", "offset", "trace")}
    if item["kind"] == "class":
        name = dump.names.get(item["address"])  # None where no LOAD CLASS names the class
        facts.update(known({
            "name": "" if name is None else name_of(dump, name),
            "serial": dump.serials.get(item["address"]),
            **{key: told(item[key]) for key in ("super", "loader", "signers", "protection_domain", "instance_size")},
            "fields": [{"name": name_of(dump, name), "type": TYPES[code][0]} for name, code in item["fields"]],
            "statics": [{"name": name_of(dump, name), "type": kind, "value": hex(bits)}
                        for name, kind, bits in item["statics"]],
            "constant_pool": [{"index": index, "type": kind, "value": hex(bits)}
                              for index, kind, bits in item["constant_pool"]]}))
    elif item["kind"] == "object":
        facts.update({"class": hex(item["class"])}, **field_values(dump, classes, item))
    elif item["kind"] == "object-array":
        facts.update(array_class(dump, classes, item), length=item["length"], elements=told(item["elements"]))
    else:
        facts.update(element=TYPES[item["code"]][0], length=item["length"])
        if "contents" in item:
            facts["contents"] = item["contents"].hex()
    return facts


def array_class(dump, classes, item):
    """The class of an object array, or its name where the class that it names is that of the elements."""
    name = dump.texts.get(dump.names.get(item["array_class"])) if item["array_class"] in classes else None
    if dump.readings["hprof.array-class"] == "array" or not name or name.startswith(b"[") or name.endswith(b"[]"):
        return {"array_class": hex(item["array_class"])}
    return {"class_name": text_of(b"[L" + name.replace(b".", b"/") + b";")}


def field_values(dump, classes, item):
    """The values of an instance, by the fields of its class and all superclasses; its bytes, where one is missing."""
    codes, owner, owners = [], item["class"], set()
    while owner or not owners:  # 0 is no superclass, and may be a class
        if owner in owners:
            raise Refusal(f"the class {owner:#x} is its own superclass")
        if owner not in classes:
            if owners and dump.readings["hprof.undeclared-bytes"] == "declared-fields":
                break
            return {"raw": item["bytes"].hex()}
        owners.add(owner)
        codes += [code for _, code in classes[owner]["fields"]]
        owner = classes[owner]["super"]
    values = Fields(item["bytes"], 0, len(item["bytes"]), dump.id_size)
    listed = [[kind, hex(bits)] for kind, bits in map(values.value, codes)]
    is_whole = owner in classes or not owner
    if values.at < values.end and is_whole and dump.readings["hprof.surplus-bytes"] == "raw":
        raise Refusal(f"the object {item['address']:#x} has more bytes than its fields")
    return {"values": listed}


# Texts of strings


def add_texts(dump, heap, classes, lines):
    """Puts the text of each java.lang.String into its line, where fields and array tell it."""
    alone, order = one_alone(heap.items), byte_order(dump, classes)
    arrays = {item["address"]: item for item in heap.items
              if "contents" in item and item["code"] in (CHAR, BYTE) and item["address"] in alone}
    for item, line in zip(heap.items, lines):
        if item["kind"] == "object" and item["address"] in alone and "values" in line:
            layout = string_fields(dump, classes.get(item["class"]))
            if layout is not None:
                values = {name: int(bits, 16) for name, (_, bits) in zip(layout, line["values"])}
                text = string_text(values, arrays.get(values["value"]), order)
                if text is not None:
                    line["text"] = text


def one_alone(items):
    """The identifiers that one object alone has."""
    counts = {}
    for item in items:
        if item["kind"] != "class":
            counts[item["address"]] = counts.get(item["address"], 0) + 1
    return {address for address, count in counts.items() if count == 1}


def java_name(dump, address):
    name = dump.texts.get(dump.names.get(address), b"")
    return name.replace(b"/", b".")


def string_fields(dump, owner):
    """The names of the fields that java.lang.String declares; None for another class, or one without an array."""
    if owner is None or java_name(dump, owner["address"]) != b"java.lang.String":
        return None
    fields = [(dump.texts.get(name), TYPES[code][0]) for name, code in owner["fields"]]
    names = [name.decode("latin-1") if name is not None and (name == b"value") == (kind == "object") else f"#{place}"
             for place, (name, kind) in enumerate(fields)]
    return names if "value" in names else None


def byte_order(dump, classes):
    """That of the machine, as java.lang.StringUTF16 has it in two static fields."""
    for owner in classes.values():
        if java_name(dump, owner["address"]) == b"java.lang.StringUTF16":
            shifts = {dump.texts.get(name): bits for name, kind, bits in owner["statics"] if kind == "int"}
            told = shifts.get(b"HI_BYTE_SHIFT"), shifts.get(b"LO_BYTE_SHIFT")
            if told in ((8, 0), (0, 8)):
                return "utf-16-be" if told == (8, 0) else "utf-16-le"
    return {"little-endian": "utf-16-le", "big-endian": "utf-16-be"}[dump.readings["hprof.string-byte-order"]]


def string_text(values, array, order):
    """A text of a listing, or None where it cannot be told."""
    if array is None:
        return None
    length, offset, coder = array["length"], values.get("offset", 0), values.get("coder")
    count = values.get("count", length - offset)
    if offset == 0 and count > length and count // 2 == length:
        count = length  # ART keeps twice the number, and a bit
    if offset > length or offset + count > length:
        return None
    width = 2 if array["code"] == CHAR else 1
    part = array["contents"][width * offset:width * (offset + count)]
    if array["code"] == CHAR and coder is None:
        encoding = "utf-16-be"
    elif array["code"] == BYTE and coder is None and part.isascii():
        encoding = "latin-1"
    elif array["code"] == BYTE and coder in (0, 1) and len(part) == length and length % (coder + 1) == 0:
        encoding = order if coder else "latin-1"
    else:
        return None
    text = part.decode(encoding, "surrogatepass") if encoding != "latin-1" else part.decode(encoding)
    if any("\ud800" <= character <= "\udfff" for character in text):
        return {"utf16": text.encode("utf-16-be", "surrogatepass").hex()}
    return text


# Parts of the heap, threads, stack traces


def region_lines(dump, heap):
    """Where another part of the heap begins than the one before. At first it is the part 0, which has no name."""
    lines, last = [], (0, "")
    for after, number, name in heap.parts:
        if (part := (number, name_of(dump, name))) != last or heap.states_all_parts:
            lines.append({"kind": "region", "id": part[0], "name": part[1], "after": after})
            last = part
    return lines


def thread_lines(dump, index):
    """The threads of a heap's log and of its roots; of those told earlier, the ones that its roots name."""
    heap, threads = dump.heaps[index], {}
    named = {fields["thread"] for _, _, fields in heap.roots if "thread" in fields}
    for number, earlier in enumerate(dump.heaps[:index + 1]):
        seen = dump.seen_from(number)
        for _, record in earlier.log:
            if record["event"] == "start-thread" and (number == index or record["serial"] in named):
                threads[record["serial"]] = known({
                    "kind": "thread", "serial": record["serial"], "object": hex(record["object"]),
                    "name": name_of(seen, record["name"]), "trace": record["trace"]})
    for _, kind, fields in heap.roots:
        if kind == "thread-object":
            thread = threads.setdefault(fields["thread"], {"kind": "thread", "serial": fields["thread"]})
            thread.update(object=hex(fields["object"]), trace=fields["trace"])
    return list(threads.values())


def trace_lines(dump, index, threads):
    """The stack traces of a heap's log; of those told earlier, the ones that it names."""
    heap, traces = dump.heaps[index], {}
    named = {item["trace"] for item in heap.items} | {thread.get("trace") for thread in threads}
    named |= {fields["trace"] for _, _, fields in heap.roots if "trace" in fields}
    for number, earlier in enumerate(dump.heaps[:index + 1]):
        seen = dump.seen_from(number)
        for _, record in earlier.log:
            if record["event"] == "trace" and (number == index or record["serial"] in named):
                traces[record["serial"]] = {
                    "kind": "trace", "serial": record["serial"], "thread": record["thread"],
                    # A frame that no record gives is left out.
                    "frames": [frame(seen, seen.frames[of]) for of in record["frames"] if of in seen.frames]}
    return list(traces.values())


def frame(dump, record):
    declaring = dump.loaded.get(record["class"])
    return known({
        "method": name_of(dump, record["method"]), "signature": name_of(dump, record["signature"]),
        "source": name_of(dump, record["source"]), "class": None if declaring is None else hex(declaring),
        "line": record["line"]})


# The log


def event_line(after, record):
    event = {"kind": "event", "after": after, **told(record)}
    for key, form in (("text", text_of), ("body", bytes.hex), ("cutoff", hex)):
        if key in event:
            event[key] = form(event[key])
    return event


if __name__ == "__main__":
    serve(HELLO, READINGS, lambda data, heap, readings: listing(Dump(data, readings), heap))
