#!/usr/bin/env python3
"""Reads collections of heap files with analysers that know the layout of the JDK's, and compares the contents.

usage: contents.py HEAPSMITH PEERS_DIR

HEAPSMITH is the program; PEERS_DIR is where tests/peers/install.sh puts `contents`, which is installed there if it is missing.
A heap file of the samples below is built as HPROF for each library with the profile of its HotSpot, with identifiers of 4 and of 8
bytes. `Contents.java` reads what the samples hold: keys, values and elements by Shark's readers of the JDK's collections
(OpenJdkInstanceRefReaders), texts, boxed values and numbers of elements by VisualVM's providers of details (DetailsSupport). Neither
knows Optional, whose value is read as a field. All of it is compared with what the samples below spell: elements of lists and arrays
in their order, all else in any. Nulls in lists and sets are counted only, since Shark passes over them. Shark's text of a String is
compared where it can be right: it reads those of JDK 9 or later as UTF-8, and each half of a surrogate pair by itself. VisualVM's is
always compared. Prints a line for each dump; exit code 1 if anything differs.

2026-11-30, a debug build, Shark 2.14, VisualVM 2.1.5, OpenJDK 17.0.15, all ten dumps: 89 samples and 12,546 values of each, none of
which differs; 79 s on two cores with other work.
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = ["jdk-8", "jdk-11", "jdk-17", "jdk-21", "jdk-25"]

JAVA_UTIL = "java.util."
MAPS = ["HashMap", "LinkedHashMap", "concurrent.ConcurrentHashMap"]

# Texts of one hash.
CLASH = ["AaAaAa", "AaAaBB", "AaBBAa", "AaBBBB", "BBAaAa", "BBAaBB", "BBBBAa", "BBBBBB"]


class Boxed:
    """A value of a box's class, as the heap file spells it and as it is shown."""

    def __init__(self, kind, spelled, shown):
        self.kind, self.spelled, self.shown = kind, spelled, shown


class Order:
    """One of the orders `@o0` to `@o9` of the heap file, whose number is its id."""

    def __init__(self, number):
        self.number = number


BOXES = [
    Boxed("Boolean", "#true", "true"),
    Boxed("Boolean", "#false", "false"),
    Boxed("Byte", "(byte)-128", "-128"),
    Boxed("Short", "(short)-32768", "-32768"),
    Boxed("Character", "(char)a", "a"),
    Boxed("Character", "(char)é", "é"),
    Boxed("Character", "(char)0x20ac", "€"),
    Boxed("Integer", "0", "0"),
    Boxed("Integer", "127", "127"),
    Boxed("Integer", "128", "128"),
    Boxed("Integer", "-2147483648", "-2147483648"),
    Boxed("Long", "(long)5", "5"),
    Boxed("Long", "2147483648", "2147483648"),
    Boxed("Long", "-9223372036854775808", "-9223372036854775808"),
    Boxed("Float", "(float)1.5", "1.5"),
    Boxed("Float", "(float)-0.0", "-0.0"),
    Boxed("Double", "2.5", "2.5"),
    Boxed("Double", "1e300", "1.0E300"),
    Boxed("Double", "#nan", "NaN"),
    Boxed("Double", "#-inf", "-Infinity"),
]

TEXTS = [
    "",
    "a",
    "plain ASCII, with \"quotes\" and a \\",
    "tab\tand\nline",
    "Größe",
    "naïve café ÿ",
    "\x80\xff",
    "日本語",
    "mixed Größe 日本",
    "clef 𝄞 and 😀",
    "€",
    "x" * 150,
]


def samples():
    """Each sample's name, class and contents: a list of pairs for maps, else of values."""
    for name in MAPS:
        short = name.rsplit(".", 1)[-1]
        # A table doubles after 12, 24, 48 and 96 entries, a ConcurrentHashMap's with them.
        for count in [0, 1, 11, 12, 13, 24, 25, 48, 49, 96, 97, 1000]:
            yield f"{short}{count}", name, [(f"k{i}", i) for i in range(count)]
        yield f"{short}Numbers", name, [(1000 * i, Boxed("Long", f"(long){i}", str(i))) for i in range(50)]
        yield f"{short}Clash", name, [(key, i) for i, key in enumerate(CLASH)]
        yield f"{short}ClashAmongOthers", name, [(f"k{i}", i) for i in range(60)] + [(key, i) for i, key in enumerate(CLASH)]
        yield f"{short}Boxes", name, [(box, i) for i, box in enumerate(BOXES)]
        yield f"{short}Texts", name, [(text, text) for text in TEXTS]
        yield f"{short}Orders", name, [(Order(i), Order(9 - i)) for i in range(10)]
    for name in MAPS[:2]:
        yield f"{name}Nulls", name, [(None, "of null"), ("null", None), ("both", "there"), (Order(3), None)]
        # Chains of more than 8 in small tables, which grow for that.
        yield f"{name}Chain", name, [(key + end, i) for i, (key, end) in enumerate((k, e) for e in "01" for k in CLASH[:5])]
    for count in [0, 1, 9, 10, 11, 15, 16, 22, 23, 1000]:
        yield f"ArrayList{count}", "ArrayList", list(range(count))
    yield "ArrayListMixed", "ArrayList", ["a", None, 1, "a", Order(0), None, "日本", 2.5, True, Order(0)]
    for name in ["HashSet", "LinkedHashSet"]:
        for count in [0, 1, 12, 13, 1000]:
            yield f"{name}{count}", name, [f"e{i}" for i in range(count)]
        yield f"{name}Mixed", name, ["a", None, 1, True, Order(5), "Größe", "日本", Boxed("Long", "(long)1", "1")]
        yield f"{name}Clash", name, CLASH
    yield "OptionalText", "Optional", ["Größe"]
    yield "OptionalNumber", "Optional", [7]
    yield "OptionalOrder", "Optional", [Order(2)]
    yield "OptionalNone", "Optional", [None]
    yield "Boxes", "Object[]", BOXES
    yield "Texts", "Object[]", TEXTS


