#!/usr/bin/env python3
"""Connects a parser of heap dumps to heapsmith's adapter protocol (specs/adapter.md): a template to copy.

Three places are yours: HELLO says what your parser reports, REFUSALS how it refuses a dump, and parse() calls it. answer() and
main() serve the protocol.
The rest is an example, a small parser of HPROF; throw it away.
"""
import json, os, pathlib, re, sys, traceback

HELLO = {
    "name": "template", "version": "1", "language": "Python", "reads": ["hprof"], "levels": ["listing"],
    # These facets are required: where a dump has the fact, the listing must have it. Begin with few.
    "facets": ["address", "kind", "class-name", "superclass", "class", "array-length", "field-values", "elements",
               "references", "primitive-contents", "record-order",
               # "string-text": the text of a java.lang.String, if your parser works it out: "text": "abc" in the object's line.
               ],
    # What a listing can leave out, such as "primitive-contents". `check --large` then asks for listings of dumps of gigabytes
    # without it: declare it if your parser does not hold such a dump. The example holds it whole.
    "omits": [],
    # What your parser makes of bytes that can be read in several ways; these are the defaults.
    "readings": {"hprof.array-class": "array", "hprof.repeated-string": "last"},
    # Defaults, too. "0/1": every boolean but 0 is reported as 1. "text": bytes of names that are not valid text are replaced.
    # ["classes"]: there are lines of classes without a record. True: see parse(). `heapsmith adapter readings` lists more.
    "booleans": "bytes", "names": "bytes", "makes_up": [], "heaps": False}
# Classes of exceptions by which your parser refuses a dump, as it documents it, such as (EOFError, zlib.error); and where their
# messages have the offset of the bad bytes: with it, the report names the rule that the dump breaks.
REFUSALS = ()
OFFSET = re.compile(r"(?i)\b(?:at|offset)[ =]+(0x[0-9a-f]+|\d+)")
# By facet, the key of the head with the number of its lines: 0 says that there are none, and no key says nothing.
COUNTS = {"roots": "roots", "root-objects": "roots", "threads": "threads", "stack-traces": "traces", "regions": "regions",
          "events": "events"}
WARNINGS = []  # texts that go into the answer: what your parser reports as wrong with a dump although it goes on

class Refusal(Exception): """The parser does not take this dump: a message, and the offset of the bytes, if known."""
class Skip(Exception): """This dump cannot be put to the parser; the text says why."""

def parse(path, heap, omits):
    """YOUR PARSER GOES HERE. Returns the lines of the dump's listing, the head first (specs/listing.md).
    Of a dump with several heaps, `heap` is the index of the one to read. It is None without "heaps": True above.
    `omits` has facets of "omits" above that the lines are not to have: do not read them.
    Raise Refusal where your parser says, as it documents it, that a dump is bad, with the offset of the bytes if it knows
    them; exceptions of REFUSALS are taken as such. Let every other one through: it is reported as a crash of the parser.
    """
    return hprof(pathlib.Path(path).read_bytes())  # or, with heaps: your_parser(path).heaps[heap or 0]

def answer(request):
    """What is answered to a request, without its id."""
    protocols = {1, 2}.intersection(request.get("protocols", []))
    if request["op"] == "hello" and protocols: return {"protocol": max(protocols), **HELLO}
    if request["op"] != "parse":
        return {"status": "error", "message": f"this adapter does not know {request['op']}"}
    try:
        WARNINGS.clear()
        omits = request.get("omits", [])
        head, *lines = parse(request["path"], request.get("heap"), omits)
        if omits: head["omits"] = omits
        for facet, key in COUNTS.items():
            if facet in HELLO["facets"]: head.setdefault(key, sum(line["kind"] + "s" == key for line in lines))
        pathlib.Path(request["out"]).write_text("".join(json.dumps(line) + "\n" for line in [head, *lines]), encoding="utf-8")
    except (Refusal, *REFUSALS) as refusal:
        message, offset = (*refusal.args, None)[:2] if isinstance(refusal, Refusal) else (str(refusal), None)
        place = OFFSET.search(message)
        if offset is None and place: offset = int(place[1], 16 if "x" in place[1].lower() else 10)
        return {"status": "reject", "message": message, **({} if offset is None else {"offset": offset})}
    except Skip as skip: return {"status": "skip", "reason": str(skip)}
    except OSError as failure: return {"status": "error", "message": str(failure)}  # of the adapter, not of the parser
    except Exception:  # a crash of the parser; without this the process ends, as it should if the parser keeps state
        return {"status": "crash", "message": traceback.format_exc()}
    return {"status": "accept", **({"warnings": WARNINGS} if WARNINGS else {})}

def main():
    # Standard output is for answers alone. Whatever else prints there, also from C, gets standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **answer(request)}), file=answers, flush=True)

