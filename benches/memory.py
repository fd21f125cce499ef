#!/usr/bin/env python3
"""Peak memory of every command that reads a whole heap, for dumps whose size is in one array or in many objects.

    benches/memory.py target/release/heapsmith [FOLDER]

It needs python3 and, for SIZE=2000000000 (the default: bytes of the large arrays, as addresses of 8 bytes) and
OBJECTS=10000000, about 6 GB in FOLDER (or where temporary files go) and 4 GB where temporary files go, which it frees. `DUMPS=hprof-primitive,phd-elements` takes some of the dumps alone, `COMMANDS=decode,convert` some of the commands (`check-conversion` needs `convert`).
Resident memory is the system's own figure for each process (`ru_maxrss`); it contains about 14 MiB of this script's.
"""
import os
import struct
import subprocess
import sys
import tempfile
import time

SIZE = int(os.environ.get("SIZE", 2_000_000_000))
OBJECTS = int(os.environ.get("OBJECTS", 10_000_000))
LIMIT = 320 << 10
BLOCK = 1 << 20


def hprof(subs):
    """A dump of identifiers of 8 bytes: two classes, and sub-records as (head, repeated, times)."""
    id8 = lambda number: struct.pack(">Q", number)
    text = lambda number, name: struct.pack(">BII", 1, 0, 8 + len(name)) + id8(number) + name
    load = lambda serial, at, name: struct.pack(">BIII", 2, 0, 24, serial) + id8(at) + struct.pack(">I", 0) + id8(name)
    yield b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0)
    yield text(1, b"java/lang/Object") + text(2, b"[Ljava/lang/Object;")
    yield load(1, 0x1000, 1) + load(2, 0x1010, 2)
    of_class = lambda at, above: b"\x20" + id8(at) + bytes(4) + id8(above) + bytes(40) + struct.pack(">IHHH", 0, 0, 0, 0)
    classes = of_class(0x1000, 0) + of_class(0x1010, 0x1000)
    yield struct.pack(">BII", 0x1C, 0, len(classes)) + classes
    for head, piece, times in subs:
        yield struct.pack(">BII", 0x1C, 0, len(head) + len(piece) * times) + head
        block = piece * max(1, min(times, BLOCK // max(1, len(piece))))
        left = len(piece) * times
        while left > 0:
            yield block[:left]
            left -= min(left, len(block))
    yield struct.pack(">BII", 0x2C, 0, 0)


def hprof_primitive(at=0x2000, size=None):
    size = size or SIZE
    yield b"\x23" + struct.pack(">QIIB", at, 0, size, 8), bytes(range(250)) * 4, size // 1000


def hprof_elements():
    count = SIZE // 8
    # In no order, with nulls among them.
    piece = b"".join(struct.pack(">Q", 0 if n % 10 == 0 else 0x2000 + n * 7919 % 1000 * 8) for n in range(1000))
    yield b"\x22" + struct.pack(">QIIQ", 0x2000, 0, count, 0x1010), piece, count // 1000


def hprof_objects():
    """Instances without fields, not in the order of their addresses."""
    for first in range(0, OBJECTS, 1000):
        instances = (
            b"\x21" + struct.pack(">QIQI", 0x10000 + (first + n) * 7_919 % OBJECTS * 16, 0, 0x1000, 0) for n in range(1000)
        )
        yield b"".join(instances), b"", 0


def hprof_arrays():
    """The shape of a real dump of 522 MB: 11,000 objects, most of them small, and arrays that have most of the bytes."""
    scale = SIZE / 2_000_000_000
    for number, size in enumerate([int(n * scale) // 1000 * 1000 for n in [300_000_000, 120_000_000, 60_000_000]]):
        yield from hprof_primitive(0x2000 + number * 16, size)
    for number in range(11_000):
        yield from hprof_primitive(0x100000 + number * 16, 4_000)


def phd(records):
    """Version 6 of 64 bits, in units of 4 bytes, with one class."""
    yield struct.pack(">H", 18) + b"portable heap dump" + struct.pack(">II", 6, 5) + b"\x01\x02\x02"
    name = b"java/lang/Object"
    yield b"\x06\x40" + struct.pack(">hIQH", 0x1000 // 4, 16, 0, len(name)) + name + struct.pack(">I", 0)
    yield from records
    yield b"\x03"


def phd_elements():
    count = SIZE // 8
    yield b"\x08\x60" + struct.pack(">hQI", 0x1000 // 4, 0x1000, count)
    block = b"".join(struct.pack(">i", 4 + n * 7919 % 100_000 * 2) for n in range(250_000))
    for _ in range(count // 250_000):
        yield block
    yield struct.pack(">II", count, 0x7FFF_FFFF)


def phd_objects():
    """Objects of two references each, every other one before its predecessor."""
    yield b"\x40" + struct.pack(">bQ", 4, 0x1000)
    pair = b"\x90" + struct.pack(">bbb", 6, 4, 8) + b"\x90" + struct.pack(">bbb", -2, 4, 8)
    for _ in range(OBJECTS // 2000):
        yield pair * 1000


DUMPS = {
    "hprof-primitive": lambda: hprof(hprof_primitive()),
    "hprof-elements": lambda: hprof(hprof_elements()),
    "hprof-objects": lambda: hprof(hprof_objects()),
    "hprof-arrays": lambda: hprof(hprof_arrays()),
    "phd-elements": lambda: phd(phd_elements()),
    "phd-objects": lambda: phd(phd_objects()),
}


def run(*command):
    """Exit code, peak resident memory in KiB and seconds."""
    began = time.time()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read().decode(errors="replace").strip().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss, time.time() - began, message[-1] if message else ""


def main():
    program = sys.argv[1]
    wanted = os.environ.get("DUMPS", ",".join(DUMPS)).split(",")
    commands = os.environ.get("COMMANDS", "decode,digest,compare,rewrite,convert,check-conversion").split(",")
    worst = 0
    print("| dump | bytes | command | peak KiB | seconds | exit code |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        for name in wanted:
            path, made = os.path.join(folder, name), os.path.join(folder, "made")
            with open(path, "wb") as out:
                for piece in DUMPS[name]():
                    out.write(piece)
            target = "phd6" if name.startswith("hprof") else "hprof"
            # Without what makes a conversion of other people's dumps exit with 1: what is lost is told, and no error.
            for command in [
                ["decode", path],
                ["digest", path],
                ["compare", path, path],
                ["rewrite", path, "-o", made, "--through", "heap", "--force"],
                ["convert", path, "-o", made, "--to", target, "--force"],
                ["check-conversion", path, made],
            ]:
                if command[0] not in commands:
                    continue
                code, peak, seconds, message = run(program, *command)
                worst = max(worst, peak)
                note = f" ({message})" if code else ""
                print(f"| {name} | {os.path.getsize(path)} | {command[0]} | {peak} | {seconds:.0f} | {code}{note} |", flush=True)
            for file in [path, made]:
                if os.path.exists(file):
                    os.remove(file)
    print(f"\nat most {worst} KiB; the target is {LIMIT} KiB: {'within' if worst <= LIMIT else 'MISSED'}")
    sys.exit(worst > LIMIT)


main()
