#!/usr/bin/env python3
"""Structural measures of a heap dump.

    measure.py HEAPSMITH DUMP...

prints, for each dump, a JSON object of the measures that MEASURES lists. DUMP is whatever `heapsmith decode` reads, a recipe
too. What a format does not record has no key. Of a file with several heaps, the first one is measured.
"""

import bisect
import json
import struct
import subprocess
import sys
from collections import Counter, defaultdict

# Key, what it is, group. Shares are parts of one.
MEASURES = [
    ("objects-per-class", "objects for each class", "kinds"),
    ("instances", "share of instances among objects", "kinds"),
    ("object-arrays", "share of arrays of objects among objects", "kinds"),
    ("primitive-arrays", "share of primitive arrays among objects", "kinds"),
    ("instance-bytes", "share of instances among bytes", "kinds"),
    ("primitive-array-bytes", "share of primitive arrays among bytes", "kinds"),
    ("top-class", "share of the most frequent class among instances", "kinds"),
    ("unused-classes", "share of classes without an object", "kinds"),
    ("boxed", "share of boxed numbers among objects", "kinds"),
    ("collections", "share of instances of `java/util/` among objects", "kinds"),
    ("strings", "share of strings among objects", "strings"),
    ("equal-strings", "share of strings whose text another one has", "strings"),
    ("string-length-mean", "characters of a string, mean", "strings"),
    ("string-length-median", "characters of a string, median", "strings"),
    ("string-length-p95", "characters of a string, 95th percentile", "strings"),
    ("byte-arrays", "share of `byte[]` (`char[]` up to JDK 8) among primitive arrays", "arrays"),
    ("primitive-length-mean", "elements of a primitive array, mean", "arrays"),
    ("primitive-length-median", "elements of a primitive array, median", "arrays"),
    ("primitive-length-p95", "elements of a primitive array, 95th percentile", "arrays"),
    ("object-length-mean", "elements of an array of objects, mean", "arrays"),
    ("object-length-median", "elements of an array of objects, median", "arrays"),
    ("object-length-p95", "elements of an array of objects, 95th percentile", "arrays"),
    ("null-fields", "share of nulls among references in fields", "references"),
    ("null-elements", "share of nulls among elements", "references"),
    ("zero-values", "share of zeros among primitive fields", "references"),
    ("out-degree", "references that are not null, for each object", "references"),
    ("in-degree-max", "share of references that the most referred to has", "references"),
    ("in-degree-0", "share of objects that no field or element refers to", "references"),
    ("in-degree-1", "share of objects that exactly one refers to", "references"),
    ("near", "share of references to objects at most 16 objects away", "references"),
    ("within-1000", "share of references to objects at most 1,000 objects away", "references"),
    ("backwards", "share of references to lower addresses", "references"),
    ("to-classes", "share of references to class objects", "references"),
    ("dangling", "share of references to what is not in the dump", "references"),
    ("unreachable", "share of objects that no root reaches", "references"),
    ("depth-mean", "superclasses of a class, mean", "classes"),
    ("depth-max", "superclasses of a class, most", "classes"),
    ("fields", "instance fields that a class declares, mean", "classes"),
    ("statics", "static fields of a class, mean", "classes"),
    ("name-length", "bytes of a class's name, mean", "classes"),
    ("array-classes", "share of classes of arrays", "classes"),
    ("hidden-classes", "share of hidden classes", "classes"),
    ("resolved-references", "share of classes with the static `<resolved_references>`", "classes"),
    ("loaded-by-boot", "share of classes of the boot loader", "classes"),
    ("loads-per-class", "LOAD CLASS records for each class", "classes"),
    ("roots", "roots for 1,000 objects", "roots"),
    ("sticky-classes", "share of classes that are sticky roots", "roots"),
    ("jni-globals", "JNI globals for each thread", "roots"),
    ("java-frames", "roots in Java frames for each thread", "roots"),
    ("threads", "threads", "threads"),
    ("frames", "frames of a thread, mean", "threads"),
    ("frames-max", "frames of a thread, most", "threads"),
    ("line-numbers", "share of frames with a line number", "threads"),
    ("native-frames", "share of native frames", "threads"),
    ("next-median", "bytes from an object to the next one, median", "addresses"),
    ("next-p95", "bytes from an object to the next one, 95th percentile", "addresses"),
    ("ranges", "stretches of addresses that 1 MiB without objects parts", "addresses"),
    ("largest-range", "share of objects in the largest of them", "addresses"),
    ("segment-mean", "bytes of a segment, mean", "records"),
    ("segment-max", "bytes of a segment, most", "records"),
    ("unused-texts", "share of texts that nothing in the dump names", "records"),
    ("hashed", "share of objects with a hash", "records"),
]

