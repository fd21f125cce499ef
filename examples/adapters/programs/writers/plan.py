"""Makes of a listing (specs/listing.md) what HeapWriter.java reads: class files, and the objects to make of them.

What a Java virtual machine cannot hold, or a program cannot bring about, is skipped with the reason.
"""

import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

from protocol import Skipped  # noqa: E402

LETTERS = {"object": "L", "boolean": "Z", "char": "C", "float": "F", "double": "D", "byte": "B", "short": "S",
           "int": "I", "long": "J"}
ROOT = b"java/lang/Object"


def plan(listing):
    """The plan's bytes for the listing at a path."""
    with open(listing, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file][1:]
    return Plan([line for line in lines if line["kind"] == "class"],
                [line for line in lines if line["kind"] in ("object", "object-array", "primitive-array")]).written()


class Plan:
    def __init__(self, classes, objects):
        self.objects = objects
        self.classes = unique(classes, "classes")
        self.places = {address: place for place, address in enumerate(unique(objects, "objects"), 1)}
        self.by_name = {}
        for address, line in self.classes.items():
            self.by_name.setdefault(class_name(line), address)
        # What is needed of the classes, in the order in which it can be defined.
        self.defined = {}
        self.definitions = []

    def written(self):
        made = b"".join(self.made(line) for line in self.objects)
        filled = b"".join(self.filled(line) for line in self.objects)
        return b"".join([struct.pack(">i", len(self.definitions)), *self.definitions,
                         struct.pack(">i", len(self.objects)), made, filled])

    def chain(self, address):
        """A class and its superclasses."""
        chain = []
        while number(address):
            line = self.classes.get(number(address))
            if line is None:
                raise Skipped(f"the class {address} is not in the listing")
            if line in chain:
                raise Skipped(f"the class {address} is its own superclass")
            chain.append(line)
            address = told(line, "super")
        return chain

    def define(self, address):
        """The place of a class among the definitions."""
        address = number(address)
        if address not in self.defined:
            line = self.chain(hex(address))[0]
            name = class_name(line)
            fields = [(text(field["name"]), LETTERS[field["type"]]) for field in told(line, "fields")]
            if name == ROOT and not fields and not number(line["super"]):
                self.add(address, library(name))
            else:
                above = self.define(line["super"]) if number(line["super"]) else -1
                parent = class_name(self.classes[number(line["super"])]) if above >= 0 else ROOT
                self.add(address, own(name, above, parent, fields))
        return self.defined[address]

    def named(self, name):
        """The same of a class whose name alone is known, as that of an array's components."""
        if name in self.by_name and not name.startswith(b"java/"):
            return self.define(hex(self.by_name[name]))
        if name not in self.defined:
            self.add(name, library(name) if name.startswith(b"java/") else own(name, -1, ROOT, []))
        return self.defined[name]

    def add(self, key, definition):
        self.defined[key] = len(self.definitions)
        self.definitions.append(definition)

    def made(self, line):
        if line["kind"] == "object":
            return b"O" + struct.pack(">i", self.define(told(line, "class")))
        if line["kind"] == "primitive-array":
            contents = bytes.fromhex(told(line, "contents"))
            if line["element"] == "boolean":
                check_boolean(max(contents, default=0))
            return LETTERS[line["element"]].encode() + struct.pack(">i", len(contents)) + contents
        name = class_name(self.chain(told(line, "array_class"))[0])
        element = name.lstrip(b"[")
        dimensions = len(name) - len(element)
        if dimensions == 0 or dimensions > 127 or name[1:] in [letter.encode() for letter in LETTERS.values()]:
            raise Skipped(f"the class of the array {line['address']} is not that of an array of objects")
        kind = element[:1]
        component = struct.pack(">i", self.named(element[1:-1])) if kind == b"L" else b""
        return b"A" + struct.pack(">b", dimensions) + kind + component + struct.pack(">i", len(told(line, "elements")))

    def filled(self, line):
        if line["kind"] == "primitive-array":
            return b""
        if line["kind"] == "object-array":
            return b"".join(struct.pack(">q", self.reference(element)) for element in told(line, "elements"))
        values = told(line, "values")
        places = [(self.define(owner["address"]), place, field["type"])
                  for owner in self.chain(told(line, "class")) for place, field in enumerate(told(owner, "fields"))]
        if [kind for _, _, kind in places] != [kind for kind, _ in values]:
            raise Skipped(f"{line['address']} has other fields than its class")
        return struct.pack(">i", len(values)) + b"".join(
            struct.pack(">iiQ", owner, place, self.value(kind, bits))
            for (owner, place, _), (kind, bits) in zip(places, values))

    def value(self, kind, bits):
        if kind == "object":
            return self.reference(bits)
        if kind == "boolean":
            check_boolean(number(bits))
        return number(bits)

    def reference(self, address):
        """The place of an object. Null stands for what the listing has no object of, which is not judged."""
        return self.places.get(number(address), 0)


