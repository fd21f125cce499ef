"""The adapter protocol (specs/adapter.md) around a parser in Python.

`python -m heapsmith.adapter MODULE:PARSE` serves it on standard input and output for `heapsmith check --adapter`, which runs it as a
process of its own, with limits of time and memory. `heapsmith.check` and the plugin of pytest ask it in this process.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pathlib
import re
import sys
import traceback
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

from .sink import HeapSink

#: A parser: it is called with the path of a dump and a sink for what it reads, or returns a listing.
Parser = Callable[..., Any]

#: The facets that a line of each kind has facts of: the head states how many there are, so that none is an answer, too.
_COUNTED = {
    "root": ("roots", "root-objects"),
    "thread": ("threads",),
    "trace": ("stack-traces",),
    "region": ("regions",),
    "event": ("events", "strings", "unloads", "allocation-sites", "heap-summaries", "cpu-samples", "control-settings",
              "unknown-records"),
}  # fmt: skip
_OFFSET = re.compile(r"(?i)\b(?:at|offset)[ =]+(0x[0-9a-f]+|\d+)")
_PROTOCOLS = {1, 2}


class Refused(Exception):
    """The parser refuses a dump: why, and the offset of the bad bytes in the decompressed dump, if it is known."""

    def __init__(self, message: str = "", offset: Optional[int] = None) -> None:
        super().__init__(message)
        self.offset = offset


class Skip(Exception):
    """A dump cannot be put to the parser; the text says why."""


class Adapter:
    """A parser that answers the requests of the protocol."""

    def __init__(
        self,
        parse: Parser,
        claims: Optional[Mapping[str, Any]] = None,
        refused_by: Sequence[type[BaseException]] = (),
        skipped_by: Sequence[type[BaseException]] = (),
    ) -> None:
        self.parse = parse
        claims = dict(claims or {})
        unknown = {"protocol", "id", "converts", "writes"}.intersection(claims)
        if unknown:
            raise ValueError(f"claims: {', '.join(sorted(unknown))} is not for a parser; leave it out")
        self.hello: dict[str, Any] = {
            "name": getattr(parse, "__name__", "parser"),
            "language": "Python",
            "reads": ["hprof", "phd", "classic"],
            "levels": ["listing"],
            "facets": ["address", "kind"],
            **claims,
        }
        facets = self.hello["facets"]
        # Without these, no class or object can be matched.
        self.hello["facets"] = [*(facet for facet in ("address", "kind") if facet not in facets), *facets]
        self.counted = [kind for kind, facets in _COUNTED.items() if set(facets).intersection(self.hello["facets"])]
        self.refused_by: tuple[type[BaseException], ...] = (Refused, *refused_by)
        self.skipped_by: tuple[type[BaseException], ...] = (Skip, *skipped_by)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request."""
        return {"id": request.get("id"), **self._answer(request)}

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        protocols = _PROTOCOLS.intersection(request.get("protocols", ()))
        if request.get("op") == "hello" and protocols:
            return {**self.hello, "protocol": max(protocols)}
        if request.get("op") != "parse":
            return {"status": "error", "message": f"this adapter does not know {request.get('op')}"}
        heap = HeapSink(request.get("heap"), request.get("format", ""))
        try:
            told = self.parse(pathlib.Path(request["path"]), heap)
            if isinstance(told, Iterable) and not isinstance(told, (str, Mapping)):
                # A parser that yields its lines refuses dumps between two of them.
                told = list(told)
        except self.refused_by as refusal:
            return _reject(refusal)
        except self.skipped_by as skip:
            return {"status": "skip", "reason": str(skip)}
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException:  # an outcome of a test tool is none of `Exception`
            return {"status": "crash", "message": _without_own_frames(traceback.format_exc())}
        return self._accept(request, heap, told)

    def _accept(self, request: Mapping[str, Any], heap: HeapSink, told: Any) -> dict[str, Any]:
        accepted: dict[str, Any] = {"status": "accept"}
        if heap.warnings:
            accepted["warnings"] = heap.warnings
        level = request.get("level")
        if level in ("counts", "digest"):
            if not isinstance(told, Mapping):
                found = type(told).__name__
                return {"status": "error", "message": f"expected a dict with the {level} from the parser, found {found}"}
            known = ("counts", "histogram", "digest")
            return {**accepted, **(told if any(key in told for key in known) else {level: dict(told)})}
        if level != "listing":
            return accepted
        try:
            text = self._listing(heap, told)
            pathlib.Path(request["out"]).write_bytes(text.encode())
        except (TypeError, ValueError, OSError) as failure:
            return {"status": "error", "message": f"the answer cannot be written as a listing: {failure}"}
        return accepted

    def _listing(self, heap: HeapSink, told: Any) -> str:
        if isinstance(told, str):
            return told
        if isinstance(told, Mapping):
            raise TypeError('expected a listing from the parser, found a dict; claims={"levels": ["counts"]} asks for counts')
        if told is not None:
            if not isinstance(told, Iterable):
                raise TypeError(f"expected None, a text or lines of a listing from the parser, found {type(told).__name__}")
            for line in told:
                if not isinstance(line, Mapping):
                    raise TypeError(f"expected a dict for a line of the listing, found {type(line).__name__}")
                heap.line(line)
        return "".join(heap.listing(self.counted))


