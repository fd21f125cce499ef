"""The digest of a heap from its listing: specs/digest.md in Python, without heapsmith's code.

    heapsmith decode DUMP | python3 examples/digest.py [--facets LIST] [--buckets] [--by-facet] [LISTING ...]

Prints JSON with the keys of `heapsmith digest --json`, a line for each listing. Holds one in memory.
"""
import argparse, hashlib, json, struct

NUMBERS = {facet: n for n, facet in enumerate("""word-size identifier-size version-text header-version time-stamp
    dump-times header-totals hash-randoms null-references kind class-name superclass interfaces loader signers
    protection-domain instance-size class-object-size fields statics constant-pool class-references class-serial
    class-trace class class-word object-size array-length hash-16 hash-32 field-values elements primitive-contents
    references reference-order object-trace roots threads stack-traces regions strings unloads allocation-sites
    heap-summaries cpu-samples control-settings unknown-records root-objects string-text""".split(), 1)}
TYPES = {"object": "L8", "boolean": "Z1", "char": "C2", "float": "F4", "double": "D8", "byte": "B1", "short": "S2",
         "int": "I4", "long": "J8"}
LIVE = ["live_bytes", "live_instances", "allocated_bytes", "allocated_instances"]

def integer(value): return int(value, 16) if isinstance(value, str) else value
def number(value): return (integer(value) % 2**64).to_bytes(8, "big")
def numbers(values): return b"".join(map(number, values))
def pick(line, *keys): return numbers(line[key] for key in keys)
def prefixed(value): return (bytes([len(value)]) if len(value) < 255 else b"\xff" + number(len(value))) + value
def text(value): return prefixed(raw(value))
def option(value, convert): return b"\0" if value is None else b"\1" + convert(value)
def each(values, convert): return b"".join(map(convert, values))
def letter(kind): return TYPES[kind][0].encode()
def typed(kind, bits): return letter(kind) + integer(bits).to_bytes(int(TYPES[kind][1]), "big")
def real(refs): return list(filter(None, map(integer, refs)))

def raw(name):
    """The bytes of a name: modified UTF-8, unless the listing has the bytes. A name that is absent has none."""
    if name is None:
        return b""
    if isinstance(name, dict) and "bytes" in name:
        return bytes.fromhex(name["bytes"])
    words = bytes.fromhex(name["utf16"]) if isinstance(name, dict) else name.encode("utf-16-be")
    units = [unit for (unit,) in struct.iter_unpack(">H", words)]
    return each(units, lambda u: chr(u).encode("utf-8", "surrogatepass") if u else b"\xc0\x80")

def entry(line, wanted, names):
    """The fields of a class or an object."""
    kind, get = line["kind"], line.get
    refs, name = get("refs"), get("class_name")
    yield "null-references", None if refs is None else len(refs) - len(real(refs)) or None, number
    yield "kind", {"class": b"c", "object": b"L", "object-array": b"["}.get(kind) or letter(get("element")), bytes
    yield from (("hash-16", get("hash16"), number), ("hash-32", get("hash32"), number))
    if kind == "class":
        yield "class-name", get("name", ""), raw
        for facet, key in zip("superclass loader signers protection-domain instance-size class-object-size "
                              "class-serial class-trace".split(), "super loader signers protection_domain "
                              "instance_size class_size serial trace".split()):
            yield facet, get(key), number
        yield "interfaces", get("interfaces"), numbers
        yield "fields", get("fields"), lambda v: each(v, lambda f: text(f.get("name")) + letter(f["type"]))
        yield "statics", get("statics"), lambda v: each(v, lambda s: text(s.get("name")) + typed(s["type"], s["value"]))
        yield "constant-pool", get("constant_pool"), lambda v: each(
            v, lambda e: number(e["index"]) + typed(e["type"], e["value"]))
        yield "class-references", refs, lambda v: numbers(sorted(real(v)))
    else:
        own = get("class") if kind == "object" else get("array_class")
        in_table = None if own is None else names.get(integer(own))
        name = None if name is None else raw(name)
        if "class" in wanted:
            yield "class-name", None if name == in_table else name, bytes
        else:
            yield "class-name", in_table if name is None else name, bytes
        yield from (("class", own, number), ("object-size", get("size"), number), ("object-trace", get("trace"), number))
        yield "class-word", get("class") if kind == "object-array" else None, number
        yield "array-length", get("length") if kind != "object" else None, number
        yield "field-values", get("values"), lambda v: b"v" + each(v, lambda value: typed(*value))
        yield "field-values", get("raw"), lambda v: b"r" + bytes.fromhex(v)
        yield "elements", get("elements"), numbers
        yield "primitive-contents", get("contents"), bytes.fromhex
        if get("values") is not None and "field-values" not in wanted:
            refs = [bits for kind, bits in get("values") if kind == "object"]
        if get("elements") is not None and "elements" not in wanted:
            refs = get("elements")
        yield "references", refs, lambda v: numbers(sorted(real(v)))
    yield "reference-order", refs, lambda v: numbers(real(v))
    yield "string-text", get("text"), raw

