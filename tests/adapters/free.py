"""A full adapter with freedoms of right libraries: `free.py [phd|classic] FREEDOM... [verdict] [undeclared] [wrong=MISTAKE]
[print=PATH]`. Without a format it is that for HPROF; with a path it prints the listing of that dump.

A freedom changes what the listing says, or what the decoder reads, and declares that in its answer to hello. A mistake is made
after that: it is wrong whatever is declared.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/adapters/full"))
import classic
import hprof
import phd
from protocol import Refusal, decompressed, serve

words = sys.argv[1:]
sys.argv = sys.argv[:1]
PLACEHOLDER = "<not known to this library>"


def of(lines, *kinds):
    return [line for line in lines if line.get("kind") in kinds]


def unordered_statics(lines):
    for line in of(lines, "class"):
        line["statics"].reverse()


def named_statics(lines):
    for line in of(lines, "class"):
        line["statics"] = list({json.dumps(field["name"]): field for field in line["statics"]}.values())[::-1]


def unordered_fields(lines):
    classes = {line["address"]: line for line in of(lines, "class")}
    if len(classes) < len(of(lines, "class")):
        return
    for line in of(lines, "object"):
        values, left, owner = line.get("values", []), [], line["class"]
        while values:
            count = len(classes[owner]["fields"])
            left += values[:count][::-1]
            values, owner = values[count:], classes[owner]["super"]
        if "values" in line:
            line["values"] = left
    for line in classes.values():
        line["fields"].reverse()


def placeholders(lines):
    for line in of(lines, "class"):
        line["name"] = line.get("name") or PLACEHOLDER + line["address"]
        for field in line.get("fields", []) + line.get("statics", []):
            field["name"] = field["name"] or PLACEHOLDER
    for line in lines:
        if "class_name" in line:
            line["class_name"] = line["class_name"] or PLACEHOLDER
    for line in of(lines, "thread"):
        line.setdefault("name", PLACEHOLDER)
    for line in of(lines, "region"):
        line["name"] = line["name"] or PLACEHOLDER
    for line in of(lines, "trace"):
        for frame in line["frames"]:
            for key in ("method", "signature", "source"):
                frame[key] = frame.get(key) or PLACEHOLDER


def changed_floats(lines, change):
    """Changes the bits of each float and double."""
    for line in lines:
        for value in line.get("values", []):
            if value[0] in ("float", "double"):
                value[1] = hex(change(int(value[1], 16), 4 if value[0] == "float" else 8))
        for field in line.get("statics", []) + line.get("constant_pool", []):
            if field["type"] in ("float", "double"):
                field["value"] = hex(change(int(field["value"], 16), 4 if field["type"] == "float" else 8))
        if line.get("element") in ("float", "double") and "contents" in line:
            width = 4 if line["element"] == "float" else 8
            data = bytes.fromhex(line["contents"])
            parts = [int.from_bytes(data[at:at + width], "big") for at in range(0, len(data), width)]
            line["contents"] = b"".join(change(part, width).to_bytes(width, "big") for part in parts).hex()


def is_nan(bits, width):
    exponent, fraction = (0x7F800000, 0x7FFFFF) if width == 4 else (0x7FF << 52, (1 << 52) - 1)
    return bits & exponent == exponent and bits & fraction != 0


def quiet(bits, width):
    return bits | (1 << 22 if width == 4 else 1 << 51) if is_nan(bits, width) else bits


def canonical(bits, width):
    return (0x7FC00000 if width == 4 else 0x7FF8 << 48) if is_nan(bits, width) else bits


def root_key(line, *keys):
    return tuple(line.get(key) for key in keys)


def one_root_for(*keys):
    def change(lines):
        # The last counts, as in a table that is filled in the order of the file.
        last = {root_key(line, *keys): line for line in of(lines, "root")}
        keep(lines, lambda line: line["kind"] != "root" or last[root_key(line, *keys)] is line)
    return change


def keep(lines, is_kept):
    lines[1:] = [line for line in lines[1:] if is_kept(line)]
    if "roots" in lines[0]:
        lines[0]["roots"] = len(of(lines, "root"))


def there(lines):
    return {line["address"] for line in of(lines, "class", "object", "object-array", "primitive-array")}


def without_null_roots(lines):
    keep(lines, lambda line: line["kind"] != "root" or line["object"] != "0x0")


def without_dangling_roots(lines):
    known = there(lines)
    keep(lines, lambda line: line["kind"] != "root" or line["object"] in known)


def without_dangling(lines):
    known = there(lines)
    null = lambda address: address if address in known else "0x0"
    for line in lines[1:]:
        if line["kind"] == "class":
            for key in ("super", "loader", "signers", "protection_domain"):
                if key in line:
                    line[key] = null(line[key])
            for field in line.get("statics", []):
                field["value"] = null(field["value"]) if field["type"] == "object" else field["value"]
        elif line["kind"] == "object":
            line["class"] = line["class"] if line.get("class") in known else None
            for value in line.get("values", []):
                value[1] = null(value[1]) if value[0] == "object" else value[1]
        elif line["kind"] == "object-array":
            if "elements" in line:
                line["elements"] = [null(address) for address in line["elements"]]
            if line.get("array_class") not in known:
                line.pop("array_class", None)
        if "refs" in line:
            line["refs"] = [null(address) for address in line["refs"]]


def a_null_object(lines):
    if "0x0" not in there(lines):
        lines.append({"kind": "object", "address": "0x0", "record": 1 << 40, "class": "0x0", "refs": []})


def made_up_classes(lines):
    """Classes for the objects that have none in the dump, at an address of the dump's or one of the library's own."""
    known, named = there(lines), {json.dumps(line["name"]) for line in of(lines, "class")}
    for line in of(lines, "object", "object-array", "primitive-array"):
        name = line.get("class_name", PLACEHOLDER)
        address = hex(1 << 60 | len(lines) << 4) if "class_name" in line else line.get("class", "0x0")
        is_there = json.dumps(name) in named if "class_name" in line else address in known or address == "0x0"
        if not is_there:
            number = 1 << 41 | len(lines)
            lines.append({"kind": "class", "address": address, "record": number, "name": name, "refs": []})
            known.add(address)
            named.add(json.dumps(name))


def changed_names(lines, change):
    lines[0].update({key: change(lines[0][key]) for key in ("version_text",) if key in lines[0]})
    for line in lines:
        line.update({key: change(line[key]) for key in ("name", "class_name") if line.get(key)})


def java_name(name):
    """A name as Java's source has it, whether it is text or bytes."""
    if isinstance(name, dict):
        return {"bytes": java_name(bytes.fromhex(name["bytes"]).decode("latin-1")).encode("latin-1").hex()}
    element = name.lstrip("[")
    dimensions = len(name) - len(element)
    if not dimensions:
        return name.replace("/", ".")
    if element[:1] == "L" and element[-1:] == ";":
        return element[1:-1].replace("/", ".") + "[]" * dimensions
    return classic.ELEMENTS[element] + "[]" * dimensions if element in classic.ELEMENTS else name


