"""A heap as a parser reports it, call by call: the lines of a listing (specs/listing.md)."""

from __future__ import annotations

import json
import math
from typing import Any, Iterable, Iterator, Mapping, Optional, Union

#: Keys whose bytes are an array of bytes; those of any other key are a text.
_BYTES = ("contents", "raw", "body")


class HeapSink:
    """A heap that a parser reports. Every method takes facts by the keys of a listing, with `class_` for `class`: addresses and numbers
    as `int`, texts as `str`, or as `bytes` where they need not be text, contents of primitive arrays as big-endian `bytes`, values
    as pairs of a type and a value, such as `("int", 42)`. A fact that is left out, or `None`, is unknown."""

    def __init__(self, number: Optional[int] = None, format: str = "") -> None:
        #: The heap that is asked for, from 0, of a dump with several; `None` without `"heaps": True` among the claims.
        self.number = number
        #: The format of the dump, such as `hprof` or `phd6`.
        self.format = format
        self._head: dict[str, Any] = {}
        self._lines: list[dict[str, Any]] = []
        #: What the parser reports as wrong with the dump although it goes on.
        self.warnings: list[str] = []

    def head(self, **facts: Any) -> None:
        """Facts of the dump's header, such as `identifier_size=4`."""
        self._head.update(_facts(facts))

    def clazz(self, address: int, **facts: Any) -> None:
        """A class: `name`, `super`, `loader`, `fields`, `statics` and so on."""
        self._line("class", {"address": address, **facts})

    #: The same, as Python abbreviates it.
    cls = clazz

    def object(self, address: int, **facts: Any) -> None:
        """An object that is no array: `class_`, and `values` with a pair of type and value for each field, or `refs`."""
        self._line("object", {"address": address, **facts})

    def array(self, address: int, element: str, **facts: Any) -> None:
        """An array. `element` is `object`, or the keyword of a primitive type; with `length`, `array_class`, and `elements` or
        `contents`."""
        if element == "object":
            self._line("object-array", {"address": address, **facts})
        else:
            self._line("primitive-array", {"address": address, "element": element, **facts})

    def root(self, kind: str, object: int, **facts: Any) -> None:
        """A root of an object: the kind, such as `jni-global`, and what this kind has besides, such as `thread` and `frame`."""
        self._line("root", {"root": kind, "object": object, **facts})

    def thread(self, serial: int, **facts: Any) -> None:
        """A thread: `object`, `name`, `trace`."""
        self._line("thread", {"serial": serial, **facts})

    def trace(self, serial: int, **facts: Any) -> None:
        """A stack trace: `thread`, `frames`."""
        self._line("trace", {"serial": serial, **facts})

    def line(self, line: Mapping[str, Any]) -> None:
        """A line of a listing: one with the key `listing` is the head, and any other has a `kind`."""
        if "listing" in line:
            self.head(**{key: value for key, value in line.items() if key != "listing"})
        else:
            self._lines.append(_facts(line))

    def listing(self, counted: Iterable[str] = ()) -> Iterator[str]:
        """The listing, a line at a time. The head has the numbers of the lines of the kinds `counted`, such as `root`."""
        counts = {f"{kind}s": sum(line["kind"] == kind for line in self._lines) for kind in counted}
        yield _json({"listing": 1, **counts, **self._head})
        for line in self._lines:
            yield _json(line)

    def _line(self, kind: str, facts: Mapping[str, Any]) -> None:
        self._lines.append({"kind": kind, **_facts(facts)})


def _json(line: Mapping[str, Any]) -> str:
    return json.dumps(line, allow_nan=False, separators=(",", ":")) + "\n"


def _facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as JSON has them."""
    return {key.rstrip("_"): _fact(key, value) for key, value in facts.items() if value is not None}


def _fact(key: str, value: Any) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return value.hex() if key in _BYTES else {"bytes": value.hex()}
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {inner: _fact(inner, one) for inner, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_fact(key, one) for one in value]
    return value


def _text(text: str) -> Union[str, dict[str, str]]:
    """A text; as UTF-16 code units where half a character stands in it, which JSON has no form for."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        return {"utf16": text.encode("utf-16-be", "surrogatepass").hex()}
    return text
