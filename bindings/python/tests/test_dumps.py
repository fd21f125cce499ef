"""Functions over dumps; what they give is spelled by hand."""

import array
import json
import math
import threading

import pytest

import heapsmith

TINY = "preset=tiny,objects=20,seed=7,format=hprof"


def test_a_recipe_makes_the_same_dump_each_time():
    dump = heapsmith.generate(TINY)
    assert dump[:19] == b"JAVA PROFILE 1.0.2\0"
    assert dump == heapsmith.generate(TINY)
    assert dump != heapsmith.generate(TINY.replace("seed=7", "seed=8"))
    assert heapsmith.validate(dump)["valid"]


def test_a_dump_has_a_limit():
    with pytest.raises(heapsmith.LimitError, match="more than 100 bytes"):
        heapsmith.generate(TINY, max_size=100)
    with pytest.raises(heapsmith.LimitError, match="more than 100 bytes"):
        heapsmith.validate(heapsmith.generate(TINY), max_size=100)


def test_errors_have_a_class_for_each_fault(hprof):
    with pytest.raises(heapsmith.ArgumentError, match="did you mean objects"):
        heapsmith.generate("objcts=20")
    with pytest.raises(heapsmith.InvalidError, match="offset"):
        heapsmith.listing(hprof[:-3])
    with pytest.raises(heapsmith.ArgumentError, match="no heap 1"):
        heapsmith.listing(hprof, 1)
    with pytest.raises(TypeError, match="expected bytes, bytearray or another buffer, found str"):
        heapsmith.validate("JAVA PROFILE 1.0.2")
    for error in (heapsmith.ArgumentError, heapsmith.InvalidError, heapsmith.LimitError, heapsmith.DefectError):
        assert issubclass(error, heapsmith.HeapsmithError)


@pytest.mark.parametrize("format", ["hprof", "phd6/openj9", "classic"])
def test_a_heap_file_becomes_a_dump(format):
    text = 'class shop.Order { int id; double price; shop.Order next }\nobject first shop.Order id=1 price=#nan next=@first\n'
    dump = heapsmith.build(text, format)
    assert dump == heapsmith.build(text.encode(), format)
    heap = heapsmith.Heap.read(dump)
    order = heap.class_named("shop.Order")
    first = next(one for one in heap.objects if one.class_ == order)
    if format == "hprof":
        assert (first["id"], first["next"]) == (1, first) and math.isnan(first["price"])
    assert first.references == [first.address]


def test_a_heap_file_with_errors_is_refused_with_their_lines():
    with pytest.raises(heapsmith.ArgumentError, match="2"):
        heapsmith.build("class A { int n }\nobject a B n=1\n", "hprof")


def test_a_mutant_is_another_dump_of_at_most_the_size(hprof):
    mutant = heapsmith.mutate(hprof, 7, 4096)
    assert mutant != hprof and len(mutant) <= 4096
    assert mutant == heapsmith.mutate(bytearray(hprof), 7, 4096)
    assert {heapsmith.mutate(hprof, seed, 4096) for seed in range(20)} > {mutant}
    assert heapsmith.is_dump(mutant) and not heapsmith.is_dump(b"GIF89a")


def test_inputs_are_crossed_over(hprof):
    other = heapsmith.generate(TINY)
    crossed = {heapsmith.cross_over(hprof, other, seed, 1 << 20) for seed in range(10)}
    assert len(crossed) > 1 and all(heapsmith.is_dump(one) for one in crossed)
    assert any(len(one) > len(hprof) for one in crossed)


def test_no_bytes_are_the_dump_of_the_options():
    assert heapsmith.dump_from_bytes(TINY, b"") == heapsmith.generate(TINY)
    assert heapsmith.dump_from_bytes(TINY, bytes(range(64))) != heapsmith.generate(TINY)