def java_names(lines):
    for line in lines:
        line.update({key: java_name(line[key]) for key in ("name", "class_name") if line.get(key)})


def text_names(lines):
    def text(name):
        if isinstance(name, dict):
            return bytes.fromhex(name["bytes"]).decode("utf-8", "replace")
        return name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    changed_names(lines, text)


def opaque(lines):
    """Numbers of the library's own in the place of addresses."""
    numbers = {"0x0": "0x0"}
    number = lambda address: numbers.setdefault(address, hex(0x10000 + 8 * len(numbers) * 7919 % (1 << 30)))
    for line in lines[1:]:
        for key in ("address", "super", "class", "array_class"):
            if line.get(key):
                line[key] = number(line[key])
        if "refs" in line:
            line["refs"] = [number(address) for address in line["refs"]]


def a_boot_loader(lines):
    if "0x0" not in there(lines):
        lines.append({"kind": "object", "address": "0x0", "record": 1 << 40, "class": "0x0", "trace": 0, "values": []})
    if not any(line["object"] == "0x0" for line in of(lines, "root")):
        lines.append({"kind": "root", "root": "sticky-class", "object": "0x0", "after": 0})
        lines[0]["roots"] += 1


def roots_alone(lines):
    for line in of(lines, "root"):
        line.update({key: 0 for key in ("reference", "thread", "frame", "trace") if key in line and key != "reference"})
        line.update({"reference": "0x0"} if "reference" in line else {})


SKIPPED = {0x03: "unload-class", 0x05: "stack-trace", 0x06: "alloc-sites", 0x07: "heap-summary", 0x0B: "end-thread", 0x0D: "cpu-samples",
           0x0E: "control-settings"}


