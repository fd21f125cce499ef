#!/usr/bin/env python3
"""Peak memory of every command for dumps of few bytes that stand for many.

    benches/bombs.py target/release/heapsmith [FOLDER]

Each dump is SIZE bytes (500000000) in a megabyte or so of gzip, or a few classes that share or multiply something. It needs
python3 and some 300 MB in FOLDER (or where temporary files go), which it frees. `DUMPS=strings,roots` takes some of the dumps
alone, `COMMANDS=decode,convert` some of the commands. A command may refuse a dump; what counts is what it takes until then, and that
it ends: SECONDS (60) are the limit. Resident memory is the system's own figure for each process (`ru_maxrss`).
"""
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

SIZE = int(os.environ.get("SIZE", 500_000_000))
SECONDS = float(os.environ.get("SECONDS", 60))
LIMIT = 320 << 10

id8 = lambda number: struct.pack(">Q", number)
record = lambda tag, body=b"", at=0: struct.pack(">BII", tag, at, len(body)) + body
class_dump = lambda at, above=0, fields=0: (
    b"\x20" + id8(at) + bytes(4) + id8(above) + bytes(40)
    + struct.pack(">IHHH", 4 * fields, 0, 0, fields) + struct.pack(">QB", 1, 10) * fields
)
named = lambda number, name: record(0x01, id8(number) + name)
loaded = lambda serial, at, name: record(0x02, struct.pack(">IQIQ", serial, at, 0, name))
OBJECT = named(1, b"java/lang/Object") + loaded(1, 8, 1)


