#!/usr/bin/env python3
"""An adapter for the classic text heap dump in all its dialects, in ASCII, UTF-8 and EBCDIC.

It was written from specs/classic.toml, specs/classic.md, specs/listing.md and specs/adapter.md alone. Above are the
text and its records as they stand there; below, what a listing says of them.
"""
import re

from protocol import Refusal, one_of_each, serve, text_of

HELLO = {
    "name": "full adapter for classic text", "version": "1", "language": "Python", "reads": ["classic"],
    "levels": ["listing"],
    "facets": [
        "word-size", "version-text", "null-references", "address", "kind", "class-name", "class-object-size",
        "class-references", "class", "class-word", "object-size", "references", "reference-order", "record-order"]}

# What a dump leaves open, with the default (specs/adapter.md, Readings).
READINGS = {
    "classic.class-block": "removed", "classic.element-order": "file", "classic.carriage-return": "white-space",
    "classic.repeated-class": "every-record", "classic.repeated-object": "every-record"}

# ---------------------------------------------------------------------------------------------------------------------
# Characters

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# The two pages of EBCDIC differ in three pairs of characters.
IBM_037 = [bytes([byte]).decode("cp037") for byte in range(256)]
IBM_1047 = list(IBM_037)
for left, right in ((0xAD, 0xBA), (0xBD, 0xBB), (0x5F, 0xB0)):
    IBM_1047[left], IBM_1047[right] = IBM_037[right], IBM_037[left]
for page in (IBM_037, IBM_1047):
    page[0x15] = page[0x25] = "\n"  # one of them is the line feed, and the other ends lines as well


def characters(data):
    """The characters of a dump, one for each byte, and whether it is in EBCDIC. The first bytes tell."""
    if data.startswith(BYTE_ORDER_MARK):
        return " " * 3 + data[3:].decode("latin-1"), False
    if re.match(rb"[ \t\r\n]*(//|0[xX])", data):
        return data.decode("latin-1"), False
    if re.match(rb"[\x40\x05\x0d\x15\x25]*(\x61\x61|\xf0[\xa7\xe7])", data):
        # The first bracket before a size tells the page; an address and blanks before it are alike in both.
        bracket = re.search(rb"\xf0[\xa7\xe7][\xf0-\xf9\x81-\x86\xc1-\xc6]+[\x40\x05]*([\xad\xba])[\xf0-\xf9]", data)
        page = IBM_037 if bracket and bracket[1] == b"\xba" else IBM_1047
        return "".join(page[byte] for byte in data), True
    raise Refusal("neither // nor an address at the start", 0)


def text_of_name(name, is_ebcdic):
    """A name as a text of a listing. UTF-8 where it is that, and else the JVM's own bytes."""
    if is_ebcdic:
        return name
    try:
        return name.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return text_of(name.encode("latin-1"))


# ---------------------------------------------------------------------------------------------------------------------
# The dump

WHITE_SPACE = " \t\r\n"
LONGEST = 1 << 20  # characters of a type, a comment or white space: a choice of the specification
# A space stands for any white space on the line, or none.
VERSION, COMMENT_1, COMMENT_2, TRAILER_1, TRAILER_2 = (re.compile(pattern.replace(" ", r"[ \t\r]*")) for pattern in (
    "// Version: (.*)", "// Breakdown.*", "// EOF.*",
    r"// Breakdown - Classes : (\d+) , Objects : (\d+) , ObjectArrays : (\d+) , PrimitiveArrays : (\d+) ",
    r"// EOF : Total 'Objects' , Refs\(null\) : (\d+) , (\d+) \( (\d+) \) "))
ELEMENTS = dict(Z="boolean", C="char", F="float", D="double", B="byte", S="short", I="int", J="long")


