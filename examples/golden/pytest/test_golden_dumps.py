"""Runs a parser over golden dumps (`heapsmith corpus export -o golden`): copy this file, and call your parser in `parse`.

    GOLDEN=golden pytest test_golden_dumps.py
"""
import gzip, itertools, json, os, pathlib

import pytest

import toy_parser

FOLDER = pathlib.Path(os.environ.get("GOLDEN", "golden"))
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
# The facets that this parser knows, by the kind of line and its key. Begin with few.
FACETS = {
    "class": {"super": "superclass"},
    "object": {"class": "class"},
    "object-array": {"array_class": "class", "length": "array-length", "elements": "elements"},
    "primitive-array": {"element": "kind", "length": "array-length", "contents": "primitive-contents"},
}


def parse(path):
    """YOUR PARSER GOES HERE. The lines of classes and objects; None if the parser refuses the dump."""
    try:
        return toy_parser.parse(path)
    except toy_parser.Refusal:
        return None


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in MANIFEST["cases"]])
def test_case(case):
    if case["format"] != "hprof":
        pytest.skip("this parser reads HPROF only")
    if "heap" in case:
        pytest.skip("this parser reads files with one heap only")
    found = parse(FOLDER / case["dump"]["path"])
    differences = [difference(answer["listing"], found) for answer in case["answers"]]
    if None not in differences:
        pytest.fail(message(case, *differences[0]), pytrace=False)


def difference(listing, found):
    """The first fact that is not as in this answer: facet, address, expected, found. None if there is none."""
    if listing is None or found is None:
        said = ["a refusal" if lines is None else "a heap" for lines in (listing, found)]
        return None if said[0] == said[1] else ("verdict", None, *said)
    text = (FOLDER / listing["path"]).read_text(encoding="utf-8")
    expected = by_address(line for line in map(json.loads, text.splitlines()) if line.get("kind") in FACETS)
    found = by_address(found)
    for key in itertools.chain(expected, found):
        one, other = (lines.get(key, {"kind": "nothing"}) for lines in (expected, found))
        if one["kind"] != other["kind"]:
            return "kind" if key in expected and key in found else "address", key[0], one["kind"], other["kind"]
        for name, facet in FACETS[one["kind"]].items():
            if one.get(name) is not None and one[name] != other.get(name):
                return facet, key[0], one[name], other.get(name)
    return None


def by_address(lines):
    """Lines by their address; of several with one address, by their order too."""
    seen, keyed = {}, {}
    for line in lines:
        seen[line["address"]] = count = seen.get(line["address"], 0) + 1
        keyed[line["address"], count] = line
    return keyed


def message(case, facet, address, expected, found):
    """What is wrong, by which rule, and the bytes that say it."""
    rule, offset, length = place(case, facet, address)
    data = (FOLDER / case["dump"]["path"]).read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    statement = MANIFEST["rules"].get(rule, {}).get("statement", "")
    at = f" at {address}" if address else ""
    return "\n".join([
        f"{case['id']}: {case['summary']}",
        f"  facet:    {facet}{at}",
        f"  expected: {expected}",
        f"  found:    {found}",
        f"  rule:     {rule}: {statement}",
        f"  bytes:    {offset} to {offset + length}: {data[offset:offset + min(length, 16)].hex(' ')}",
    ])


def place(case, facet, address):
    """The rule that is the best guess, and the offset and length of the bytes that rely on it for a class or object."""
    if facet == "verdict":
        finding = case["finding"] or {"rule": None, "offset": 0}
        return finding["rule"], finding["offset"], 1
    about = set(itertools.chain(*case["about"].values()))
    records = [(offset, length) for of, offset, length in case["records"] if of == address]
    outside = lambda at: not any(offset <= at < offset + length for offset, length in records)
    guesses = []
    for rule, places in case["relies"].items():
        facets = MANIFEST["rules"][rule]["facets"]
        here = sorted((outside(offset), offset, length) for of, offset, length in places if of == address)
        if here and (facet in facets or "all" in facets):
            guesses.append((rule not in about, facet not in facets, rule, *here[0][1:]))
    if guesses:
        return min(guesses)[2:]
    return (None, *records[0]) if records else (None, 0, 0)
