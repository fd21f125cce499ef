"""Parsers in this process, judged over the corpus."""

import json
import sys
import traceback

import pytest
import toy_parser

import heapsmith
from heapsmith import adapter
from heapsmith.sink import HeapSink

FACETS = ["superclass", "class", "array-length", "elements", "primitive-contents"]
CLAIMS = {"name": "toy", "version": "1", "reads": ["hprof"], "facets": FACETS}
WRONG = "hprof-spelled-high-ids"
RIGHT = "hprof-spelled-no-name"


def toy(path, heap):
    return toy_parser.parse(path)


def check(parse=toy, filter=(WRONG, RIGHT), **options):
    options = {"claims": CLAIMS, "refused_by": (toy_parser.Refusal,), "explain": 0, **options}
    return heapsmith.check(parse, "hprof", filter, **options)


def test_a_wrong_fact_is_found_with_its_bytes():
    report = check()
    (wrong,) = report.failed
    assert (wrong.id, wrong.verdict, wrong.fact, wrong.address) == (WRONG, "fail", "address", "0x80001000")
    # The identifier of 4 bytes, sign-extended to 8.
    assert "0xffffffff80001000" in wrong.found
    assert "80001000" in wrong.bytes
    assert [one.id for one in report.passed] == [RIGHT]
    assert not report.is_clean
    with pytest.raises(AssertionError, match="2 cases: 1 passed, 1 failed"):
        report.raise_for_failures()


def test_a_cause_is_found_by_experiment():
    report = check(filter=WRONG, explain=500)
    (cause,) = report.causes
    assert cause.cases == (WRONG,) and "0x80000000" in cause.sentence
    # The greatest number that its sign does not change, and the first one that it does.
    assert cause.pair.startswith("passes with 7fffffff, fails with 80000000 at offset 0x")
    assert report.failed[0].cause == cause and cause.pair in report.failed[0].describe()


def test_a_report_is_that_of_the_command():
    told = check().json
    assert told["implementations"][0]["label"] == "toy 1"
    assert [case["id"] for case in told["cases"]] == [WRONG, RIGHT]


def test_a_sink_says_the_same_as_lines():
    def parse(path, heap):
        for line in toy_parser.parse(path):
            kind, address = line.pop("kind"), int(line.pop("address"), 16)
            if kind == "class":
                heap.cls(address, super=int(line["super"], 16))
            elif kind == "object":
                heap.object(address, class_=int(line["class"], 16))
            elif kind == "object-array":
                heap.array(address, "object", **{**line, "elements": [int(one, 16) for one in line["elements"]]})
            else:
                contents = line.pop("contents")
                heap.array(address, contents=None if contents is None else bytes.fromhex(contents), **line)

    filters = ["hprof-spelled-*"]
    lines, calls = check(filter=filters), check(parse, filter=filters)
    assert len(lines.results) > 100
    # The name of a list of a parser's lines differs, and nothing else.
    assert [vars(one) for one in lines.results.values()] == [vars(one) for one in calls.results.values()]


def test_a_listing_as_text_is_judged():
    def parse(path, heap):
        with open(path, "rb") as file:
            return heapsmith.listing(file.read())

    report = heapsmith.check(parse, "phd", "phd6-spelled-*", claims={"facets": ["class", "references"]}, refused_by=(heapsmith.InvalidError,), explain=0)
    assert report.passed and not report.failed


def test_what_is_claimed_is_required_and_nothing_else():
    def parse(path, heap):
        for line in toy_parser.parse(path):
            line.pop("elements", None)
            yield line

    case = "hprof-hotspot-25-8"
    (missing,) = check(parse, filter=case).failed
    assert (missing.fact, missing.found) == ("elements", "nothing")
    fewer = {**CLAIMS, "facets": [facet for facet in FACETS if facet != "elements"]}
    report = check(parse, filter=case, claims=fewer)
    assert report.is_clean and "elements" in report.not_judged


