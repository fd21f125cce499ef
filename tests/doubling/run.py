#!/usr/bin/env python3
"""Counts the instructions of each command for N and 2N of each kind of thing, and prints what takes more than 2.2 times as many.

    cargo build --release
    tests/doubling/run.py target/release/heapsmith [KIND] [COMMAND]

`cargo test --test doubling` counts bytes and steps in a minute; this misses nothing, and takes hours under valgrind (less where
`perf` counts instructions). KIND and COMMAND are parts of names. N is 4,096.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

N = 4096
MOST = 2.2
# What multiplies by its nature.
MULTIPLY = {
    ("chain", "to-phd"): "a class lists its superclasses",
    ("chain", "to-classic"): "a class lists its superclasses",
}

word = struct.Struct(">I").pack
PLACE = lambda k: 0x100000 + 16 * k


def record(tag, body):
    return bytes([tag]) + bytes(4) + word(len(body)) + body


def text(id, chars):
    return record(1, word(id) + chars.encode())


def load(serial, cls, name):
    return record(2, word(serial) + word(cls) + word(1) + word(name))


def frame(id):
    return record(4, word(id) + 3 * word(0x101) + word(1) + word(3))


def trace(serial, thread, frames):
    return record(5, word(serial) + word(thread) + word(len(frames)) + b"".join(map(word, frames)))


def start(k):
    return record(10, word(5 + k) + word(PLACE(k)) + word(1) + 3 * word(0x101))


def cls(id, above, fields=(), statics=()):
    names = lambda all, rest: struct.pack(">H", len(all)) + b"".join(word(name) + rest for name in all)
    sizes = word(4 * len(fields)) + bytes(2) + names(statics, b"\2\0\0\0\0") + names(fields, b"\2")
    return b"\x20" + word(id) + word(1) + word(above) + bytes(20) + sizes


def instance(k, of=0x2000, values=()):
    return b"\x21" + word(PLACE(k)) + word(1) + word(of) + word(4 * len(values)) + b"".join(map(word, values))


def array(id, elements):
    return b"\x22" + word(id) + word(1) + word(len(elements)) + word(0x2010) + b"".join(map(word, elements))


def each(n, make):
    return b"".join(make(k) for k in range(n))


def named(k):
    return text(0x900000 + k, f"C{k}") + load(10 + k, PLACE(k), 0x900000 + k)


def dump(records=b"", heap=b"", more=b""):
    known = text(0x101, "java/lang/Object") + text(0x102, "[Ljava/lang/Object;") + text(0x103, "f")
    known += load(1, 0x2000, 0x101) + load(2, 0x2010, 0x102) + trace(1, 0, [])
    heap = record(0x1C, cls(0x2000, 0) + cls(0x2010, 0x2000) + heap)
    return b"JAVA PROFILE 1.0.3\0" + word(4) + bytes(8) + known + records + heap + more


def rooted(tag, rest=lambda k: b""):
    return lambda n: dump(heap=each(n, lambda k: instance(k) + bytes([tag]) + word(PLACE(k)) + rest(k)))


def threads(n):
    of = lambda k: frame(0x900000 + k) + trace(9 + k, 5 + k, [0x900000 + k]) + start(k)
    root = lambda k: instance(k) + b"\x08" + word(PLACE(k)) + word(5 + k) + word(9 + k) + b"\x03" + word(PLACE(0)) + word(5 + k) + word(0)
    return dump(each(n, of), each(n, root))


KINDS = {
    "texts": lambda n: dump(each(n, lambda k: text(0x900000 + k, f"t{k}"))),
    "texts of one id": lambda n: dump(each(n, lambda k: text(0x900000, f"t{k}"))),
    "loaded classes": lambda n: dump(each(n, lambda k: load(10 + k, PLACE(k), 0x101))),
    "unloaded classes": lambda n: dump(each(n, lambda k: load(10 + k, 0x2000, 0x101) + record(3, word(10 + k)))),
    "classes": lambda n: dump(each(n, named), each(n, lambda k: cls(PLACE(k), 0x2000))),
    "classes of one name": lambda n: dump(each(n, lambda k: load(10 + k, PLACE(k), 0x101)), each(n, lambda k: cls(PLACE(k), 0x2000))),
    "chain of classes": lambda n: dump(each(n, named), each(n, lambda k: cls(PLACE(k), PLACE(k - 1) if k else 0x2000))),
    "fields": lambda n: dump(each(n, lambda k: text(0x900000 + k, f"f{k}")), cls(PLACE(0), 0x2000, range(0x900000, 0x900000 + n)) + instance(1, PLACE(0), [0] * n)),
    "statics": lambda n: dump(each(n, lambda k: text(0x900000 + k, f"f{k}")), cls(PLACE(0), 0x2000, (), range(0x900000, 0x900000 + n))),
    "frames": lambda n: dump(each(n, lambda k: frame(0x900000 + k)) + trace(9, 0, range(0x900000, 0x900000 + n))),
    "traces": lambda n: dump(each(n, lambda k: frame(0x900000 + k) + trace(9 + k, 0, [0x900000 + k]))),
    "traces of one number": lambda n: dump(each(n, lambda k: frame(0x900000 + k) + trace(9, 0, [0x900000 + k]))),
    "started threads": lambda n: dump(each(n, start), each(n, instance)),
    "ended threads": lambda n: dump(each(n, lambda k: start(k) + record(11, word(5 + k))), each(n, instance)),
    "threads": threads,
    "sites": lambda n: dump(record(6, bytes(30) + word(n) + (b"\0" + word(1) * 2 + bytes(16)) * n)),
    "samples": lambda n: dump(record(13, word(0) + word(n) + (word(1) * 2) * n)),
    "unknown records": lambda n: dump(record(0xF0, b"1234") * n),
    "instances": lambda n: dump(heap=each(n, instance)),
    "list": lambda n: dump(heap=cls(0x2020, 0x2000, [0x103]) + each(n, lambda k: instance(k, 0x2020, [PLACE(k + 1)])) + instance(n)),
    "arrays": lambda n: dump(heap=each(n, lambda k: array(PLACE(k), [PLACE(0)]))),
    "elements": lambda n: dump(heap=array(0x3000, [PLACE(k) for k in range(n)]) + each(n, instance)),
    "bytes": lambda n: dump(heap=b"\x23" + word(0x3000) + word(1) + word(64 * n) + b"\x08" + bytes(64 * n)),
    "segments": lambda n: dump(more=each(n, lambda k: record(0x1C, instance(k)))),
    "heaps": lambda n: dump(more=record(0x2C, b"") + each(n, lambda k: record(0x1C, instance(k)) + record(0x2C, b""))),
    "regions": lambda n: dump(heap=each(n, lambda k: b"\xfe" + word(k) + word(0x101) + instance(k))),
    "roots unknown": rooted(0xFF),
    "roots JNI global": rooted(1, word),
    "roots JNI local": rooted(2, lambda k: word(k) + word(0)),
    "roots Java frame": rooted(3, lambda k: word(k) + word(0)),
    "roots native stack": rooted(4, word),
    "roots sticky class": rooted(5),
    "roots thread block": rooted(6, word),
    "roots monitor": rooted(7),
    "roots thread": rooted(8, lambda k: word(5 + k) + word(1)),
    "roots interned": rooted(0x89),
    "roots JNI monitor": rooted(0x8E, lambda k: word(k) + word(0)),
}
RECIPES = [
    f"{growing},format={form}"
    for growing in [
        "classes=constant:N",
        "classes=constant:N,depth=N,fields=constant:0,mix=0:1:1:1",
        "classes=constant:N,array-classes=1,mix=0:0:0:1",
        "java-threads=constant:N,objects=30000,addresses=numbers",
        "java-threads=constant:1,frames=constant:N",
        "java-threads=constant:1,frames=constant:2,locals=constant:N",
        "loaders=N,objects=30000,addresses=numbers",
        "objects=N",
        "object-lengths=constant:N,mix=0:0:0:1",
        "name-lengths=constant:N",
        "unused-texts=N",
    ]
    for form in ["hprof", "hprof,profile=agent,word=32", "hprof,profile=any", "phd6", "classic"]
]


def commands(path, out, listing, is_hprof):
    again = ["--force", "-o", out]
    yield "validate", ["validate", path]
    yield "digest", ["digest", path]
    yield "decode", ["decode", path]
    yield "encode", ["encode", "--format", "hprof", listing, *again]
    yield "inspect", ["inspect", path]
    yield "inspect-bytes", ["inspect", "--bytes", path]
    yield "inspect-html", ["inspect", "--html", path, *again]
    yield "compare", ["compare", path, path]
    yield "compare-renaming", ["compare", "--up-to-renaming", path, path]
    yield "answers", ["answers", path, "--entries", out, "--force"]
    for profile in ["hotspot", "hotspot-8", "sa", "agent", "art", "any"] if is_hprof else []:
        yield f"rewrite-{profile}", ["rewrite", "--through", "heap", "--profile", profile, path, *again]
        yield f"check-conversion-{profile}", ["check-conversion", "--profile", profile, path, path]
    for format in ["hprof", "phd6", "classic"]:
        yield f"to-{format[:3] if format == 'phd6' else format}", ["convert", "--to", format, path, *again]


def counter():
    if shutil.which("perf"):
        perf = ["perf", "stat", "-x,", "-e", "instructions:u"]
        tried = subprocess.run([*perf, "true"], capture_output=True, text=True)
        if re.search(r"^\d+,", tried.stderr, re.M):
            return perf, re.compile(r"^(\d+),", re.M)
    if shutil.which("valgrind"):
        valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        return valgrind, re.compile(r"I\s+refs:\s+([\d,]+)")
    sys.exit("expected perf, on a machine that counts instructions, or valgrind")


def main():
    program, kind, command = [*sys.argv[1:], "", "", ""][:3]
    if not program:
        sys.exit(__doc__)
    prefix, pattern = counter()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path, out, listing = [os.path.join(folder, name) for name in ("dump", "out", "listing")]

        def cost(arguments):
            run = subprocess.run([*prefix, program, *arguments], capture_output=True, text=True, errors="replace")
            return int(pattern.search(run.stderr).group(1).replace(",", ""))

        def judge(what, by, once, twice):
            nonlocal wrong
            ratio = twice / once
            known = any(part in what and by.startswith(other) for part, other in MULTIPLY)
            if ratio > MOST and not known:
                wrong += 1
                print(f"{what}: {by}: {once} instructions, {twice} for twice as many: {ratio:.2f}", flush=True)

        def dumps():
            for name, make in KINDS.items():
                yield name, True, [make(N), make(2 * N)]
            for recipe in RECIPES:
                texts = ["heapsmith-2:" + recipe.replace("N", str(n)) for n in (N, 2 * N)]
                made = [subprocess.run([program, "generate", text], capture_output=True).stdout for text in texts]
                if kind in recipe and command in "generate":
                    judge(recipe, "generate", *[cost(["generate", text, "-o", out, "--force"]) for text in texts])
                yield recipe, "hprof" in recipe, made

        for name, is_hprof, both in dumps():
            if kind not in name:
                continue
            costs = []
            for made in both:
                with open(path, "wb") as file:
                    file.write(made)
                with open(listing, "wb") as file:
                    subprocess.run([program, "decode", path], stdout=file, stderr=subprocess.DEVNULL)
                costs.append({by: cost(line) for by, line in commands(path, out, listing, is_hprof) if command in by})
            for by, once in costs[0].items():
                judge(name, by, once, costs[1][by])
    print(f"{wrong} take more than {MOST} times the instructions")
    sys.exit(wrong > 0)


main()