def test_findings_name_rule_and_offset(hprof):
    assert heapsmith.validate(hprof)["valid"]
    cut = heapsmith.validate(hprof[:-1])
    assert not cut["valid"]
    # The HEAP DUMP whose length is wrong now: 31 bytes of header, two texts of 14, a trace of 21, a LOAD CLASS of 25.
    assert any(finding["severity"] == "error" for finding in cut["findings"])
    assert 31 + 14 + 14 + 21 + 25 == hprof.index(b"\x0c\0\0\0\0")


def test_a_listing_has_a_line_for_each_class_and_object(phd):
    lines = [json.loads(line) for line in heapsmith.listing(phd).splitlines()]
    assert lines[0]["listing"] == 1 and lines[0]["word_size"] == 32 and lines[0]["version_text"] == "tiny"
    facts = [(line["kind"], line["address"], line.get("class")) for line in lines[1:]]
    assert facts == [
        ("class", "0x1000", None),
        ("class", "0x1040", None),
        ("object", "0x1080", "0x1040"),
        ("object-array", "0x1090", "0x1040"),
        ("primitive-array", "0x10a8", None),
    ]


def test_a_listing_is_compared_fact_by_fact(phd):
    ours = heapsmith.listing(phd)
    assert heapsmith.compare(phd, ours)["equal"]
    wrong = heapsmith.compare(phd, ours.replace('"0xcafe"', '"0xcaff"').encode())
    assert not wrong["equal"]
    assert [(one["facet"], one["address"]) for one in wrong["differences"]] == [("hash-32", "0x1080")]
    with pytest.raises(heapsmith.InvalidError):
        heapsmith.compare(phd, "no listing")


def test_a_digest_is_compared(phd):
    digest = heapsmith.digest(phd)
    assert heapsmith.compare_digest(phd, digest)["against"]["equal"]
    other = phd.replace(bytes.fromhex("0000cafe"), bytes.fromhex("0000caff"))
    assert not heapsmith.compare_digest(other, digest)["against"]["equal"]


def test_answers_count_what_roots_lead_to(hprof):
    told = heapsmith.answers(hprof)
    # The instance with its field of 4 bytes, and its class; the two arrays are garbage: 2 characters, and 2 references of 4 bytes.
    assert told["reachable"] == {"classes": 1, "objects": 1, "bytes": 4}
    assert told["unreachable"] == {"classes": 0, "objects": 2, "bytes": 12}


def test_any_buffer_is_read(hprof):
    told = heapsmith.listing(hprof)
    padded = memoryview(b"xx" + hprof + b"yy")
    for buffer in (bytearray(hprof), memoryview(hprof), padded[2:-2], array.array("B", hprof)):
        assert heapsmith.listing(buffer) == told
    # A view with gaps is no buffer in one piece.
    with pytest.raises(TypeError, match="contiguous"):
        heapsmith.listing(memoryview(hprof)[::2])


def test_other_threads_run_meanwhile():
    dump = heapsmith.generate("preset=tiny,objects=20000,seed=7,format=hprof")
    is_over = threading.Event()

    def work():
        heapsmith.validate(dump)
        is_over.set()

    thread = threading.Thread(target=work)
    thread.start()
    steps = 0
    while not is_over.is_set():
        steps += 1
    thread.join()
    # With the interpreter's lock held, this thread would stand still from the call to its end.
    assert steps > 10_000


def test_the_corpus_has_cases_with_answers():
    cases = list(heapsmith.corpus("hprof", "hprof-spelled-high-ids"))
    assert [case.id for case in cases] == ["hprof-spelled-high-ids"]
    (case,) = cases
    assert (case.format, case.verdict, case.heap) == ("hprof", "valid", None)
    assert b"\x80\x00\x10\x00" in case.dump
    (answer,) = case.answers
    assert '"address":"0x80001000"' in answer.listing
    (refused,) = heapsmith.corpus(filter="hprof-spelled-cut-in-header")
    assert refused.verdict == "invalid" and [answer.listing for answer in refused.answers] == [None]
    with pytest.raises(heapsmith.ArgumentError, match="no case matches"):
        list(heapsmith.corpus(filter="hprof-nothing"))
    with pytest.raises(heapsmith.ArgumentError, match="the format"):
        list(heapsmith.corpus("gif"))