@pytest.mark.parametrize("declared, verdict", [({}, "fail"), ({"class_names": "java"}, "pass")])
def test_declarations_hold_as_those_of_an_adapter(declared, verdict):
    def java_names(path, heap):
        with open(path, "rb") as file:
            read = heapsmith.Heap.read(file.read())
        for one in read.classes:
            heap.cls(one.address, name=one.name)
        for one in read.objects:
            if one.element:
                heap.array(one.address, one.element)
            else:
                heap.object(one.address)

    report = check(java_names, filter="hprof-hotspot-25-8", claims={"reads": ["hprof"], "facets": ["class-name"], **declared})
    result = report.results["hprof-hotspot-25-8"]
    assert (result.verdict, result.fact) == (verdict, "class-name" if verdict == "fail" else "")


def test_refusals_and_crashes_are_told_apart():
    def refuses(path, heap):
        raise heapsmith.Refused("too new", offset=13)

    def ends(path, heap):
        raise EOFError("at offset 0x1f")

    def fails(path, heap):
        raise ZeroDivisionError("by zero")

    (refused,) = check(refuses, filter=RIGHT).failed
    assert (refused.verdict, refused.expected, refused.found) == ("wrong-verdict", "accept", "refused: too new")
    assert refused.bytes.startswith("offset 0x")
    assert check(ends, filter=RIGHT, refused_by=(EOFError,)).failed[0].verdict == "wrong-verdict"
    (crash,) = check(fails, filter=RIGHT).failed
    assert crash.verdict == "crash"
    assert "in fails" in crash.detail and "ZeroDivisionError: by zero" in crash.detail
    # A parser that ends the program ends one case.
    (ended,) = check(lambda path, heap: sys.exit(2), filter=RIGHT).failed
    assert ended.verdict == "crash" and "SystemExit: 2" in ended.detail
    # The first frame is the parser's.
    assert "heapsmith/adapter.py" not in crash.detail


def test_a_case_can_be_skipped():
    def skips(path, heap):
        raise heapsmith.Skip("no time")

    report = check(skips, filter=RIGHT)
    assert [(one.id, one.detail) for one in report.skipped] == [(RIGHT, "no time")]
    # Nothing was judged.
    assert not report.is_clean


def test_expected_failures_are_known(tmp_path):
    report = check(expected={WRONG: "issue 7"})
    assert report.is_clean and [(one.id, one.reason) for one in report.known] == [(WRONG, "issue 7")]
    path = tmp_path / "expected.toml"
    path.write_text(f'[[expect]]\nreason = "issue 7"\nverdicts = ["fail"]\ncases = ["{WRONG}", "{RIGHT}"]\n')
    (passed,) = check(expected=path).failed
    assert passed.id == RIGHT and "remove it" in passed.describe()
    with pytest.raises(heapsmith.ArgumentError, match="there is none"):
        check(expected={"hprof-spelled-hihg-ids": "misspelled"})


def test_warnings_of_a_sound_dump_are_wrong():
    def warns(path, heap):
        heap.warnings.append("odd")
        return toy_parser.parse(path)

    assert check(warns, filter=RIGHT).failed[0].verdict == "wrong-verdict"


def test_one_heap_of_several_is_asked_for():
    several = [case.id for case in heapsmith.corpus("hprof") if case.heap is not None and case.verdict == "valid"]
    numbers = []

    def parse(path, heap):
        numbers.append(heap.number)
        assert heap.format == "hprof"
        return heapsmith.listing(path.read_bytes(), heap.number or 0)

    claims = {"reads": ["hprof"], "facets": ["class", "elements"], "heaps": True}
    report = heapsmith.check(parse, "hprof", several, claims=claims, explain=0)
    assert report.is_clean and len(report.passed) == len(several) > 1
    assert {0, 1} <= set(numbers)
    # The first heap in the place of another one is wrong.
    wrong = heapsmith.check(lambda path, heap: heapsmith.listing(path.read_bytes()), "hprof", several, claims=claims, explain=0)
    assert wrong.failed