class Dump:
    """A dump as it is decoded: its version text, its records and what its trailers state."""

    def __init__(self, data, readings):
        self.text, self.is_ebcdic = characters(data)
        if readings["classic.carriage-return"] == "line-end":
            self.text = re.sub(r"\r(?!\n)", "\n", self.text)
        self.at = 0
        self.version_text = self.breakdown = self.total = self.word_digits = None
        self.spelling = {}  # of the trailers
        self.lists_nulls = False  # in front of trailer 2
        self.records = []
        self.body()

    def body(self):
        while self.white_space():
            if self.text.startswith("//", self.at):
                self.comment()
            else:
                self.record()

    # Parts

    def match(self, pattern):
        """What stands here, if it is spelled so."""
        found = re.compile(pattern).match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def white_space(self):
        """Skips white space; whether anything follows."""
        if len(self.match(r"[ \t\r\n]*")[0]) > LONGEST:
            raise Refusal("too much white space", self.at)
        return self.at < len(self.text)

    def refuse(self, what):
        at_end = "the text ends" if self.at >= len(self.text) else repr(self.text[self.at:self.at + 20])
        raise Refusal(f"{what} is due, and there is {at_end}", self.at)

    def line(self, may_end_the_text=False):
        """The rest of the line, and its end."""
        rest = self.match(r"[^\n]*")[0]
        if len(rest) > LONGEST:
            raise Refusal("too long a line", self.at)
        if not self.match(r"\n") and not may_end_the_text:
            self.refuse("a line's end")
        return rest[:-1] if rest.endswith("\r") else rest

    def number(self):
        """An address or a reference: its digits, and its value."""
        found = self.match(r"0[xX]([0-9a-fA-F]+)(?=[ \t\r\n\[])")
        if not found:
            self.refuse("a hexadecimal number")
        if int(found[1], 16) >= 1 << 64:
            raise Refusal(f"the number {found[0]}", found.start())
        return found[1], int(found[1], 16)

    # Lines that begin with //

    def comment(self):
        start = self.at
        comment = self.line(may_end_the_text=self.total or COMMENT_2.match(self.text, self.at))
        if version := VERSION.fullmatch(comment):
            if self.version_text is None:
                self.version_text = version[1]
        elif COMMENT_1.fullmatch(comment):
            numbers = self.trailer(TRAILER_1, comment, start)
            self.spelling.setdefault(1, comment)
            self.breakdown = self.breakdown or numbers
        elif COMMENT_2.fullmatch(comment):
            numbers = self.trailer(TRAILER_2, comment, start)
            if not self.total:
                self.spelling[2] = comment
                self.lists_nulls = any(0 in record["references"] for record in self.records)
            self.total = self.total or numbers  # the first counts

    def trailer(self, pattern, comment, start):
        found = pattern.fullmatch(comment)
        if not found or any(int(number) >= 1 << 64 for number in found.groups()):
            raise Refusal(f"the trailer {comment}", start)
        return [int(number) for number in found.groups()]

    def lists_backwards(self):
        """Whether the trailers are spelled as OpenJ9 or jdmpview spells them, who list elements from the last to the first."""
        def is_spelled(first, gap):
            counts = "Classes:{0}%d, Objects:{0}%d, ObjectArrays:{0}%d, PrimitiveArrays:{0}%d".format(gap)
            due = {1: f"// Breakdown - {counts}", 2: f"// EOF:{first}Total 'Objects',Refs(null) :{gap}%d,%d(%d)"}
            numbers = {1: self.breakdown, 2: self.total}
            return all(text == due[trailer] % tuple(numbers[trailer]) for trailer, text in self.spelling.items())
        is_native = 2 in self.spelling and not self.lists_nulls and is_spelled("  ", " ")
        return is_native or bool(self.spelling) and is_spelled(" ", "")

    # Objects and classes

    def record(self):
        offset = self.at
        digits, address = self.number()
        if self.word_digits is None:
            self.word_digits = len(digits)
        if not self.match(r"[ \t]*\["):
            self.refuse("a size on the line of an address")
        size = self.match(r"(\d+)\]")
        if not size or int(size[1]) >= 1 << 64:
            self.refuse("a size")
        self.match(r"[ \t]*")
        kind = self.match(r"(OBJ|CLS)(?=[ \t\r\n])")
        if not kind:
            self.refuse("OBJ or CLS")
        record = {"record": len(self.records), "offset": offset, "address": address, "size": int(size[1]),
                  "is_class": kind[1] == "CLS", "type": self.type()}
        record["references"] = self.references()
        self.records.append(record)

    def type(self):
        """What stands on the rest of the line. A name with a line break goes on in a line that can be nothing else."""
        lines = [self.line()]
        while lines[0].strip(WHITE_SPACE) and self.match(r"(?![ \t\r\n]|0[xX]|//|$)"):
            # What is in front of a line feed is of the name, where the name goes on.
            lines[-1] += "\r" * (self.text[self.at - 2] == "\r")
            lines.append(self.line())
        return "\n".join(lines).strip(WHITE_SPACE)

    def references(self):
        references, begin = [], self.at
        while self.white_space():
            if not self.match(r"(?=0[xX])"):
                if self.text.startswith("//", self.at):
                    return references
                self.refuse("a reference, a record or a comment")
            at = self.at
            _, reference = self.number()
            if self.match(r"[ \t]*\["):
                self.at = at  # this was the address of the next record
                return references
            references.append(reference)
        if not re.search(r"\n[ \t\r]*\Z", self.text[begin:]):
            raise Refusal("the text ends inside of a record", len(self.text))
        return references