def unique(lines, what):
    found = {number(line["address"]): line for line in lines}
    if len(found) != len(lines):
        raise Skipped(f"two {what} have one address")
    return found


def told(line, key):
    if line.get(key) is None:
        raise Skipped(f"the line of {line['address']} has no {key}")
    return line[key]


def check_boolean(value):
    if value > 1:
        raise Skipped("a boolean that is neither 0 nor 1")


def number(address):
    return int(address, 16)


def text(value):
    """The bytes of a text in modified UTF-8."""
    if isinstance(value, dict):
        return bytes.fromhex(value["bytes"])
    units = struct.unpack(f">{len(value.encode('utf-16-be')) // 2}H", value.encode("utf-16-be"))
    return b"".join(b"\xc0\x80" if unit == 0 else chr(unit).encode("utf-8", "surrogatepass") for unit in units)


def class_name(line):
    """In the machine's form, which has no dots."""
    return text(told(line, "name")).replace(b".", b"/")


def library(name):
    """A class of the Java library, which is there already."""
    return b"\1" + utf(name.replace(b"/", b"."))


def own(name, above, parent, fields):
    """A class of our own. Which names there can be is the machine's to say, but for the Java library's."""
    if name.startswith(b"java/"):
        raise Skipped(f"{name.decode(errors='replace')} cannot be defined by a program")
    file = class_file(name, parent, fields)
    return b"\0" + struct.pack(">ii", above, len(file)) + file + struct.pack(">i", len(fields)) + b"".join(
        utf(field) + letter.encode() for field, letter in fields)


def class_file(name, parent, fields):
    """A public class of Java 8 with public fields, and a constructor that does nothing.

    Every reference is a java.lang.Object.
    """
    # Each field takes two constants, of 65535.
    if len(fields) > 32000:
        raise Skipped(f"a class with {len(fields)} fields")
    constants = []

    def constant(entry):
        constants.append(entry)
        return len(constants)

    def class_constant(of):
        return constant(b"\7" + struct.pack(">H", constant(b"\1" + utf(of))))

    above = class_constant(parent)
    head = struct.pack(">HHHH", 0x21, class_constant(name), above, 0)
    body = struct.pack(">H", len(fields))
    for field, letter in fields:
        descriptor = b"Ljava/lang/Object;" if letter == "L" else letter.encode()
        body += struct.pack(">HHHH", 1, constant(b"\1" + utf(field)), constant(b"\1" + utf(descriptor)), 0)
    init, signature = constant(b"\1" + utf(b"<init>")), constant(b"\1" + utf(b"()V"))
    above = constant(struct.pack(">BHH", 10, above, constant(struct.pack(">BHH", 12, init, signature))))
    # aload_0, invokespecial, return
    code = struct.pack(">BBHB", 0x2a, 0xb7, above, 0xb1)
    body += struct.pack(">HHHHHHIHHI", 1, 1, init, signature, 1, constant(b"\1" + utf(b"Code")), 12 + len(code), 1, 1,
                        len(code)) + code + struct.pack(">HH", 0, 0)
    pool = struct.pack(">H", len(constants) + 1) + b"".join(constants)
    return struct.pack(">IHH", 0xcafebabe, 0, 52) + pool + head + body + struct.pack(">H", 0)


def utf(name):
    if len(name) > 0xffff:
        raise Skipped("a name of more than 65535 bytes")
    return struct.pack(">H", len(name)) + name
