#!/usr/bin/env python3
"""Objects in blocks of a large heap, as specs/generator.md defines them.

blocks.py SEED SHAPES.json NUMBER...   prints objects by their numbers among those in blocks, from 0
blocks.py SEED SHAPES.json --all N     prints every N-th of them
blocks.py --vectors                    prints the test vectors of the specification
"""

import bisect
import copy
import json
import sys

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1
OBJECTS = 32
SHAPES = 64


def chacha8(seed, nonce):
    """The first 64 bytes of the key stream."""
    key = seed.to_bytes(8, "little") + bytes(24)
    words = [int.from_bytes(key[at : at + 4], "little") for at in range(0, 32, 4)]
    state = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *words, 0, 0, nonce & M32, nonce >> 32]
    now = list(state)

    def turn(word, by):
        return (word << by | word >> (32 - by)) & M32

    def quarter(a, b, c, d):
        now[a] = now[a] + now[b] & M32
        now[d] = turn(now[d] ^ now[a], 16)
        now[c] = now[c] + now[d] & M32
        now[b] = turn(now[b] ^ now[c], 12)
        now[a] = now[a] + now[b] & M32
        now[d] = turn(now[d] ^ now[a], 8)
        now[c] = now[c] + now[d] & M32
        now[b] = turn(now[b] ^ now[c], 7)

    for _ in range(4):
        for column in range(4):
            quarter(column, 4 + column, 8 + column, 12 + column)
        for diagonal in range(4):
            quarter(diagonal, 4 + (diagonal + 1) % 4, 8 + (diagonal + 2) % 4, 12 + (diagonal + 3) % 4)
    return b"".join((one + other & M32).to_bytes(4, "little") for one, other in zip(now, state))


def key_of(seed):
    stream = chacha8(seed, 4)
    return int.from_bytes(stream[0:4], "little") << 32 | int.from_bytes(stream[4:8], "little")


def word(key, number):
    a = key + (number + 1) * 0xA0761D6478BD642F & M64
    product = a * (a ^ 0xE7037ED1A0B428DB)
    return product & M64 ^ product >> 64


def lane(key, number):
    b = (number + 1) * 0x9E3779B1 & M32 ^ key & M32
    b = (b ^ b >> 16) * 0x7FEB352D & M32
    b = ((b ^ b >> 15) + (key >> 32)) * 0x846CA68B & M32
    return b ^ b >> 16


def below(bits, bound):
    return bits * bound >> 32


def five(key, bits):
    return (bits + (key >> 32)) * 0x9E3779B1 % (1 << 32) >> 27


def six(key, number):
    b = (number ^ key) % (1 << 32) * 0x7FEB352D & M32
    return (b ^ b >> 15) * 0x846CA68B % (1 << 32) >> 26


