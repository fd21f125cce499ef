#!/usr/bin/env python3
"""An analyser over the full adapter for HPROF: what roots reach, who dominates whom, what is retained.

It was written from specs/answers.md alone. Dominators are found as in Cooper, Harvey, Kennedy, "A simple, fast dominance
algorithm" (2001): in the order of a walk depth first, turned round, each entry's dominator is the nearest common one of
all that refer to it, until nothing changes. That is slow for large graphs, and simple.

Words of the command line choose conventions and readings: `hprof_answers.py answers.referents=counted`.
"""
import hprof
from protocol import serve, text_of

HELLO = {
    "name": "analyser over the full adapter for HPROF", "version": "1", "language": "Python", "reads": ["hprof"],
    "levels": ["verdict", "counts", "answers"], "heaps": True, "counts": ["histogram", "histogram-bytes"],
    "answers": ["reachability", "distances", "dominators", "retained-entries", "retained", "sizes", "paths"]}

# What is left to an analyser, with the default (specs/adapter.md, Readings).
CONVENTIONS = {"answers.referents": "left-out", "answers.class-of-object": "counted", "answers.thread-locals": "roots",
               "answers.references-of-class": "all", "answers.class-of-class": "left-out",
               "answers.class-roots": "recorded", "answers.class-objects": "entries"}

# Names of arrays in the form of the virtual machine.
ARRAYS = {"boolean": b"Z", "char": b"C", "float": b"F", "double": b"D", "byte": b"B", "short": b"S", "int": b"I",
          "long": b"J"}
LOCALS = ("jni-local", "java-frame", "native-stack", "thread-block", "jni-monitor")  # roots of a thread


class Graph:
    """The entries of a heap by address, and the addresses to which each refers."""

    def __init__(self, dump, heap, items):
        self.dump = dump
        self.classes, self.entries = {}, {}
        for item in items:
            if item["kind"] == "class":
                self.classes.setdefault(item["address"], item)
        for item in items:
            is_first = item["address"] not in self.entries
            if item["kind"] != "class" and is_first:
                self.entries[item["address"]] = item
        has_classes = dump.readings["answers.class-objects"] == "entries"
        for address, item in self.classes.items() if has_classes else ():
            self.entries.setdefault(address, item)  # an object of the same address comes first
        self.roots = self.kept(heap)
        if not has_classes:
            held = (bits for item in items if item["kind"] == "class" for _, kind, bits in item["statics"] if kind == "object")
            self.roots = list(dict.fromkeys([*self.roots, *(bits for bits in held if bits and bits in self.entries)]))
        self.references = {address: self.of_entry(item) for address, item in self.entries.items()}
        self.add_locals(heap)

    def kept(self, heap):
        """The entries that roots keep, each once."""
        threads = self.threads(heap)
        kept = {}
        for _, kind, fields in heap.roots:
            if kind == "unreachable" or kind in LOCALS and fields["thread"] in threads:
                continue
            if fields["object"] in self.entries:
                kept[fields["object"]] = True
        if self.dump.readings["answers.class-roots"] == "boot-loader":
            has_sticky = any(kind == "sticky-class" for _, kind, _ in heap.roots)
            boot = (address for address, item in self.classes.items() if self.of_boot(item, has_sticky))
            kept.update((address, True) for address in boot if address in self.entries)
        return list(kept)

    def of_boot(self, item, has_sticky):
        """Whether a class is a root although none is recorded."""
        name = self.dump.texts.get(self.dump.names.get(item["address"]) or None, b"")
        is_array = name.startswith(b"[") or name.endswith(b"[]")
        is_of_primitives = name[1:] in ARRAYS.values() if name.startswith(b"[") else name[:-2].decode("latin-1") in ARRAYS
        return not item["loader"] and (is_array and is_of_primitives or not is_array and not has_sticky)

    def threads(self, heap):
        """The objects of threads by serial number, the first of each, where they hold their locals."""
        threads = {}
        if self.dump.readings["answers.thread-locals"] == "of-thread":
            for _, kind, fields in heap.roots:
                if kind == "thread-object" and fields["object"] in self.entries:
                    threads.setdefault(fields["thread"], fields["object"])
        return threads

    def add_locals(self, heap):
        threads = self.threads(heap)
        for _, kind, fields in heap.roots:
            if kind in LOCALS and fields["thread"] in threads and fields["object"] in self.entries:
                self.references[threads[fields["thread"]]].append(fields["object"])

    def of_entry(self, item):
        """The entries to which one refers, each as often as it does."""
        if item["kind"] == "class":
            found = self.of_class(item)
        elif item["kind"] == "object":
            found = self.of_instance(item)
        elif item["kind"] == "object-array":
            found = list(item["elements"])
        else:
            found = []
        of_object = self.dump.readings["answers.class-of-object"]
        if of_object == "counted" or of_object == "of-instances" and item["kind"] == "object":
            found.append(item.get("class" if item["kind"] == "object" else "array_class", 0))
        return [address for address in found if address in self.entries and address]

    def of_class(self, item):
        """The references of a class."""
        which = self.dump.readings["answers.references-of-class"]
        found = [item[key] for key in ("super", "loader", "signers", "protection_domain")]
        if which != "all":
            found = [item["loader"]] + [item["super"]] * (which == "superclass-loader-statics")
        found += [bits for _, kind, bits in item["statics"] if kind == "object"]
        if which == "all":
            found += [bits for _, kind, bits in item["constant_pool"] if kind == "object"]
        if self.dump.readings["answers.class-of-class"] == "counted":
            found.append(self.class_named([b"java/lang/Class", b"java.lang.Class"]))
        return found

    def class_named(self, names):
        """The address of the first class that has one of these names."""
        of_names = (address for address in self.classes if self.dump.texts.get(self.dump.names.get(address)) in names)
        return next(of_names, 0)

    def of_instance(self, item):
        """The references in the fields of an instance, but for the referent."""
        line = hprof.field_values(self.dump, self.classes, item)
        if "raw" in line:
            return []
        values, owner, found, at = line["values"], item["class"], [], 0
        while owner in self.classes:
            for name, _ in self.classes[owner]["fields"]:
                kind, bits = values[at]
                at += 1
                is_reference = kind == "object" and not self.is_referent(owner, name)
                if is_reference:
                    found.append(int(bits, 16))
            owner = self.classes[owner]["super"]
        return found

    def is_referent(self, owner, name):
        if self.dump.readings["answers.referents"] == "counted":
            return False
        of_class = self.dump.texts.get(self.dump.names.get(owner), b"").replace(b".", b"/")
        return of_class == b"java/lang/ref/Reference" and self.dump.texts.get(name) == b"referent"

    def size(self, item):
        """The bytes of an entry, as the dump records them; None where it does not."""
        if item["kind"] == "class":
            return None
        if item["kind"] == "object":
            owner = self.classes.get(item["class"])
            return owner["instance_size"] if owner else None
        if item["kind"] == "object-array":
            return item["length"] * self.dump.id_size
        return item["length"] * int(hprof.TYPES[item["code"]][1])