def skipping(log_record=hprof.Dump.log_record):
    def skip(dump, body, tag, time):
        return {"event": "skipped", "time": time} if tag in SKIPPED else log_record(dump, body, tag, time)
    hprof.Dump.log_record = skip


def without_skipped(lines):
    keep(lines, lambda line: line["kind"] != "event" or line["event"] == "text")
    lines[0]["events"] = len(of(lines, "event"))


def no_android(sub_record=hprof.Dump.sub_record):
    def refuse(dump, heap, body):
        if dump.data[body.at] > 0x80 and dump.data[body.at] != 0xFF:
            raise Refusal("a sub-record with an unknown tag", body.at)
        sub_record(dump, heap, body)
    hprof.Dump.sub_record = refuse


def no_small_identifiers(header=hprof.Dump.header):
    def refuse(dump):
        header(dump)
        if dump.id_size not in (4, 8):
            raise Refusal("identifiers of 4 or 8 bytes are read", 19)
    hprof.Dump.header = refuse


LOG = {"events", "stack-traces", "unloads", "allocation-sites", "heap-summaries", "cpu-samples", "control-settings", "unknown-records"}

# What has no meaning for dumps of another format.
OF_HPROF = {"booleans": "0/1", "nans": "any", "leaves_out": ["dangling-roots"], "roots": "one-per-object", "statics": "by-name",
            "fields": "any-order", "identifier_sizes": [1], "android": "skipped", "skips": list(SKIPPED.values())}

# What is declared, what becomes of the lines, what becomes of the decoder, and the facets that are not reported.
FREEDOMS = {
    "unordered-statics": ({"statics": "any-order"}, unordered_statics),
    "named-statics": ({"statics": "by-name"}, named_statics),
    "unordered-fields": ({"fields": "any-order"}, unordered_fields),
    "placeholders": ({"unnamed": "placeholder"}, placeholders),
    "quiet-nans": ({"nans": "quiet"}, lambda lines: changed_floats(lines, quiet)),
    "any-nans": ({"nans": "any"}, lambda lines: changed_floats(lines, canonical)),
    "roots-once": ({"roots": "once"}, one_root_for("root", "object", "reference", "thread", "frame", "trace")),
    "root-of-a-kind": ({"roots": "one-per-kind"}, one_root_for("root", "object")),
    "root-of-an-object": ({"roots": "one-per-object"}, one_root_for("object")),
    "null-roots": ({"leaves_out": ["null-roots"]}, without_null_roots),
    "dangling-roots": ({"leaves_out": ["dangling-roots"]}, without_dangling_roots),
    "dangling": ({"dangling": "null"}, without_dangling),
    "boot-loader": ({"makes_up": ["null-objects", "null-roots"]}, a_boot_loader),
    "root-objects": ({}, roots_alone),
    "null-object": ({"makes_up": ["null-objects"]}, a_null_object),
    "classes": ({"makes_up": ["classes"]}, made_up_classes),
    "java-names": ({"class_names": "java"}, java_names),
    "text-names": ({"names": "text"}, text_names),
    "opaque": ({"identifies": "opaque"}, opaque),
    "of-hprof": (OF_HPROF, lambda lines: None),
    "no-android": ({"android": "skipped"}, no_android),
    "no-small-identifiers": ({"identifier_sizes": [4, 8]}, no_small_identifiers),
    "skips": ({"skips": list(SKIPPED.values())}, without_skipped, skipping)}


def first(lines, kind, is_it=lambda line: True):
    return next((line for line in of(lines, kind) if is_it(line)), {})


def wrong_static(lines):
    for field in first(lines, "class", lambda line: line["statics"]).get("statics", [])[:1]:
        field["value"] = hex(int(field["value"], 16) ^ 1)


def wrong_value(lines):
    for value in first(lines, "object", lambda line: line.get("values")).get("values", [])[:1]:
        value[1] = hex(int(value[1], 16) ^ 1)


def signless_nans(lines):
    changed_floats(lines, lambda bits, width: bits & ~(1 << 8 * width - 1) if is_nan(bits, width) else bits)


def zero_nans(lines):
    changed_floats(lines, lambda bits, width: 0 if is_nan(bits, width) else bits)


def unnamed_class(lines):
    named = [line for line in of(lines, "class") if line.get("name") and "bytes" not in line["name"]]
    for line in named[:1]:
        line["name"] = PLACEHOLDER


