#!/usr/bin/env python3
"""Checks that HPROF dumps of several gigabytes are read in little memory, and rightly.

    streaming.py HEAPSMITH [DIR]

HEAPSMITH is the program (a release build), DIR a folder with some 5 GB of room; most files are sparse. Each dump
is made, used and removed in turn:

- `validate --no-graph` calls it valid, counts its objects and classes, and stays below 64 MiB;
- `rewrite --through records` gives its bytes again, below 64 MiB too;
- `inspect` ends without a complaint when its reader has seen enough.

The kernel counts the memory of this script, some 14 MiB, as a child's until it has more.

Prints a table, and ends with 1 if something is not so. No code is shared with heapsmith.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

LIMIT = 64 * 1024  # KiB
GIB = 1 << 30
CLASS, NODE = 0x10, 0x11
NAMES = {CLASS: b"java/lang/Object", NODE: b"Node"}


def u4(value):
    return struct.pack(">I", value & 0xFFFFFFFF)


def u8(value):
    return struct.pack(">Q", value)


def record(tag, body):
    return bytes([tag]) + u4(0) + u4(len(body)) + body


def head(version):
    """Header and tables: two classes, and no trace but the empty one."""
    out = b"JAVA PROFILE " + version + b"\0" + u4(8) + u8(1_700_000_000_000)
    for class_id, name in NAMES.items():
        out += record(0x01, u8(class_id + 0x100) + name)
    out += record(0x01, u8(0x200) + b"next")
    for serial, class_id in enumerate(NAMES, 1):
        out += record(0x02, u4(serial) + u8(class_id) + u4(1) + u8(class_id + 0x100))
    return out + record(0x05, u4(1) + u4(0) + u4(0))


def class_dumps():
    start = lambda class_id, parent, size: b"\x20" + u8(class_id) + u4(1) + u8(parent) + bytes(40) + u4(size)
    return (start(CLASS, 0, 0) + bytes(6)
            + start(NODE, CLASS, 8) + bytes(4) + struct.pack(">H", 1) + u8(0x200) + b"\x02"
            + b"\x05" + u8(CLASS))


def node(address, following):
    return b"\x21" + u8(address) + u4(1) + u8(NODE) + u4(8) + u8(following)


def array_head(address, length):
    return b"\x23" + u8(address) + u4(1) + u4(length) + b"\x08"


ARRAY = len(array_head(0, 0))
END = record(0x2C, b"")


def sparse(file, address, length):
    """A byte[] of zeros, which take no room on the disk."""
    file.write(array_head(address, length))
    file.seek(length, os.SEEK_CUR)


def wrapped(file):
    """HotSpot 5 to 8 wrote the length of a heap above 4 GiB modulo 2^32."""
    classes, each, arrays = class_dumps(), GIB // 2, 9
    size = len(classes) + arrays * (ARRAY + each) + len(node(0, 0))
    file.write(head(b"1.0.1") + b"\x0c" + u4(0) + u4(size) + classes)
    for number in range(arrays):
        sparse(file, 0x1000_0000 + number * GIB, each)
    file.write(node(0x2000, 0))
    assert size > 1 << 32
    return arrays + 1


def sub_record(file):
    """One array of 2.5 GiB."""
    each = 5 * GIB // 2
    file.write(head(b"1.0.2") + record(0x1C, class_dumps()) + b"\x1c" + u4(0) + u4(ARRAY + each))
    sparse(file, 0x1000_0000, each)
    file.write(record(0x1C, node(0x2000, 0)) + END)
    return 2


def segment(file):
    """A segment of 3 GiB: its length is above 2^31."""
    each, arrays = GIB, 3
    classes = class_dumps()
    file.write(head(b"1.0.2") + b"\x1c" + u4(0) + u4(len(classes) + arrays * (ARRAY + each)) + classes)
    for number in range(arrays):
        sparse(file, 0x1000_0000 + 2 * number * GIB, each)
    file.write(record(0x1C, node(0x2000, 0)) + END)
    return arrays + 1


def segments(file, count=100_000, each=9):
    """A hundred thousand segments of nine nodes."""
    file.write(head(b"1.0.2") + record(0x1C, class_dumps()))
    address = 0x2000
    for _ in range(count):
        body = b""
        for _ in range(each):
            body += node(address, address + 16)
            address += 16
        file.write(record(0x1C, body))
    file.write(END)
    return count * each


def single(file):
    """A million segments of one node."""
    return segments(file, 1_000_000, 1)


def many(file, size=4_000_000_000):
    """4 GB of nodes, in segments of about 1 MiB. The segments are alike: only the graph rules look at addresses."""
    count = (1 << 20) // len(node(0, 0))
    body = b"".join(node(0x2000 + 16 * number, 0x2000 + 16 * (number + 1) % count) for number in range(count))
    one = record(0x1C, body)
    file.write(head(b"1.0.2") + record(0x1C, class_dumps()))
    repeated = size // len(one)
    for _ in range(repeated):
        file.write(one)
    file.write(END)
    return repeated * count


DUMPS = {
    "heap above 4 GiB, length wrapped": wrapped,
    "sub-record above 2^31": sub_record,
    "segment above 2^31": segment,
    "10^5 segments": segments,
    "10^6 segments of one instance": single,
    "4 GB of instances": many,
}


class Run:
    """A child, its output piped to another or collected, with what it cost."""

    def __init__(self, command, into=None):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        other = into and subprocess.Popen(into, stdin=child.stdout, stdout=subprocess.PIPE)
        if other:
            # Closed here, so that the child is told when its reader has gone.
            child.stdout.close()
            self.output = other.communicate()[0]
            self.other = other.returncode
        else:
            self.output = child.stdout.read()
        self.complaint = child.stderr.read().decode(errors="replace").strip()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = self.code = os.waitstatus_to_exitcode(status)
        self.resident = usage.ru_maxrss
        self.cpu = usage.ru_utime + usage.ru_stime


def check(program, path, objects):
    """The row's columns, and what is wrong."""
    wrong = []
    validated = Run([program, "validate", "--no-graph", "--json", path])
    try:
        report = json.loads(validated.output)
    except ValueError:
        report = {"valid": False, "sound": {}, "findings": validated.complaint}
    if not report["valid"]:
        wrong.append(f"not valid: {report['findings']}")
    counted = report["sound"].get("objects"), report["sound"].get("classes")
    if counted != (objects, len(NAMES)):
        wrong.append(f"{counted} objects and classes, not {(objects, len(NAMES))}")
    rewritten = Run([program, "rewrite", "--through", "records", path], ["cmp", "-", path])
    if rewritten.code != 0 or rewritten.other != 0:
        wrong.append(f"rewrite: {rewritten.complaint or rewritten.output.decode()}")
    inspected = Run([program, "inspect", path], ["head", "-n", "5"])
    if inspected.code not in (0, 141, -13) or inspected.complaint or inspected.output.count(b"\n") != 5:
        wrong.append(f"inspect: {inspected.code}, {inspected.complaint}")
    for name, run in [("validate", validated), ("rewrite", rewritten), ("inspect", inspected)]:
        if run.resident >= LIMIT:
            wrong.append(f"{name}: {run.resident} KiB resident")
    columns = [f"{objects}", f"{validated.resident}", f"{validated.cpu:.1f}", f"{rewritten.resident}",
               f"{rewritten.cpu:.1f}", f"{inspected.resident}", f"{inspected.cpu:.1f}"]
    return columns, wrong


def main(program, folder):
    failed = False
    print("| dump | bytes | objects | validate, KiB | CPU s | rewrite, KiB | CPU s | inspect, KiB | CPU s | verdict |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, make in DUMPS.items():
        path = os.path.join(folder, "streaming.hprof")
        try:
            with open(path, "wb") as file:
                objects = make(file)
            columns, wrong = check(program, path, objects)
            size = os.path.getsize(path)
        finally:
            os.remove(path)
        print(f"| {name} | {size} | {' | '.join(columns)} | {'; '.join(wrong) or 'right'} |", flush=True)
        failed |= bool(wrong)
    return int(failed)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n\n")[1].strip())
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) == 3 else None) as temporary:
        sys.exit(main(sys.argv[1], temporary))
