"""Views of a heap, over a dump that is spelled by hand."""

import gc

import pytest

import heapsmith


def test_a_heap_is_read_by_names(hprof):
    heap = heapsmith.Heap.read(hprof)
    assert [(one.name, one.address, one.fields, one.statics, one.superclass) for one in heap.classes] == [
        ("A", 0x1000, [("n", "int")], {}, None)
    ]
    instance = heap.at(0x2000)
    assert (instance["n"], instance.items(), instance.kind, instance.class_.name) == (-42, [("n", -42)], "object", "A")
    characters = heap.at(0x3000)
    assert (characters.elements, characters.contents) == (["A", "\ud83d"], b"\x00\x41\xd8\x3d")
    assert (characters.kind, characters.element, characters.length) == ("primitive-array", "char", 2)
    array = heap.at(0x4000)
    assert (array.elements, array.references, array.kind) == ([instance, None], [0x2000], "object-array")
    (root,) = heap.roots
    assert (root.kind, root.object, root.thread) == ("jni-global", instance, None)
    assert heap.at(0x5000) is None


def test_objects_are_a_sequence(hprof):
    heap = heapsmith.Heap.read(hprof)
    addresses = [0x2000, 0x3000, 0x4000]
    assert (len(heap), [one.address for one in heap.objects]) == (3, addresses)
    assert [one.address for one in heap] == addresses
    assert heap[-1].address == 0x4000
    for place in (3, -4):
        with pytest.raises(IndexError, match="the heap has 3 objects"):
            heap[place]
    with pytest.raises(KeyError):
        heap[0]["m"]
    with pytest.raises(KeyError):
        heap.class_named("B")


def test_a_view_keeps_its_heap(hprof):
    instance = heapsmith.Heap.read(hprof).at(0x2000)
    gc.collect()
    assert instance["n"] == -42


def test_a_heap_is_written_and_read(hprof, phd):
    heap = heapsmith.Heap.read(hprof)
    for writer in ("hprof", "hprof/agent"):
        again = heapsmith.Heap.read(heap.write(writer))
        assert [one.name for one in again.classes] == ["A"]
        assert (again.at(0x2000)["n"], again.at(0x3000).contents) == (-42, b"\x00\x41\xd8\x3d")
    with pytest.raises(heapsmith.ArgumentError, match="hprof"):
        heap.write("gif")
    # A PHD has no roots, and no static fields, which an HPROF has.
    assert heapsmith.Heap.read(phd).roots is None
    with pytest.raises(heapsmith.ArgumentError, match="static fields"):
        heapsmith.Heap.read(phd).write("hprof")


def test_a_random_heap_has_200_objects():
    assert len(heapsmith.Heap.random(7)) == 200
    assert heapsmith.Heap.random(7).write("hprof") == heapsmith.Heap.random(7).write("hprof")


def test_a_heap_that_there_is_not_is_refused(hprof):
    with pytest.raises(heapsmith.ArgumentError, match="the dump has no heap 1; it has 1, counted from 0"):
        heapsmith.Heap.read(hprof, 1)
    with pytest.raises(heapsmith.InvalidError):
        heapsmith.Heap.read(hprof[:-3])