def stale_names(lines):
    """A class without a name gets that of another one."""
    named = first(lines, "class", lambda line: not str(line.get("name", PLACEHOLDER)).startswith(PLACEHOLDER))
    for line in of(lines, "class"):
        if str(line.get("name", PLACEHOLDER)).startswith(PLACEHOLDER) and named:
            line["name"] = named["name"]


def lost_object_of_roots(lines):
    lost = first(lines, "root", lambda line: line["object"] != "0x0").get("object")
    keep(lines, lambda line: line["kind"] != "root" or line["object"] != lost)


def other_kind_of_root(lines):
    for line in of(lines, "root"):
        if line["root"] == "sticky-class":
            line["root"] = "monitor-used"


def one_root_more(lines):
    objects = of(lines, "object")[:1]
    lines += [{"kind": "root", "root": "monitor-used", "object": line["address"], "after": 0} for line in objects]
    lines[0]["roots"] += len(objects)


def classless(lines):
    for line in of(lines, "object"):
        line["class"] = None


def lost_object(lines):
    lost = of(lines, "object", "class")[-1:]
    keep(lines, lambda line: line not in lost)


def other_reference(lines):
    """A reference to an object becomes one to another object."""
    known = sorted(there(lines) - {"0x0"})
    for line in [line for line in lines if set(line.get("refs", [])) & set(known)][:1]:
        place = next(place for place, to in enumerate(line["refs"]) if to in known)
        line["refs"][place] = next(to for to in known if to != line["refs"][place])


def uncounted(lines):
    """The mistake of an adapter: its head says of nothing how many there are."""
    for key in ("roots", "threads", "traces", "regions", "events"):
        lines[0].pop(key, None)


def surrogates(lines):
    """Another one: names that are no text are written as if they were."""
    for line in lines:
        for named in [line, *line.get("fields", []), *line.get("statics", [])]:
            if isinstance(named.get("name"), dict):
                named["name"] = "a\ud800"


def null_types(lines):
    """And another: a field without a name has no type either."""
    for line in of(lines, "class"):
        for field in line.get("fields", []) + line.get("statics", []):
            if not field["name"]:
                field["type"] = None


MISTAKES = {name: change for name, change in globals().items() if callable(change)}

formats = {"phd": phd, "classic": classic}
adapter = formats.get(words[0], hprof)
words = words[words[0] in formats:]
chosen = [word for word in words if word in FREEDOMS]
mistakes = [MISTAKES[word.removeprefix("wrong=")] for word in words if word.startswith("wrong=")]
others = [word for word in words if word in ("undeclared", "verdict") or word.startswith("print=")]
if len(chosen) + len(mistakes) + len(others) != len(words):
    sys.exit(f"expected freedoms among {', '.join(FREEDOMS)}; found {words}")
hello = dict(adapter.HELLO)
if "root-objects" in chosen:
    hello["facets"] = [facet for facet in hello["facets"] if facet not in ("roots", "root-order")] + ["root-objects"]
if "verdict" in words:
    hello["levels"] = ["verdict"]
if "skips" in chosen:
    hello["facets"] = [facet for facet in hello["facets"] if facet not in LOG]
for name in chosen:
    declared, change, *more = FREEDOMS[name]
    if "undeclared" not in words:
        for key, value in declared.items():
            hello[key] = hello.get(key, []) + value if isinstance(value, list) else value
    if change in (no_android, no_small_identifiers):
        change()
    for more in more:
        more()


LISTINGS = {
    hprof: lambda data, heap, readings: hprof.listing(hprof.Dump(data, readings), heap),
    phd: lambda data, _, readings: phd.listing(phd.Dump(data, readings)),
    classic: lambda data, _, readings: classic.listing(classic.Dump(data, readings), readings)}


def parse(data, heap, readings):
    lines = LISTINGS[adapter](data, heap, readings)
    for name in chosen:
        if FREEDOMS[name][1] not in (no_android, no_small_identifiers):
            FREEDOMS[name][1](lines)
    for mistake in mistakes:
        mistake(lines)
    return {} if "verdict" in words else lines


path = [word.removeprefix("print=") for word in words if word.startswith("print=")]
if path:
    lines = parse(decompressed(pathlib.Path(path[0]).read_bytes()), None, adapter.READINGS)
    print("\n".join(map(json.dumps, lines)))
else:
    serve(hello, adapter.READINGS, parse)