# The example. A layout has a digit for a number with that many bytes, and i for an identifier. Of a record it is followed
# by what comes as often as the last number says. Of a sub-record it stands where that is a root, and no line.
RECORDS = {3: ("4", ""), 4: ("iiii44", ""), 5: ("444", "i"), 6: ("2444884", "1444444"), 7: ("4488", ""),
           10: ("4i4iii", ""), 11: ("4", ""), 13: ("44", "44"), 14: ("42", "")}
SUB_RECORDS = {1: "ii", 2: "i44", 3: "i44", 4: "i4", 6: "i4", 8: "i44", 0x8E: "i44", 0xFE: "4i",
               **dict.fromkeys([5, 7, 0x89, 0x8A, 0x8B, 0x8C, 0x8D, 0x90, 0xFF], "i"), 0x20: "class", 0x21: "object",
               0x22: "object-array", 0x23: "primitive-array", 0xC3: "array without contents"}
ELEMENTS = dict(zip(range(4, 12), zip("boolean char float double byte short int long".split(), "12481248")))
TYPES = {2: ("object", "i"), **ELEMENTS}

def hprof(data):
    if data[:2] == b"\x1f\x8b": raise Skip("this parser reads no gzip")
    if not re.match(rb"(?s)JAVA PROFILE 1\.0\.[123]\0\0\0\0[\1\2\4\x08].{8}", data): raise Refusal("no HPROF header", 0)
    at, end, id_size, lines, texts, names, supers, fields = 31, len(data), data[22], [], {}, {}, {}, {}
    def take(count):
        nonlocal at
        at += count
        if at > end: raise Refusal(f"what ends at {end} is shorter than it says", at - count)
        return data[at - count:at]
    def width(part): return id_size if part == "i" else int(part)
    def read(layout): return [int.from_bytes(take(width(part)), "big") for part in layout]
    def look_up(table):
        (code,) = read("1")
        if code not in table: raise Refusal(f"{code:#x} is unknown", at - 1)
        return table[code]
    def tell(kind, address, **facts): lines.append({"kind": kind, "address": hex(address), **facts})
    def sub_record():
        kind = look_up(SUB_RECORDS)
        if kind == "class":
            address, _, parent, *_ = read("i4iiiiii4")
            for key in "2i":  # the constant pool, then the static fields
                for _ in range(*read("2")): read(key), read(look_up(TYPES)[1])
            supers[address], fields[address] = parent, [(read("i"), look_up(TYPES))[1] for _ in range(*read("2"))]
            tell(kind, address, super=hex(parent))
        elif kind == "object":
            address, _, own, length = read("i4i4")
            tell(kind, address, **{"class": hex(own)}, values=(own, at, at + len(take(length))))
        elif kind == "object-array":
            address, _, length, own = read("i44i")
            tell(kind, address, array_class=hex(own), length=length, elements=[hex(*read("i")) for _ in range(length)])
        elif "array" in kind:
            (address, _, length), (element, size) = read("i44"), look_up(ELEMENTS)
            contents = take(length * int(size)).hex() if kind == "primitive-array" else None  # Android leaves some out
            tell("primitive-array", address, element=element, length=length, contents=contents)
        else: read(kind)
    while at < len(data):
        tag, _, length = read("144")
        end = at + length
        if end > len(data): raise Refusal("the file ends within a record", at - 9)
        if tag == 1: (name,), texts[name] = read("i"), text(take(end - at))
        if tag == 2: _, address, _, names[hex(address)] = read("4i4i")
        if tag in RECORDS: take(read(RECORDS[tag][0])[-1] * sum(map(width, RECORDS[tag][1])))
        while tag in (0x0C, 0x1C) and at < end: sub_record()
        at, end = end, len(data)
    for line in lines:
        if line["kind"] == "class": line["name"] = texts.get(names.get(line["address"]))
        if line["kind"] == "object":  # its class and superclasses may follow it, so that they are known only now
            own, at, end = line["values"]
            chain = [own]
            while chain[-1] in supers and len(chain) <= len(supers): chain.append(supers[chain[-1]])
            if chain.pop(): raise Refusal(f"the superclasses of {own:#x} have no end, or one is missing", at)
            line["values"] = [[type, hex(*read(layout))] for owner in chain for type, layout in fields[owner]]
            if at < end: raise Refusal(f"the object {line['address']} has more bytes than its fields", at)
    return [{"listing": 1}, *lines]

def text(data):
    """A name of modified UTF-8, or its bytes where they are no such text."""
    try:
        if re.search(rb"[\0\xf0-\xff]", data): raise ValueError
        wide = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass")
        return wide.decode("utf-16")
    except ValueError: return {"bytes": data.hex()}

if __name__ == "__main__": main()