def _reject(refusal: BaseException) -> dict[str, Any]:
    message = str(refusal)
    offset = refusal.offset if isinstance(refusal, Refused) else None
    if offset is None:
        place = _OFFSET.search(message)
        offset = int(place[1], 16 if "x" in place[1].lower() else 10) if place else None
    return {"status": "reject", "message": message, **({} if offset is None else {"offset": offset})}


def _without_own_frames(text: str) -> str:
    """A traceback without the frames of this module, which come first."""
    lines = text.splitlines(keepends=True)
    kept, is_own = [], False
    for line in lines:
        if line.startswith("  File "):
            is_own = f'"{__file__}"' in line
        elif not line.startswith("    "):
            is_own = False
        if not is_own:
            kept.append(line)
    return "".join(kept)


def serve(adapter: Adapter) -> None:
    """Answers the requests of standard input, a line each, until it ends."""
    # Standard output is for answers alone. Whatever else prints there, also from C, gets standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        print(json.dumps(adapter.answer(json.loads(line))), file=answers, flush=True)


def load(name: str) -> Any:
    """What `MODULE:NAME` stands for; the module may be one of the working folder."""
    module, colon, attribute = name.partition(":")
    if not colon:
        raise SystemExit(f"{name!r}: expected MODULE:NAME, such as my_parser:parse")
    sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as failure:
        raise SystemExit(f"{name!r}: {failure}; expected MODULE:NAME, such as my_parser:parse") from failure
    return found


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """The command `python -m heapsmith.adapter`."""
    parser = argparse.ArgumentParser(prog="python -m heapsmith.adapter", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parse", metavar="MODULE:PARSE", help="the function parse(path, heap), decorated or not")
    parser.add_argument("--claims", metavar="FILE", help="a JSON object: what the parser reports, by keys of hello")
    parser.add_argument(
        "--refused-by", metavar="MODULE:EXCEPTION", action="append", default=[],
        help="an exception by which the parser refuses a dump, such as builtins:EOFError; may be repeated",
    )  # fmt: skip
    chosen = parser.parse_args(arguments)
    parse = load(chosen.parse)
    marked = getattr(parse, "heapsmith_options", None)
    claims: Union[Mapping[str, Any], None] = marked.claims if marked else None
    if chosen.claims:
        claims = json.loads(pathlib.Path(chosen.claims).read_text(encoding="utf-8"))
    refused_by = [*(marked.refused_by if marked else ()), *map(load, chosen.refused_by)]
    serve(Adapter(parse, claims, refused_by))


if __name__ == "__main__":
    main()