class Heap:
    def __init__(self, seed, given):
        self.key = key_of(seed)
        self.blocks = given["blocks"]
        self.base = int(given["base"], 16)
        self.shapes = given["shapes"]
        assert len(self.shapes) == SHAPES
        self.group = sum(shape["length"] for shape in self.shapes)
        self.starts = {}

    def starts_of(self, order):
        """Where each block of a group of this order starts in the group."""
        if order not in self.starts:
            starts, at = [], 0
            for number in range(SHAPES):
                starts.append(at)
                at += self.shapes[number ^ order]["length"]
            self.starts[order] = starts
        return self.starts[order]

    def order(self, block):
        return six(self.key, block // SHAPES)

    def shape(self, block):
        return self.shapes[block % SHAPES ^ self.order(block)]

    def start(self, block):
        return self.base + block // SHAPES * self.group + self.starts_of(self.order(block))[block % SHAPES]

    def address(self, block, place):
        return self.start(block) + self.shape(block)["objects"][place]["offset"]

    def find(self, address):
        """The number of the object at an address."""
        if address < self.base:
            return None
        group, within = divmod(address - self.base, self.group)
        starts = self.starts_of(six(self.key, group))
        number = bisect.bisect_right(starts, within) - 1
        block = group * SHAPES + number
        if block >= self.blocks:
            return None
        for place, known in enumerate(self.shape(block)["objects"]):
            if known["offset"] == within - starts[number]:
                return block * OBJECTS + place
        return None

    def references(self, block, key):
        """Where the open references of a block refer to, in turn."""
        shape = self.shape(block)
        targets = []
        for number in range(shape["far"] + shape["near"]):
            bits = lane(key, number)
            if number < shape["far"] or self.blocks < 256:
                to = below(bits, self.blocks)
            else:
                to = (block + (bits >> 24) - 128) % self.blocks
            targets.append(self.address(to, five(key, bits)))
        for held in (2 * block + 1, 2 * block + 2):
            targets.append(self.address(held if held < self.blocks else block, 0))
        targets += [self.start(block) + offset for offset in shape["own"]]
        assert len(targets) == len(shape["references"])
        return targets

    def object(self, number):
        """An object, as a listing has it."""
        block, place = divmod(number, OBJECTS)
        shape = self.shape(block)
        key = word(self.key, block)
        told = copy.deepcopy(shape["objects"][place])
        for (of, item), target in zip(shape["references"], self.references(block, key)):
            if of == place:
                if told["kind"] == "object":
                    told["values"][item][1] = hex(target)
                else:
                    told["elements"][item] = hex(target)
        stream = b"".join(
            (word(key, i) & int(keeps, 16) | int(adds, 16)).to_bytes(8, "big")
            for i, (keeps, adds) in enumerate(shape["masks"])
        )
        at = 0
        for of, *item, count in shape["values"]:
            bytes_ = stream[at : at + count]
            at += count
            if of == place and item:
                told["values"][item[0]][1] = hex(int.from_bytes(bytes_, "big"))
            elif of == place:
                told["contents"] = bytes_.hex()
        if place in shape["hashed"]:
            keeps, adds = (int(mask, 16) for mask in shape["hash"])
            nth = shape["far"] + shape["near"] + shape["hashed"].index(place)
            name = "hash16" if "hash16" in told else "hash32"
            told[name] = hex(lane(key, nth) & keeps | adds)
        address = self.start(block) + told.pop("offset")
        assert self.find(address) == number
        return {"kind": told.pop("kind"), "address": hex(address), **told}


def vectors():
    """Rows of arguments and results."""
    print("```text")
    for seed in (0, 1, 7, 0xFFFFFFFFFFFFFFFF):
        print(f"key of seed {seed:#x} = {key_of(seed):#018x}")
    keys = (0, 0x0123456789ABCDEF, M64)
    for key in keys:
        for number in (0, 1, 63, 1 << 32, (1 << 37) - 1):
            print(f"word({key:#x}, {number:#x}) = {word(key, number):#018x}")
    for key in keys:
        for number in (0, 1, 63, M32):
            bits = lane(key, number)
            print(f"lane({key:#x}, {number:#x}) = {bits:#010x}, five = {five(key, bits)}")
    for bits, bound in ((0, 5), (M32, 5), (0x80000000, 5), (0x12345678, 1 << 32)):
        print(f"below({bits:#x}, {bound:#x}) = {below(bits, bound):#x}")
    for key in keys:
        print(f"six({key:#x}, 0 to 7) = {' '.join(str(six(key, number)) for number in range(8))}")
    print("```")


def small():
    """The small heap of the specification."""

    def shape(number):
        kinds = ("object", "object", "int", "boolean", "object")
        instance = {"kind": "object", "class": "0x200", "values": [[kind, "0x0"] for kind in kinds]}
        objects = [
            {"kind": "object-array", "array_class": "0x100", "length": 33, "elements": ["0x0"] * 33},
            {**instance, "hash32": "0x0"},
            {"kind": "primitive-array", "element": "char", "length": 4, "contents": "00" * 8},
        ]
        objects += [{"kind": "object", "class": "0x300", "values": []}] * 29
        letters, additions = "0e", "61"
        return {
            "length": 256 + 8 * number,
            "objects": [{"offset": 8 * place, **known} for place, known in enumerate(objects)],
            "references": [[1, 0], [1, 1], *([0, item] for item in range(33))],
            "far": 1,
            "near": 1,
            "own": [8 * place for place in range(1, 32)],
            "values": [[1, 2, 4], [1, 3, 1], [2, 8]],
            "masks": [
                ["0xffffffff01" + "00" + letters + "00", "0x" + "00" * 6 + additions + "00"],
                ["0x" + (letters + "00") * 2 + letters + "000000", "0x" + (additions + "00") * 2 + additions + "000000"],
            ],
            "hashed": [1],
            "hash": ["0xffffffff", "0x1"],
        }

    return {"blocks": 300, "base": "0x100000", "shapes": [shape(number) for number in range(SHAPES)]}


def line(told):
    return json.dumps(told, separators=(",", ":"))


def main():
    if sys.argv[1:] == ["--vectors"]:
        vectors()
        heap, numbers = Heap(7, small()), (0, 1, 2, 33, 34, 37, 299 * OBJECTS, 9599)
        print("\n```text")
        for number in numbers:
            print(f"{number} {line(heap.object(number))}")
        print("```")
        return
    seed, path, *numbers = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        given = json.load(file)
    heap = Heap(int(seed), given)
    if numbers[:1] == ["--all"]:
        numbers = range(0, heap.blocks * OBJECTS, int(numbers[1]))
    for number in numbers:
        print(line(heap.object(int(number))))


if __name__ == "__main__":
    main()