def other(line, place):
    """The field of any other line."""
    frame = lambda f: (text(f.get("method")) + text(f.get("signature")) + option(f.get("source") or None, text)
                       + option(f.get("class"), number) + number(f["line"]))
    return {
        "root": lambda: ("roots", text(line["root"]) + pick(line, *(
            key for key in ("reference", "thread", "frame", "trace") if line.get(key) is not None))),
        "thread": lambda: ("threads", pick(line, "serial", "object") + option(line.get("name") or None, text)
                           + option(line.get("trace"), number)),
        "trace": lambda: ("stack-traces", pick(line, "serial", "thread") + each(line["frames"], frame)),
        "region": lambda: ("regions", place + number(line["id"]) + text(line.get("name")) + number(line["after"])),
        "event text": lambda: ("strings", raw(line["text"])),
        "event unload-class": lambda: ("unloads", place + pick(line, "serial")),
        "event allocation-sites": lambda: ("allocation-sites", place + pick(line, "flags", "cutoff")
            + pick(line["totals"], *LIVE) + each(line["sites"], lambda s: pick(s, "array", "class", "trace", *LIVE))),
        "event heap-summary": lambda: ("heap-summaries", place + pick(line, *LIVE)),
        "event cpu-samples": lambda: ("cpu-samples", place + pick(line, "total")
            + each(line["traces"], lambda t: pick(t, "samples", "trace"))),
        "event control-settings": lambda: ("control-settings", place + pick(line, "flags", "depth")),
        "event unknown": lambda: ("unknown-records", place + pick(line, "tag") + bytes.fromhex(line["body"])),
    }.get(kind_of(line), lambda: (None, b""))()

def kind_of(line): return "event " + line["event"] if line["kind"] == "event" else line["kind"]

def records(head, lines, wanted, names):
    """Every record, with its address and its facets."""
    field = lambda facet, value: bytes([NUMBERS[facet]]) + prefixed(value)
    for facet, convert in {"word-size": number, "identifier-size": number, "version-text": raw, "header-version": raw,
                           "time-stamp": number, "dump-times": numbers, "hash-randoms": numbers, "null-references":
                           number, "totals": lambda v: pick(v, "objects", "references")}.items():
        value, facet = head.get(facet.replace("-", "_")), facet.replace("totals", "header-totals")
        if value is not None and facet in wanted:
            yield None, {facet}, b"\3" + field(facet, convert(value))
    places, strings = {}, set()
    for line in lines:
        if line["kind"] in ("class", "object", "object-array", "primitive-array"):
            told = {facet: convert(value) for facet, value, convert in entry(line, wanted, names)
                    if value is not None and facet in wanted}
            body = b"".join(field(facet, told[facet]) for facet in sorted(told, key=NUMBERS.get))
            if told or "address" in wanted:
                yield line["address"], told.keys() | wanted & {"address"}, b"\1" + number(line["address"]) + body
            continue
        place = places[kind_of(line)] = places.get(kind_of(line), -1) + 1
        facet, value = other(line, number(place))
        if facet == "roots" and "roots" not in wanted:
            facet, value = "root-objects", text(line["root"])
        if facet in wanted and not (facet == "strings" and value in strings):
            strings |= {value} if facet == "strings" else set()
            at = line.get("object") if line["kind"] == "root" else None
            yield at, {facet}, (b"\3" if at is None else b"\2" + number(at)) + field(facet, value)

def digest(head, lines, wanted, names):
    """The facets told, and the sums of the 256 buckets and the surroundings."""
    log = [facet for facet in NUMBERS if NUMBERS["regions"] < NUMBERS[facet] < NUMBERS["root-objects"]]
    lists = dict(roots=["roots" if "roots" in wanted else "root-objects"], threads=["threads"], traces=["stack-traces"], regions=["regions"], events=log)
    told = {facet for key in lists if head.get(key) is not None for facet in lists[key]}
    told = wanted & (told | {{"every-16": "hash-16", "where-used-32": "hash-32"}.get(head.get("hashes"))})
    sums = [0] * 257
    for address, facets, record in records(head, lines, wanted, names):
        told |= facets
        bucket = 256 if address is None else (integer(address) * 0x9E3779B97F4A7C15 % 2**64) >> 56
        sums[bucket] = (sums[bucket] + int.from_bytes(hashlib.sha256(record).digest(), "big")) % 2**256
    return sorted(told), [f"{value:064x}" for value in [sum(sums) % 2**256, *sums]]

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("listings", nargs="*", default=["/dev/stdin"])
    parser.add_argument("--facets")
    parser.add_argument("--buckets", action="store_true")
    parser.add_argument("--by-facet", action="store_true")
    options = parser.parse_args()
    wanted = set(options.facets.split(",")) if options.facets else NUMBERS.keys() - {"reference-order", "string-text"} | {"address"}
    for listing in options.listings:
        with open(listing, encoding="utf-8") as file:
            print(json.dumps(answer_of(list(map(json.loads, file)), wanted, options)))

def answer_of(listing, wanted, options):
    head, *lines = listing
    names = {}
    for line in (line for line in lines if line["kind"] == "class"):
        address, name = integer(line["address"]), raw(line.get("name", ""))
        names[address] = min(name, names.get(address, name))
    told, (total, *buckets, surroundings) = digest(head, lines, wanted, names)
    answer = {"facets": told, "digest": total, "surroundings": surroundings}
    if options.by_facet:
        alone = {facet: digest(head, lines, {facet}, names) for facet in sorted(wanted)}
        answer["by_facet"] = {facet: sums[0] for facet, (told, sums) in alone.items() if told}
    return answer | ({"buckets": buckets} if options.buckets else {})

if __name__ == "__main__":
    main()
