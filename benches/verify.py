#!/usr/bin/env python3
"""Whether `verify` finds a single change in an HPROF dump of very many objects.

    benches/verify.py target/release/heapsmith [OBJECTS]

Generates the dump (10,000,000 objects take 0.8 GB in the temporary folder), gives `verify` each changed copy through a pipe, and
expects exit code 1; the dump itself has to get 0. This script parses HPROF by itself (identifiers of 8 bytes).
"""

import os
import struct
import subprocess
import sys
import tempfile

SIZES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
# Bytes after the tag of roots, by tag.
ROOTS = {0xFF: 8, 0x01: 16, 0x02: 16, 0x03: 16, 0x04: 12, 0x05: 8, 0x06: 12, 0x07: 8, 0x08: 16}


def value(kind):
    return 8 if kind == 2 else SIZES[kind]


def length(data, at):
    """Bytes of the sub-record at a place."""
    tag = data[at]
    u16 = lambda place: struct.unpack_from(">H", data, place)[0]
    u32 = lambda place: struct.unpack_from(">I", data, place)[0]
    if tag in ROOTS:
        return 1 + ROOTS[tag]
    if tag == 0x21:
        return 25 + u32(at + 21)
    if tag == 0x22:
        return 25 + 8 * u32(at + 13)
    if tag == 0x23:
        return 18 + SIZES[data[at + 17]] * u32(at + 13)
    if tag != 0x20:
        raise SystemExit(f"sub-record tag {tag:#x} at {at}")
    end = at + 1 + 8 + 4 + 6 * 8 + 4
    pool, end = u16(end), end + 2
    for _ in range(pool):
        end += 3 + value(data[end + 2])
    statics, end = u16(end), end + 2
    for _ in range(statics):
        end += 9 + value(data[end + 8])
    fields, end = u16(end), end + 2
    return end + 9 * fields - at


def records(data):
    places, at = [], 0
    while at < len(data):
        end = at + length(data, at)
        places.append((at, end))
        at = end
    return places


def segments(file):
    """Offset and length of the sub-records of each segment."""
    file.seek(0)
    head = file.read(64)
    at = head.index(b"\0") + 1 + 12
    size = os.fstat(file.fileno()).st_size
    found = []
    while at < size:
        file.seek(at)
        tag, _, body = struct.unpack(">BII", file.read(9))
        if tag == 0x1C:
            found.append((at, body))
        at += 9 + body
    return found


def verify(heapsmith, recipe, file, changed):
    """The answer for the dump with the sub-records of some segments replaced."""
    child = subprocess.Popen(
        [heapsmith, "verify", "-", "--recipe", recipe], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )

    def copy(start, end):
        file.seek(start)
        while start < end:
            piece = file.read(min(1 << 20, end - start))
            child.stdin.write(piece)
            start += len(piece)

    at = 0
    try:
        for (start, body), data in sorted(changed.items()):
            copy(at, start + 5)
            child.stdin.write(struct.pack(">I", len(data)) + data)
            at = start + 9 + body
        copy(at, os.fstat(file.fileno()).st_size)
        child.stdin.close()
    except BrokenPipeError:
        pass
    said = child.stdout.read().decode()
    return child.wait(), said


def main():
    heapsmith, objects = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    recipe = f"heapsmith-2:preset=huge,objects={objects},seed=11"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump")
        subprocess.run([heapsmith, "generate", recipe, "-o", path], check=True)
        with open(path, "rb") as file:
            all_segments = segments(file)

            def read(number):
                start, body = all_segments[number]
                file.seek(start + 9)
                return all_segments[number], bytearray(file.read(body))

            middle, far = read(len(all_segments) // 2), read(len(all_segments) // 3)
            roots = next(part for part in map(read, range(len(all_segments))) if any(
                part[1][at] in ROOTS for at, _ in records(part[1])))
            places = records(middle[1])
            at = len(places) // 2

            def first(tag, least):
                return next(n for n in range(at, len(places)) if middle[1][places[n][0]] == tag
                            and places[n][1] - places[n][0] >= least)

            def changed(edit, part=middle):
                data = bytearray(part[1])
                edit(data)
                return {part[0]: bytes(data)}

            def byte(data):
                data[places[first(0x23, 24)][1] - 1] ^= 1

            def reference(data):
                start, end = places[first(0x22, 25 + 16)]
                other, _ = places[10]
                data[end - 8:end] = data[other + 1:other + 9]

            def swapped(data):
                (start, between), (_, end) = places[at], places[at + 1]
                data[start:end] = data[between:end] + data[start:between]

            def root(data):
                start, end = next(place for place in records(data) if data[place[0]] in ROOTS)
                del data[start:end]

            def twice(data):
                (start, end), (other, stop) = places[at], places[at + 3]
                data[other:stop] = data[start:end]

            def far_twice():
                start, end = places[at]
                data = bytearray(far[1])
                other, stop = records(data)[at // 2]
                data[other:stop] = middle[1][start:end]
                return {far[0]: bytes(data)}

            changes = [
                ("nothing", {}, 0),
                ("one byte of contents", changed(byte), 1),
                ("one reference", changed(reference), 1),
                ("two records swapped", changed(swapped), 1),
                ("a root dropped", changed(root, roots), 1),
                ("a record twice, another one near it dropped", changed(twice), 1),
                ("a record twice, another one far away dropped", far_twice(), 1),
            ]
            failed = 0
            print("| changed | exit code | what is said first |\n|---|---|---|")
            for what, edits, expected in changes:
                code, said = verify(heapsmith, recipe, file, edits)
                failed += code != expected
                print(f"| {what} | {code} | {said.splitlines()[0]} |", flush=True)
    if failed:
        raise SystemExit(f"{failed} of {len(changes)} answers are wrong")


if __name__ == "__main__":
    main()
