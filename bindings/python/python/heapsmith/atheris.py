"""A mutator and a crossover of heap dumps for atheris, the coverage-guided fuzzer of Python.

    atheris.Setup(sys.argv, test_one_input, custom_mutator=custom_mutator, custom_crossover=custom_crossover)

Dumps of every format are changed so that they mostly stay readable to their end. Bytes that are no dump are changed without regard to
a format.
"""

from __future__ import annotations

from . import _native

__all__ = ["custom_crossover", "custom_mutator"]


def custom_mutator(data: bytes, max_size: int, seed: int) -> bytes:
    """An input that is changed, of at most `max_size` bytes; the same input and seed give the same bytes. No bytes become a small
    dump."""
    return _native.mutate(data, seed, max_size)


def custom_crossover(data: bytes, other: bytes, max_size: int, seed: int) -> bytes:
    """The first input with some records of the other, of at most `max_size` bytes."""
    return _native.cross_over(data, other, seed, max_size)
