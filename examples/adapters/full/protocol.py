"""The part that all these adapters share: the channel of specs/adapter.md, dumps that are compressed, and texts.

An adapter gives `serve` its answer to hello, the readings that it follows, and a function `parse(data, heap, readings)`.
It gets the bytes of a dump and returns the lines of its listing (specs/listing.md), the head first; or raises Refusal.
An analyser gets the level as well, and returns the lines of an answer, or what stands in the answer itself.

Words of the command line choose other readings than the default: `phd.py phd.element-order=index`. The word `undeclared`
keeps them out of the answer to hello, so that they have to be found out; `whole` keeps out that one heap of several can be asked for.
"""
import gzip
import json
import os
import pathlib
import re
import sys
import zlib


class Refusal(Exception):
    """This is no dump of the format, or a damaged one. `offset` is where, if that is known."""

    def __init__(self, message, offset=None):
        super().__init__(message)
        self.offset = offset


class Skip(Exception):
    """This dump cannot be put to the implementation; the text says why."""


def serve(hello, readings, parse=None, analyse=None):
    """Answers requests until standard input ends."""
    words = sys.argv[1:]
    chosen = dict(word.split("=") for word in words if word not in ("undeclared", "whole"))
    if unknown := chosen.keys() - readings.keys():
        sys.exit(f"there is no reading {', '.join(unknown)}; there are {', '.join(readings)}")
    readings = {**readings, **chosen}
    if "whole" in words:
        hello = {**hello, "heaps": False}
    if "undeclared" not in words:
        hello = {**hello, "readings": readings}
    # Standard output is for answers alone. Whatever else prints there gets standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        told = answer(request, hello, lambda data, heap, level: (
            analyse(data, heap, readings, level) if analyse else parse(data, heap, readings)))
        print(json.dumps({"id": request["id"], **told}), file=answers, flush=True)


def answer(request, hello, parse):
    """What is answered to a request, without its id."""
    if request["op"] == "hello" and 2 in request["protocols"]:
        return {"protocol": 2, **hello}
    if request["op"] != "parse":
        return {"status": "error", "message": f"this adapter does not know {request['op']}"}
    try:
        data = decompressed(pathlib.Path(request["path"]).read_bytes())
        lines = parse(data, request.get("heap"), request["level"])
        if isinstance(lines, dict):
            return {"status": "accept", **lines}
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        pathlib.Path(request["out"]).write_text(text, encoding="utf-8")
    except Refusal as refusal:
        where = {} if refusal.offset is None else {"offset": refusal.offset}
        return {"status": "reject", "message": str(refusal), **where}
    except Skip as skip:
        return {"status": "skip", "reason": str(skip)}
    except OSError as failure:
        return {"status": "error", "message": str(failure)}  # of the adapter, not of the implementation
    return {"status": "accept"}


def decompressed(data):
    """The bytes of a dump. The first two tell whether it is compressed with gzip, in one member or several."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as failure:
        raise Refusal(f"gzip: {failure}") from failure


def text_of(data):
    """Modified UTF-8 as a text of a listing; bytes that are no such text in the form with `bytes`.

    U+0000 is c0 80, and a character beyond U+FFFF is two surrogates of three bytes each.
    """
    plain = data.replace(b"\xc0\x80", b"\0")
    try:
        if re.search(rb"[\0\xf0-\xff]", data):  # neither a zero byte nor four bytes for a character are modified UTF-8
            raise ValueError
        return plain.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16")
    except ValueError:
        return {"bytes": data.hex()}


def one_of_each(entries, readings, family):
    """Entries of which those of one address, and one kind, count as the readings of repeated addresses say."""
    choices = {True: readings[f"{family}.repeated-class"], False: readings[f"{family}.repeated-object"]}
    known = {}
    for entry in entries:
        key = (is_class(entry), entry["address"])
        if choices[key[0]] == "last" or key not in known:
            known[key] = entry
    return [entry for entry in entries if choices[is_class(entry)] == "every-record"
            or known[is_class(entry), entry["address"]] is entry]


def is_class(entry):
    return entry.get("is_class", entry.get("kind") == "class")
