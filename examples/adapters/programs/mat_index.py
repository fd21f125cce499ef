"""Eclipse MAT's index files with one number for each object, as hprof-analyzer writes them.

A file is pages of numbers, the places of the pages as 8-byte integers, the numbers of a page and of the file in 4 bytes each. A
page has a byte with the bits of a number, one with the zero bits below them, and the numbers, the first bits first.
"""

import struct


def numbers(path, bits):
    """The numbers in a file, of that many bits each, the sign among them."""
    with open(path, "rb") as file:
        data = file.read()
    page, count = struct.unpack(">ii", data[-8:])
    pages = -(-count // page)
    places = struct.unpack(f">{pages + 1}q", data[-16 - 8 * pages:-8])
    found = []
    for at, (start, end) in enumerate(zip(places, places[1:])):
        found += of_page(data[start:end], min(page, count - at * page), bits)
    return found


def of_page(data, count, bits):
    kept, zeros = data[0], data[1]
    joined, total = int.from_bytes(data[2:], "big"), 8 * (len(data) - 2)
    for place in range(1, count + 1):
        number = (joined >> (total - kept * place) & (1 << kept) - 1) << zeros if kept else 0
        yield number - (1 << bits) if number >> bits - 1 else number
