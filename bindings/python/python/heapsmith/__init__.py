"""heapsmith for Python: heap dumps of JVMs made, changed and judged in the process of a program, a test or a fuzzer.

Dumps are bytes in every format that heapsmith knows: HPROF, portable heap dumps (PHD) and classic text. Sizes are in bytes.

>>> import heapsmith
>>> dump = heapsmith.generate("preset=tiny,objects=20,seed=7,format=hprof")
>>> heapsmith.validate(dump)["valid"]
True
"""

from ._cases import Answer, Case, case_ids, corpus
from ._check import CaseResult, Cause, CheckReport, OtherFact, check
from ._dumps import (
    answers,
    build,
    compare,
    compare_digest,
    cross_over,
    digest,
    dump_from_bytes,
    generate,
    is_dump,
    listing,
    mutate,
    validate,
)
from ._marks import HeapDumps, heap_dumps
from ._native import (
    ArgumentError,
    DefectError,
    Heap,
    HeapClass,
    HeapObject,
    HeapRoot,
    HeapsmithError,
    InvalidError,
    LimitError,
)
from .adapter import Refused, Skip
from .sink import HeapSink

__all__ = [
    "Answer",
    "ArgumentError",
    "Case",
    "CaseResult",
    "Cause",
    "CheckReport",
    "DefectError",
    "Heap",
    "HeapClass",
    "HeapDumps",
    "HeapObject",
    "HeapRoot",
    "HeapSink",
    "HeapsmithError",
    "InvalidError",
    "LimitError",
    "OtherFact",
    "Refused",
    "Skip",
    "answers",
    "build",
    "case_ids",
    "check",
    "compare",
    "compare_digest",
    "corpus",
    "cross_over",
    "digest",
    "dump_from_bytes",
    "generate",
    "heap_dumps",
    "is_dump",
    "listing",
    "mutate",
    "validate",
]
