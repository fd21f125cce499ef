#!/usr/bin/env python3
"""adapter.py with one mistake, to see that `heapsmith check --adapter` finds it.

    python3 mistaken.py MISTAKE [HEAPSMITH]

Each answer is the right one but for the mistake, and wholly right where a dump gives no occasion for it. The mistake
`ignore-a-hash` is made in what `heapsmith decode` tells of PHD, because HPROF has no hashes; HEAPSMITH is that program.
"""
import json, subprocess, sys

sys.dont_write_bytecode = True  # an adapter writes nothing beside itself
import adapter

HEAPSMITH = (sys.argv[2:] or ["heapsmith"])[0]
NULL = "0x0"
PHD_FACETS = ["address", "kind", "class-name", "superclass", "instance-size", "class", "class-word", "object-size",
              "array-length", "hash-16", "hash-32", "references", "class-references", "reference-order", "record-order"]
right_parse, right_answer = adapter.parse, adapter.answer


def shift_a_reference(path, heap, omits):
    """The first reference that is not null is 8 too high."""
    lines = right_parse(path, heap, omits)
    for line in lines:
        for value in line.get("values", []):
            if value[0] == "object" and value[1] != NULL:
                value[1] = hex(int(value[1], 16) + 8)
                return lines
        elements = line.get("elements", [])
        for index, element in enumerate(elements):
            if element != NULL:
                elements[index] = hex(int(element, 16) + 8)
                return lines
    return lines


def drop_a_null(path, heap, omits):
    """The first array with a null lacks it; the length stays."""
    lines = right_parse(path, heap, omits)
    for line in lines:
        if NULL in line.get("elements", []):
            line["elements"].remove(NULL)
            break
    return lines


def ignore_a_hash(path, heap, omits):
    """The first record with a hash has none."""
    run = subprocess.run([HEAPSMITH, "decode", path], stdout=subprocess.PIPE)
    if run.returncode == 1:
        raise adapter.Refusal("decode refuses it")
    run.check_returncode()
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    for line in lines:
        if "hash16" in line or "hash32" in line:
            line.pop("hash16", line.pop("hash32", None))
            break
    return lines


def swap_two_records(path, heap, omits):
    """The first two records stand in each other's place."""
    head, *lines = right_parse(path, heap, omits)
    return [head, *lines[1::-1], *lines[2:]]


def accept_a_truncated_file(path, heap, omits):
    """A record that the file ends in is left out without a word."""
    with open(path, "rb") as dump:
        data = dump.read()
    at, end = 31, len(data)
    while at < len(data):
        end = at
        at += 9 + int.from_bytes(data[at + 5:at + 9], "big")
    return adapter.hprof(data if at == len(data) else data[:end])


def answer_another_cases_id(request):
    """The answer to a dump has the id of the case after it."""
    right = right_answer(request)
    return {**right, "id": request["id"] + 1} if request["op"] == "parse" else right


PARSERS = {
    "shift-a-reference": shift_a_reference,
    "drop-a-null": drop_a_null,
    "ignore-a-hash": ignore_a_hash,
    "swap-two-records": swap_two_records,
    "accept-a-truncated-file": accept_a_truncated_file,
    "answer-another-cases-id": right_parse,
}

if __name__ == "__main__":
    mistake = (sys.argv[1:] or [""])[0]
    if mistake not in PARSERS:
        sys.exit(f"usage: mistaken.py {'|'.join(PARSERS)} [HEAPSMITH]")
    adapter.HELLO["name"] = f"template with {mistake}"
    adapter.parse = PARSERS[mistake]
    if mistake == "ignore-a-hash":
        adapter.HELLO.update(reads=["phd"], facets=PHD_FACETS)
    if mistake == "answer-another-cases-id":
        adapter.answer = answer_another_cases_id
    adapter.main()