def answers(graph):
    """The lines of an answer, one for each entry."""
    distances, before = nearest(graph)
    order = postorder(graph)
    dominators = dominated(graph, order)
    sizes = {address: graph.size(item) for address, item in graph.entries.items()}
    entries = {address: 1 for address in order}
    retained = {address: sizes[address] or 0 for address in order}
    # An entry is left before its dominator.
    for address in order:
        above = dominators[address]
        if above is not None:
            entries[above] += entries[address]
            retained[above] += retained[address]
    for address in graph.entries:
        line = {"address": hex(address), "reachable": address in distances}
        if sizes[address] is not None:
            line["bytes"] = sizes[address]
        if address in distances:
            line.update(
                distance=distances[address], path=[hex(step) for step in path_to(before, address)],
                retained={"entries": entries[address], "bytes": retained[address]})
            if dominators[address] is not None:
                line["dominator"] = hex(dominators[address])
        yield line


def nearest(graph):
    """How far each entry is from a root, and the entry before it on a shortest path."""
    distances = {root: 0 for root in graph.roots}
    before = {root: None for root in graph.roots}
    queue = list(graph.roots)
    for address in queue:
        for to in graph.references[address]:
            if to not in distances:
                distances[to], before[to] = distances[address] + 1, address
                queue.append(to)
    return distances, before


def path_to(before, address):
    path = []
    while address is not None:
        path.append(address)
        address = before[address]
    return path[::-1]


def postorder(graph):
    """The entries that roots reach, each after what it leads to first."""
    order, seen = [], set()
    for root in graph.roots:
        if root in seen:
            continue
        seen.add(root)
        way = [(root, iter(graph.references[root]))]
        while way:
            address, rest = way[-1]
            to = next((to for to in rest if to not in seen), None)
            if to is None:
                order.append(address)
                way.pop()
            else:
                seen.add(to)
                way.append((to, iter(graph.references[to])))
    return order


def dominated(graph, order):
    """The immediate dominator of each entry; None where only the roots dominate it."""
    number = {address: place for place, address in enumerate(order)}
    top = number[None] = len(order)  # the roots stand above everything
    referring = {address: [] for address in order}
    for address in order:
        for to in graph.references[address]:
            referring[to].append(address)
    for root in graph.roots:
        referring[root].append(None)
    dominators = {None: None}
    has_changed = True
    while has_changed:
        has_changed = False
        for address in reversed(order):
            known = [other for other in referring[address] if other in dominators]
            nearest_common = known[0]
            for other in known[1:]:
                nearest_common = common(dominators, number, nearest_common, other)
            if address not in dominators or dominators[address] != nearest_common:
                dominators[address], has_changed = nearest_common, True
    assert number[None] == top
    return dominators


def common(dominators, number, one, other):
    """The nearest entry that dominates both."""
    while one != other:
        while number[one] < number[other]:
            one = dominators[one]
        while number[other] < number[one]:
            other = dominators[other]
    return one


def histogram(graph, items):
    """Objects and their bytes by the name of the class."""
    rows = {}
    for item in items:
        name = None if item["kind"] == "class" else class_name(graph, item)
        if not name:
            continue
        row = rows.setdefault(name, {"objects": 0, "bytes": 0})
        row["objects"] += 1
        row["bytes"] += graph.size(item) or 0
    return [{"class": text_of(name), **row} for name, row in rows.items()]


def class_name(graph, item):
    """The name of an object's class, as the dump has it."""
    if item["kind"] == "primitive-array":
        return hprof.TYPES[item["code"]][0].encode() + b"[]"
    address = item["class"] if item["kind"] == "object" else item["array_class"]
    if address not in graph.classes:
        return None
    name = graph.dump.texts.get(graph.dump.names.get(address) or None)
    return name


def analyse(data, index, readings, level):
    """The lines of an answer, or what stands in the answer itself."""
    dump = hprof.Dump(data, readings)
    hprof.listing(dump, index)  # refuses a dump that is damaged
    dump = dump.seen_from(index or 0)
    heap = dump.heaps[index or 0]
    graph = Graph(dump, heap, heap.items)
    if level == "answers":
        return answers(graph)
    return {"histogram": histogram(graph, heap.items)} if level == "counts" else {}


if __name__ == "__main__":
    serve(HELLO, {**hprof.READINGS, **CONVENTIONS}, analyse=analyse)
