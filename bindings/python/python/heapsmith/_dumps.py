"""Dumps that are made, changed and judged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Union

from . import _native

if TYPE_CHECKING:
    from typing_extensions import Buffer

#: The most bytes that a function gives, unless it is called with another limit: 1 GiB.
MAX_SIZE = 1 << 30


def generate(recipe: str, *, max_size: int = MAX_SIZE) -> bytes:
    """The dump of a recipe, such as `preset=tiny,objects=20,seed=7,format=hprof`, or of a whole line that
    `heapsmith generate --recipe` takes. `ArgumentError` if it is none, `LimitError` if the dump has more than `max_size` bytes."""
    return _native.generate(recipe, max_size)


def build(text: Union[str, Buffer], format: str, *, max_size: int = MAX_SIZE) -> bytes:
    """The dump of a heap file's text, in a format such as `hprof` or `phd6/openj9`, as `heapsmith build` writes it. What the format
    does not record is left out. `ArgumentError` with every error of the text, by line."""
    return _native.build(text.encode() if isinstance(text, str) else text, format, max_size)


def mutate(data: Buffer, seed: int, max_size: int) -> bytes:
    """An input that is changed by a seed (0 to 2^64 - 1), of at most `max_size` bytes; the same input and seed give the same bytes.

    A dump mostly stays readable to its end. No bytes become a small dump, and bytes that are no dump are changed without regard to a
    format."""
    return _native.mutate(data, seed, max_size)


def cross_over(one: Buffer, other: Buffer, seed: int, max_size: int) -> bytes:
    """The first input with some records of the other, of at most `max_size` bytes. Where these do not fit, the first input is changed
    as by `mutate`."""
    return _native.cross_over(one, other, seed, max_size)


def dump_from_bytes(options: str, data: Buffer, *, max_size: int = MAX_SIZE) -> bytes:
    """The dump of a fuzzer's bytes. The options are those of a recipe; no bytes give the recipe's own dump. Bytes that differ little
    give dumps that do."""
    return _native.dump_from_bytes(options, data, max_size)


def is_dump(data: Buffer) -> bool:
    """Whether bytes begin like a dump of any format."""
    return _native.is_dump(data)


def validate(data: Buffer, *, max_size: int = MAX_SIZE) -> dict[str, Any]:
    """The findings of a dump, as `heapsmith validate --json` prints them: `valid`, and `findings` with rule, severity, offset in bytes
    and message. A dump that breaks rules is no error: the report says so. `bytes` are not copied by Python, other buffers once."""
    return _object(_native.validate(data, max_size))


def listing(data: Buffer, heap: int = 0, *, max_size: int = MAX_SIZE) -> str:
    """The listing of a heap of a dump (0 is the first), as `heapsmith decode` prints it: JSON Lines. `InvalidError` if the dump is not
    valid."""
    return _native.listing(data, heap, max_size).decode()


def answers(data: Buffer, heap: int = 0, *, max_size: int = MAX_SIZE) -> dict[str, Any]:
    """What an analyser should find in a heap of a dump, as `heapsmith answers --json` prints it. `InvalidError` if the dump is not
    valid."""
    return _object(_native.answers(data, heap, max_size))


def digest(data: Buffer, heap: int = 0, *, max_size: int = MAX_SIZE) -> dict[str, Any]:
    """The digest of a heap of a dump, with its buckets, as `heapsmith digest --buckets --json` prints it. `InvalidError` if the dump is
    not valid."""
    return _object(_native.digest(data, heap, max_size))


def compare(data: Buffer, listing: Union[str, Buffer], heap: int = 0, *, max_size: int = MAX_SIZE) -> dict[str, Any]:
    """The difference of a heap of a dump and the listing that a program made of it, as `heapsmith compare --json` prints it: `equal`
    says whether every fact that both record is the same, `differences` lists the others. `InvalidError` if either is not valid."""
    text = listing.encode() if isinstance(listing, str) else listing
    return _object(_native.compare_listing(data, heap, text, max_size))


def compare_digest(
    data: Buffer, digest: Mapping[str, Any], heap: int = 0, *, max_size: int = MAX_SIZE
) -> dict[str, Any]:
    """The difference of a heap of a dump and the digest that a program made of it, as `heapsmith digest --against --json` prints it:
    `against` has `equal`. `InvalidError` if the dump is not valid."""
    return _object(_native.compare_digest(data, heap, json.dumps(dict(digest)).encode(), max_size))


def _object(text: bytes) -> dict[str, Any]:
    """A JSON object."""
    told: dict[str, Any] = json.loads(text)
    return told