SIZES = {"boolean": 1, "char": 2, "float": 4, "double": 8, "byte": 1, "short": 2, "int": 4, "long": 8}
BOXES = {f"java/lang/{name}" for name in "Boolean Byte Character Short Integer Long Float Double".split()}


def lines(heapsmith, dump):
    """The lines of the first heap's listing."""
    command = [heapsmith, "decode", dump]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        refused = False
        for line in child.stdout:
            yield json.loads(line)
        refused = child.wait() != 0
        if refused:
            raise SystemExit(f"{dump}: {child.stderr.read().decode()}")


def text(value):
    """A name, whatever its bytes are."""
    return value if isinstance(value, str) else value["bytes"] if value else ""


def of_java(name):
    """A class name in the form of the JVM, of whatever writer."""
    dimensions = 0
    while name.endswith("[]"):
        name, dimensions = name[:-2], dimensions + 1
    letters = {"boolean": "Z", "char": "C", "float": "F", "double": "D", "byte": "B", "short": "S", "int": "I", "long": "J"}
    if dimensions:
        return "[" * dimensions + letters.get(name, f"L{name.replace('.', '/')};")
    return name.replace(".", "/")


def mean(values):
    return sum(values) / len(values) if values else None


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else None


def share(part, whole):
    return part / whole if whole else None


def is_hidden(name):
    """HotSpot 11: A$$Lambda$1/0x0, 17: A$$Lambda$1+0x0, 21: A$$Lambda+0x0; OpenJ9 and Android have the first part."""
    return "$$Lambda" in name or "+0x" in name or "/0x" in name


class Heap:
    """What is kept of a listing."""

    def __init__(self, heapsmith, dump):
        self.classes, self.objects, self.roots, self.threads, self.traces = {}, [], [], [], {}
        self.texts, self.log_classes = Counter(), 0
        self.head = None
        for line in lines(heapsmith, dump):
            if "listing" in line:
                if self.head is not None:
                    break
                self.head = line
                continue
            kind = line["kind"]
            if kind == "class":
                self.classes[int(line["address"], 16)] = line
            elif kind == "root":
                self.roots.append(line)
            elif kind == "thread":
                self.threads.append(line)
            elif kind == "trace":
                self.traces[line["serial"]] = line
            elif kind == "event":
                self.log_classes += line["event"] == "load-class"
                if line["event"] == "text":
                    self.texts[text(line["text"])] += 1
            elif kind != "region":
                self.objects.append(line)
        self.names = {at: of_java(text(line.get("name"))) for at, line in self.classes.items()}


def measures(heapsmith, dump):
    heap = Heap(heapsmith, dump)
    found = {}
    found.update(of_kinds(heap))
    found.update(of_strings(heap))
    found.update(of_references(heap))
    found.update(of_classes(heap))
    found.update(of_roots(heap))
    found.update(of_addresses(heap))
    if heap.head["format"] == "hprof":
        found.update(of_records(heapsmith, dump, heap))
    else:
        for key in ("loads-per-class", "sticky-classes", "jni-globals", "java-frames", "threads", "roots"):
            found.pop(key, None)
    return {key: found[key] for key, _, _ in MEASURES if found.get(key) is not None}


def class_of(heap, line):
    """The class whose name an object counts under: of an array, that of the array where the dump tells it."""
    if line["kind"] == "object":
        return int(line["class"], 16)
    return int(line.get("array_class", "0x0"), 16) or None


def element_size(heap):
    return heap.head.get("identifier_size") or heap.head["word_size"] // 8