def test_counts_are_judged():
    def counts(path, heap):
        lines = list(toy_parser.parse(path))
        return {"classes": sum(line["kind"] == "class" for line in lines)}

    claims = {"reads": ["hprof"], "levels": ["counts"], "counts": ["classes"]}
    assert heapsmith.check(counts, "hprof", "hprof-hotspot-25-8", claims=claims, explain=0).is_clean
    assert heapsmith.check(lambda path, heap: {"classes": 0}, "hprof", "hprof-hotspot-25-8", claims=claims, explain=0).failed


def test_wrong_claims_are_an_error():
    with pytest.raises(heapsmith.ArgumentError, match="claims: .*class_names"):
        check(claims={"class_names": "kotlin"})
    with pytest.raises(heapsmith.ArgumentError, match="claims: .*gif"):
        check(claims={"reads": ["gif"]})
    with pytest.raises(ValueError, match="converts is not for a parser"):
        check(claims={"converts": []})


def test_random_dumps_are_drawn_from_the_seed():
    first, again = (heapsmith.case_ids("hprof", "random-*", random=3, seed=seed) for seed in (1, 1))
    assert first == again and len(first) == 3
    report = check(filter="random-*", random=3, seed=1)
    assert sorted(report.results) == sorted(first)


def test_an_interrupt_ends_the_run():
    asked = []

    def interrupted(path, heap):
        asked.append(path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        check(interrupted, filter="hprof-spelled-*")
    assert len(asked) == 1 and "interrupted" in "".join(traceback.format_tb(raised.tb))


@pytest.mark.parametrize("facet", sorted({facet for facets in adapter._COUNTED.values() for facet in facets}))
def test_counted_facets_need_no_line(facet):
    """A heap without roots, threads and events is reported by no line, and the head says so."""
    report = heapsmith.check(lambda path, heap: None, "hprof", "hprof-spelled-empty", claims={"facets": [facet]}, explain=0)
    assert report.results["hprof-spelled-empty"].verdict != "adapter-error"


def test_every_counted_facet_is_known():
    """Whatever facet a parser claims, what it does not list of an empty heap is no fault of the adapter."""
    facets = check(filter=RIGHT).not_judged
    assert len(facets) > 40
    for facet in facets:
        report = heapsmith.check(lambda path, heap: None, "hprof", "hprof-spelled-empty", claims={"facets": [facet]}, explain=0)
        result = report.results["hprof-spelled-empty"]
        assert result.verdict != "adapter-error", f"{facet}: {result.detail}"


def test_texts_and_numbers_are_spelled_as_a_listing_has_them():
    heap = HeapSink()
    heap.head(identifier_size=4)
    heap.cls(16, name="a\ud83d", statics=[{"name": b"\xff", "type": "float", "value": float("nan")}])
    heap.array(32, "int", contents=b"\0\1", length=None)
    heap.object(48, class_=16, values=[("double", float("-inf")), ("boolean", True)])
    heap.root("jni-local", 48, thread=1, frame=0)
    assert [json.loads(line) for line in heap.listing(["root", "thread"])] == [
        {"listing": 1, "roots": 1, "threads": 0, "identifier_size": 4},
        {"kind": "class", "address": 16, "name": {"utf16": "0061d83d"},
         "statics": [{"name": {"bytes": "ff"}, "type": "float", "value": "NaN"}]},
        {"kind": "primitive-array", "address": 32, "element": "int", "contents": "0001"},
        {"kind": "object", "address": 48, "class": 16, "values": [["double", "-Infinity"], ["boolean", True]]},
        {"kind": "root", "root": "jni-local", "object": 48, "thread": 1, "frame": 0},
    ]  # fmt: skip