def spelled(value):
    """A value as the heap file has it."""
    if value is None:
        return "#null"
    if isinstance(value, Boxed):
        return value.spelled
    if isinstance(value, Order):
        return f"@o{value.number}"
    if isinstance(value, bool):
        return "#true" if value else "#false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return '"' + "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in escaped) + '"'
    return str(value)


def expected(value):
    """A value as the analysers show it: its class and its text, or an order's id."""
    if value is None:
        return None
    if isinstance(value, Boxed):
        return f"java.lang.{value.kind} {value.shown}"
    if isinstance(value, Order):
        return f"shop.Order {value.number}"
    if isinstance(value, bool):
        return f"java.lang.Boolean {str(value).lower()}"
    kind = {str: "String", int: "Integer", float: "Double"}[type(value)]
    return f"java.lang.{kind} {value}"


def heap_file(library, word):
    """The samples as a heap file."""
    lines = [f"heap library={library} word={word}", "class shop.Order { int id }", "class Samples {"]
    lines += [f"    static Object {name} @{name}" for name, _, _ in samples()]
    lines += ["}"] + [f"object o{i} shop.Order id={i}" for i in range(10)]
    for name, kind, contents in samples():
        if kind == "Object[]":
            lines.append(f'array {name} "Object[]" ' + " ".join(map(spelled, contents)))
        elif kind == "Optional":
            lines.append(f"object {name} java.util.Optional value={spelled(contents[0])}")
        elif "Map" in kind:
            lines.append(f"map {name} {JAVA_UTIL}{kind} {{")
            lines += [f"    entry {spelled(key)} {spelled(value)}" for key, value in contents]
            lines.append("}")
        else:
            node = "set" if "Set" in kind else "list"
            lines.append(f"{node} {name} {JAVA_UTIL}{kind} " + " ".join(map(spelled, contents)))
    return "\n".join(lines) + "\n"


class Judge:
    """What is compared, and what differs."""

    def __init__(self, library):
        self.library = library
        self.values = 0
        self.wrong = []

    def shown(self, value):
        """A value as expected() gives it; notes a text on which the two analysers differ."""
        if value is None:
            return None
        kind, text, other = value
        self.values += 1
        if kind == "java.lang.String" and other != text:
            if text.isascii() or self.library == "jdk-8" and max(text) < "\U00010000":
                self.wrong.append(f"Shark reads {other!r} where VisualVM reads {text!r}")
        return f"{kind} {other if kind == 'shop.Order' else text}"

    def compare(self, name, kind, contents, sample):
        if "Map" in kind:
            found = [(self.shown(key), self.shown(value)) for key, value in sample["entries"]]
            wanted = [(expected(key), expected(value)) for key, value in contents]
        else:
            found = [self.shown(value) for value in sample["elements"]]
            wanted = [expected(value) for value in contents]
            if kind in ("ArrayList", "HashSet", "LinkedHashSet"):
                wanted = [value for value in wanted if value is not None]
        if kind not in ("ArrayList", "Object[]"):
            found, wanted = sorted(found, key=repr), sorted(wanted, key=repr)
        if found != wanted:
            self.wrong.append(f"{name}: {found} for {wanted}")
        if kind not in ("Object[]", "Optional"):
            size = f"{len(contents):,} element{'' if len(contents) == 1 else 's'}"
            if sample["class"] != JAVA_UTIL + kind or sample["self"][1] != size:
                self.wrong.append(f"{name}: {sample['class']} with {sample['self'][1]} for {JAVA_UTIL + kind} with {size}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    heapsmith, peers = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    jars = os.path.join(peers, "contents")
    if not os.path.isdir(jars):
        subprocess.run([os.path.join(HERE, "../install.sh"), peers, "contents"], check=True)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        dumps = []
        for library in LIBRARIES:
            for word in [32, 64]:
                stem = os.path.join(folder, f"{library}-{word}")
                with open(stem + ".kdl", "w", encoding="utf-8") as file:
                    file.write(heap_file(library, word))
                profile = library.replace("jdk", "hotspot")
                build = [heapsmith, "build", stem + ".kdl", "--format", f"hprof/{profile}", "-o", stem + ".hprof"]
                subprocess.run(build, check=True, stderr=subprocess.DEVNULL)
                dumps.append((library, word, stem + ".hprof"))
        classpath = os.pathsep.join(os.path.join(jars, name) for name in sorted(os.listdir(jars)))
        for library, word, dump in dumps:
            # VisualVM remembers what it knows of a class by its identifier, in whatever dump: each has a process of its own.
            command = ["java", "-Duser.language=en", "-cp", classpath, os.path.join(HERE, "Contents.java"), dump]
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="ascii").stdout
            judge, found = Judge(library), json.loads(answer)
            for name, kind, contents in samples():
                judge.compare(name, kind, contents, found.pop(name))
            judge.wrong += [f"{name}: no such sample" for name in found]
            for line in judge.wrong:
                print(f"{library}, {word} bits: {line}")
            print(f"{library}, {word} bits: {len(list(samples()))} samples, {judge.values} values, {len(judge.wrong)} differ")
            wrong += len(judge.wrong)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