def size(heap, line):
    """Bytes: those that the dump tells, or a header of 16 and the contents as they are recorded."""
    if line["kind"] == "object":
        cls = heap.classes.get(int(line["class"], 16), {})
        if "size" in line:
            return line["size"]
        return (16 if heap.head["format"] == "hprof" else 0) + cls.get("instance_size", 0)
    if "size" in line:
        return line["size"]
    width = SIZES[line["element"]] if line["kind"] == "primitive-array" else element_size(heap)
    return 16 + width * line.get("length", 0)


def of_kinds(heap):
    objects, count = heap.objects, len(heap.objects)
    kinds = Counter(line["kind"] for line in objects)
    sizes = Counter()
    for line in objects:
        sizes[line["kind"]] += size(heap, line)
    total = sum(sizes.values())
    by_class = Counter(int(line["class"], 16) for line in objects if line["kind"] == "object")
    by_name = Counter()
    for at, number in by_class.items():
        by_name[heap.names.get(at, "")] += number
    used = set(by_class)
    arrays = {int(line["array_class"], 16) for line in objects if "array_class" in line}
    elements = {line["element"] for line in objects if line["kind"] == "primitive-array"}
    primitive = {f"[{dict(boolean='Z', char='C', float='F', double='D', byte='B', short='S', int='I', long='J')[e]}" for e in elements}
    # PHD's class word may be that of the elements, so that nothing says which classes of arrays have objects.
    is_phd = heap.head["format"] != "hprof"
    judged = [at for at, name in heap.names.items() if not (is_phd and name.startswith("["))]
    unused = [at for at in judged if at not in used and at not in arrays and heap.names[at] not in primitive]
    primitives = [line for line in objects if line["kind"] == "primitive-array"]
    of_objects = [line["length"] for line in objects if line["kind"] == "object-array" and "length" in line]
    texts = "byte" if any(line["element"] == "byte" for line in primitives) else "char"
    if sum(line["element"] == "char" for line in primitives) > sum(line["element"] == "byte" for line in primitives):
        texts = "char"
    lengths = [line["length"] for line in primitives]
    return {
        "objects-per-class": share(count, len(heap.classes)),
        "instances": share(kinds["object"], count),
        "object-arrays": share(kinds["object-array"], count),
        "primitive-arrays": share(kinds["primitive-array"], count),
        "instance-bytes": share(sizes["object"], total),
        "primitive-array-bytes": share(sizes["primitive-array"], total),
        "top-class": share(max(by_name.values()), kinds["object"]),
        "unused-classes": share(len(unused), len(judged)),
        "boxed": share(sum(by_name[name] for name in BOXES), count),
        "collections": share(sum(n for name, n in by_name.items() if name.startswith("java/util/")), count),
        "strings": share(by_name["java/lang/String"], count),
        "byte-arrays": share(sum(line["element"] == texts for line in primitives), len(primitives)),
        "primitive-length-mean": mean(lengths),
        "primitive-length-median": quantile(lengths, 0.5),
        "primitive-length-p95": quantile(lengths, 0.95),
        "object-length-mean": mean(of_objects),
        "object-length-median": quantile(of_objects, 0.5),
        "object-length-p95": quantile(of_objects, 0.95),
        "hashed": share(sum("hash32" in line for line in objects), count)
        if heap.head.get("hashes") == "where-used-32" else None,
    }


def layouts(heap):
    """By class, the names and types of an instance's fields, as their values stand."""
    known = {}

    def of(at):
        if at not in known:
            cls = heap.classes.get(at)
            known[at] = [] if cls is None else [*((text(f["name"]), f["type"]) for f in cls.get("fields", [])), *of(int(cls.get("super", "0x0"), 16))]
        return known[at]

    return {at: of(at) for at in heap.classes}