def repeated(piece):
    block = piece * max(1, (1 << 20) // len(piece))
    for _ in range(max(1, SIZE // len(block))):
        yield block


def hprof(*parts):
    yield b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0)
    for part in parts:
        yield from [part] if isinstance(part, bytes) else part
    yield record(0x2C)


def segment(piece):
    """One record of sub-records that are the same."""
    block = piece * max(1, (1 << 20) // len(piece))
    times = SIZE // len(block)
    yield struct.pack(">BII", 0x1C, 0, len(block) * times)
    for _ in range(times):
        yield block


def long(tag, head, fill=b"a"):
    yield struct.pack(">BII", tag, 0, len(head) + SIZE) + head
    left = SIZE
    while left:
        piece = min(left, 1 << 20)
        yield fill * piece
        left -= piece


def chain():
    """20,000 classes, each the superclass of the next."""
    yield OBJECT
    yield record(0x1C, b"".join(class_dump(8 * n, 8 * (n - 1)) for n in range(1, 20_001)))


def shared_name():
    """20,000 classes of one name of 100,000 bytes."""
    yield named(1, b"a." + b"b" * 100_000)
    yield b"".join(loaded(n, 8 * n, 1) for n in range(1, 20_001))
    yield record(0x1C, b"".join(class_dump(8 * n) for n in range(1, 20_001)))


def without_superclass():
    """A class whose identifier is 0, without a superclass, and a subclass of it."""
    yield OBJECT + record(0x1C, class_dump(0, 0, 1) + class_dump(8, 0, 1))


def many_fields():
    """Classes of 65,535 fields each."""
    yield OBJECT
    yield from segment(class_dump(8, 0, 65_535))


PHD = struct.pack(">H", 18) + b"portable heap dump" + struct.pack(">II", 6, 5)
phd_class = lambda name=b"A", step=4: b"\x06\x40" + struct.pack(">hIQH", step, 16, 0, len(name)) + name + bytes(4)


def phd(*parts):
    yield PHD + b"\x01\x02\x02"
    for part in parts:
        yield from [part] if isinstance(part, bytes) else part
    yield b"\x03"


def phd_references():
    """A class of as many references as there are bytes."""
    yield b"\x06\x00" + struct.pack(">bIQH", 4, 16, 0, 1) + b"A" + struct.pack(">I", SIZE)
    yield from repeated(b"\x01")


def classic(*parts):
    yield b"// Version: J2RE 1.6.0\n"
    for part in parts:
        yield from [part] if isinstance(part, bytes) else part
    yield b"\n// EOF:  Total 'Objects',Refs(null) : 1,1(0)\n"


def classic_names():
    """Classes of one name of 60,000 bytes, each at an address of its own."""
    for number in range(1, SIZE // 60_000):
        yield b"0x%x [8] CLS " % (16 * number) + b"a" * 60_000 + b"\n\t0x10\n"


DUMPS = {
    "chain": lambda: hprof(chain()),
    "shared-name": lambda: hprof(shared_name()),
    "without-superclass": lambda: hprof(without_superclass()),
    "unknown": lambda: hprof(OBJECT, record(0x1C, class_dump(8)), repeated(record(0xF0))),
    "unknown-in-turn": lambda: hprof(OBJECT, record(0x1C, class_dump(8)), repeated(record(0xF0, at=1) + record(0xF0, at=2))),
    "heaps": lambda: hprof(repeated(record(0x1C) + record(0x2C))),
    "heaps-of-a-class": lambda: hprof(repeated(record(0x0C, class_dump(8)))),
    "strings": lambda: hprof(repeated(named(1, b"") + named(2, b""))),
    "load-class": lambda: hprof(OBJECT, repeated(loaded(1, 8, 1) + loaded(2, 16, 1))),
    "threads": lambda: hprof(repeated(record(0x0A, bytes(40)) + record(0x0A, b"\x01" * 40))),
    "traces": lambda: hprof(repeated(record(0x05, bytes(12)) + record(0x05, b"\0\0\0\1" + bytes(8)))),
    "frames": lambda: hprof(repeated(record(0x04, bytes(40)) + record(0x04, id8(1) + bytes(32)))),
    "roots": lambda: hprof(OBJECT, record(0x1C, class_dump(8)), segment(b"\x05" + id8(8))),
    "classes": lambda: hprof(OBJECT, segment(class_dump(8))),
    "classes-in-turn": lambda: hprof(OBJECT, segment(class_dump(8) + class_dump(16))),
    "fields": lambda: hprof(many_fields()),
    "long-string": lambda: hprof(OBJECT, long(0x01, id8(2)), record(0x1C, class_dump(8))),
    "long-unknown": lambda: hprof(OBJECT, long(0xF0, b""), record(0x1C, class_dump(8))),
    "long-trace": lambda: hprof(OBJECT, long(0x05, struct.pack(">III", 1, 0, SIZE // 8), b"\0")),
    "phd-classes": lambda: phd(repeated(phd_class())),
    "phd-names": lambda: phd(repeated(phd_class(b"a" * 60_000))),
    "phd-references": lambda: phd(phd_references()),
    "classic-classes": lambda: classic(repeated(b"0x10 [8] CLS A\n\t0x10\n")),
    "classic-references": lambda: classic(b"0x10 [8] CLS A\n\t", repeated(b"0x10 ")),
    "classic-names": lambda: classic(classic_names()),
    "classic-spaces": lambda: classic(b"0x10 [8] CLS A\n\t", repeated(b" ")),
}


def commands(name, path, made):
    other = "hprof" if name.startswith(("phd-", "classic-")) else "phd6"
    edit = {"phd": "append-bytes", "classic": "add-a-stray-line"}.get(name.split("-")[0], "drop-the-end")
    yield ["validate", path]
    yield ["inspect", path]
    yield ["decode", path]
    yield ["digest", path]
    yield ["answers", path]
    yield ["compare", path, path]
    yield ["rewrite", path, "-o", made, "--through", "heap", "--force"]
    yield ["rewrite", path, "-o", made, "--through", "records", "--force"]
    yield ["convert", path, "-o", made, "--to", other, "--force"]
    yield ["check-conversion", path, path]
    yield ["corrupt", path, "-o", made, "--edit", edit, "--force"]


def run(command):
    """Exit code, peak resident memory in KiB, seconds, and the message."""
    began = time.time()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    timer = threading.Timer(SECONDS, process.kill)
    timer.start()
    message = process.stderr.read().decode(errors="replace").strip().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss, time.time() - began, " ".join(message)


def main():
    program = sys.argv[1]
    wanted = os.environ.get("DUMPS", ",".join(DUMPS)).split(",")
    some = os.environ.get("COMMANDS", "").split(",")
    worst, endless = 0, 0
    print("| dump | gzip, bytes | command | peak KiB | seconds | exit code |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        for name in wanted:
            path, made = os.path.join(folder, name), os.path.join(folder, "made")
            with open(path, "wb") as out:
                packer = zlib.compressobj(9, zlib.DEFLATED, 31)
                for piece in DUMPS[name]():
                    out.write(packer.compress(piece))
                out.write(packer.flush())
            for command in commands(name, path, made):
                if some != [""] and command[0] not in some:
                    continue
                code, peak, seconds, message = run([program, *command])
                worst, endless = max(worst, peak), endless + (code < 0)
                kind = " ".join(word for word in command if word in ("heap", "records"))
                note = f" ({message[:160].replace('|', '/')})" if code else ""
                print(f"| {name} | {os.path.getsize(path)} | {command[0]} {kind} | {peak} | {seconds:.0f} | {code}{note} |", flush=True)
                if os.path.exists(made):
                    os.remove(made)
            os.remove(path)
    print(f"\nat most {worst} KiB; the target is {LIMIT} KiB: {'within' if worst <= LIMIT else 'MISSED'}; {endless} did not end")
    sys.exit(worst > LIMIT or endless > 0)


main()