# ---------------------------------------------------------------------------------------------------------------------
# The answer


def listing(dump, readings):
    """The lines of the dump's listing."""
    dump.records = one_of_each(dump.records, readings, "classic")
    head = {"listing": 1, "format": "classic"}
    if dump.word_digits in (8, 16):
        head["word_size"] = dump.word_digits * 4
    if dump.version_text is not None:
        head["version_text"] = text_of_name(dump.version_text, dump.is_ebcdic)
    # Nulls that are listed are among the references, and those that are not are only counted.
    if dump.total and not any(0 in record["references"] for record in dump.records):
        head["null_references"] = dump.total[2]
    classes = {}
    for record in dump.records:
        if record["is_class"]:
            classes.setdefault(record["type"], []).append(record["address"])
    blocks = has_class_blocks(dump, classes)
    if readings["classic.class-block"] == "kept":
        blocks = False
    order = readings["classic.element-order"]
    for record in dump.records:
        record["reversed"] = order == "index" or order == "index-by-dialect" and dump.lists_backwards()
    return [head, *(line(dump, record, classes, blocks) for record in dump.records)]


def has_class_blocks(dump, classes):
    """Whether the first reference of every object is the address of a class with the name of its type, and no null."""
    objects = [record for record in dump.records if not record["is_class"]]
    return all(set(record["references"][:1]) & set(classes.get(record["type"], ())) - {0} for record in objects)


def line(dump, record, classes, blocks):
    name = text_of_name(record["type"], dump.is_ebcdic)
    facts = {"address": hex(record["address"]), "record": record["record"], "offset": record["offset"]}
    if record["is_class"]:
        return {"kind": "class", **facts, "name": name, "class_size": record["size"],
                "refs": [hex(address) for address in record["references"]]}
    facts.update(class_name=name, size=record["size"])
    references = record["references"]
    owner = None
    if blocks:
        owner, *references = references
    elif len(classes.get(record["type"], ())) == 1:
        owner = classes[record["type"]][0]
    kind = kind_of(record["type"])
    if owner is not None:
        facts["class" if kind == "object" else "array_class"] = hex(owner)
    if kind == "primitive-array":
        return {"kind": kind, **facts, "element": ELEMENTS[record["type"][-1]]}
    if kind == "object-array" and record["reversed"]:
        references = references[::-1]
    return {"kind": kind, **facts, "refs": [hex(address) for address in references]}


def kind_of(type):
    if type[:1] != "[":
        return "object"
    return "primitive-array" if len(type) == 2 and type[1] in ELEMENTS else "object-array"


if __name__ == "__main__":
    serve(HELLO, READINGS, lambda data, _, readings: listing(Dump(data, readings), readings))