def of_strings(heap):
    string = [at for at, name in heap.names.items() if name == "java/lang/String"]
    if heap.head["format"] != "hprof" or not string:
        return {}
    layout = [name for name, _ in layouts(heap)[string[0]]]
    value = layout.index("value")
    slices = (layout.index("offset"), layout.index("count")) if "offset" in layout else None
    arrays = {int(line["address"], 16): line for line in heap.objects if line["kind"] == "primitive-array"}
    texts = Counter()
    for line in heap.objects:
        if line["kind"] == "object" and int(line["class"], 16) == string[0] and "values" in line:
            array = arrays.get(int(line["values"][value][1], 16))
            if array is None or "contents" not in array:
                continue
            width = 2 * SIZES[array["element"]]
            held = array["contents"]
            # A string of JDK 11 and later with two bytes a character.
            coder = layout.index("coder") if "coder" in layout else None
            wide = coder is not None and int(line["values"][coder][1], 16) == 1
            if slices:
                offset, count = (int(line["values"][at][1], 16) for at in slices)
                held = held[offset * width:(offset + count) * width]
            texts[(held, len(held) // width // (2 if wide else 1))] += 1
    lengths = [length for (_, length), number in texts.items() for _ in range(number)]
    return {
        "equal-strings": share(sum(number for number in texts.values() if number > 1), len(lengths)),
        "string-length-mean": mean(lengths),
        "string-length-median": quantile(lengths, 0.5),
        "string-length-p95": quantile(lengths, 0.95),
    }


def of_references(heap):
    addresses = sorted(int(line["address"], 16) for line in heap.objects)
    rank = {at: place for place, at in enumerate(addresses)}
    fields, null_fields, elements, null_elements, values, zeros = 0, 0, 0, 0, 0, 0
    incoming, edges = Counter(), defaultdict(list)
    distances, backwards, to_classes, dangling, total = [], 0, 0, 0, 0
    for line in heap.objects:
        at = int(line["address"], 16)
        refs = []
        for kind, bits in line.get("values", ()):
            number = int(bits, 16)
            if kind == "object":
                fields, null_fields = fields + 1, null_fields + (number == 0)
                refs.append(number)
            else:
                values, zeros = values + 1, zeros + (number == 0)
        for bits in line.get("elements", ()):
            number = int(bits, 16)
            elements, null_elements = elements + 1, null_elements + (number == 0)
            refs.append(number)
        refs += (int(bits, 16) for bits in line.get("refs", ()))
        for to in refs:
            if to == 0:
                continue
            total += 1
            incoming[to] += 1
            edges[at].append(to)
            if to in rank:
                distances.append(abs(rank[to] - rank[at]))
                backwards += to < at
            elif to in heap.classes:
                to_classes += 1
            else:
                dangling += 1
    degrees = Counter(min(incoming.get(at, 0), 2) for at in addresses)
    count = len(addresses)
    found = {
        "null-fields": share(null_fields, fields),
        "null-elements": share(null_elements, elements),
        "zero-values": share(zeros, values),
        "out-degree": share(total, count),
        "in-degree-max": share(max(incoming.values(), default=0), total),
        "in-degree-0": share(degrees[0], count),
        "in-degree-1": share(degrees[1], count),
        "near": share(sum(d <= 16 for d in distances), len(distances)),
        "within-1000": share(sum(d <= 1000 for d in distances), len(distances)),
        "backwards": share(backwards, len(distances)),
        "to-classes": share(to_classes, total),
        "dangling": share(dangling, total),
    }
    if heap.roots:
        found["unreachable"] = share(count - reached(heap, rank, edges), count)
    return found


def of_class(line):
    """What a class refers to."""
    for static in line.get("statics", ()):
        if static["type"] == "object":
            yield int(static["value"], 16)
    for key in ("super", "loader", "signers", "protection_domain"):
        yield int(line.get(key, "0x0"), 16)
    for entry in line.get("constant_pool", ()):
        if entry["type"] == "object":
            yield int(entry["value"], 16)


def reached(heap, rank, edges):
    """How many objects roots reach, an object's class and a class's statics, superclass and loader with it."""
    for at, line in heap.classes.items():
        edges[at] = list(of_class(line))
    classes = {}
    for line in heap.objects:
        at = line.get("class") or line.get("array_class")
        if at:
            classes[int(line["address"], 16)] = int(at, 16)
    seen, stack = set(), [int(root["object"], 16) for root in heap.roots]
    while stack:
        at = stack.pop()
        if at in seen or at not in rank and at not in heap.classes:
            continue
        seen.add(at)
        stack.extend(edges.get(at, ()))
        if at in classes:
            stack.append(classes[at])
    return sum(at in rank for at in seen)


def of_classes(heap):
    depths = []
    for at in heap.classes:
        depth, above = 0, int(heap.classes[at].get("super", "0x0"), 16)
        while above in heap.classes and depth < 1000:
            depth, above = depth + 1, int(heap.classes[above].get("super", "0x0"), 16)
        depths.append(depth)
    count, names = len(heap.classes), list(heap.names.values())
    is_hprof = heap.head["format"] == "hprof"
    statics = [len(line.get("statics", ())) for line in heap.classes.values()]
    resolved = sum(any(s["name"] == "<resolved_references>" for s in line.get("statics", ())) for line in heap.classes.values())
    boot = sum(int(line.get("loader", "0x0"), 16) == 0 for line in heap.classes.values())
    found = {
        "depth-mean": mean(depths),
        "depth-max": max(depths, default=None),
        "name-length": mean([len(name.encode()) for name in names]),
        "array-classes": share(sum(name.startswith("[") for name in names), count),
        "hidden-classes": share(sum(map(is_hidden, names)), count),
    }
    if is_hprof:
        found["fields"] = mean([len(line.get("fields", ())) for line in heap.classes.values()])
        found["statics"] = mean(statics)
        found["resolved-references"] = share(resolved, count)
        found["loaded-by-boot"] = share(boot, count)
        found["loads-per-class"] = share(heap.log_classes, count)
    return found


def of_roots(heap):
    kinds = Counter(root["root"] for root in heap.roots)
    threads = len(heap.threads)
    frames = [trace["frames"] for trace in (heap.traces.get(t.get("trace")) for t in heap.threads) if trace]
    every = [frame for stack in frames for frame in stack]
    depths = [len(stack) for stack in frames]
    return {
        "roots": share(1000 * len(heap.roots), len(heap.objects)),
        "sticky-classes": share(kinds["sticky-class"], len(heap.classes)),
        "jni-globals": share(kinds["jni-global"], threads),
        "java-frames": share(kinds["java-frame"], threads),
        "threads": threads,
        "frames": mean(depths),
        "frames-max": max(depths, default=None),
        "line-numbers": share(sum(frame["line"] > 0 for frame in every), len(every)),
        "native-frames": share(sum(frame["line"] == -3 for frame in every), len(every)),
    }


def of_addresses(heap):
    objects = sorted(int(line["address"], 16) for line in heap.objects)
    all_of_them = sorted([*objects, *heap.classes])
    gaps = [after - before for before, after in zip(all_of_them, all_of_them[1:])]
    cuts = [0, *(place + 1 for place, gap in enumerate(gaps) if gap > 1 << 20), len(all_of_them)]
    ranges = [(all_of_them[first], all_of_them[last - 1]) for first, last in zip(cuts, cuts[1:])]
    held = [bisect.bisect_right(objects, last) - bisect.bisect_left(objects, first) for first, last in ranges]
    return {
        "next-median": quantile(gaps, 0.5),
        "next-p95": quantile(gaps, 0.95),
        "ranges": len(ranges),
        "largest-range": share(max(held), len(objects)),
    }


def of_records(heapsmith, dump, heap):
    """Records of the first level, read here: lengths of segments, and texts that nothing names."""
    with subprocess.Popen([heapsmith, "rewrite", "--through", "records", dump, "-o", "-"], stdout=subprocess.PIPE) as child:
        data = child.stdout.read()
    at = data.index(b"\0") + 13
    segments = []
    while at < len(data):
        tag, _, length = struct.unpack_from(">BII", data, at)
        if tag in (0x0C, 0x1C):
            segments.append(length)
        at += 9 + length
    used = {text(line.get("name")) for line in heap.classes.values()}
    for line in heap.classes.values():
        used.update(text(f["name"]) for f in [*line.get("fields", ()), *line.get("statics", ())])
    for trace in heap.traces.values():
        for frame in trace["frames"]:
            used.update(text(frame.get(key)) for key in ("method", "signature", "source"))
    unused = sum(number for name, number in heap.texts.items() if name not in used)
    return {
        "segment-mean": mean(segments),
        "segment-max": max(segments, default=None),
        "unused-texts": share(unused, sum(heap.texts.values())),
    }


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    for dump in sys.argv[2:]:
        print(json.dumps({"dump": dump, "measures": measures(sys.argv[1], dump)}))
