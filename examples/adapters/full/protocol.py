"""The part that all three adapters share: the channel of specs/adapter.md, dumps that are compressed, and texts.

An adapter gives `serve` its answer to hello and a function `parse(data, heap)`. It gets the bytes of a dump and returns
the lines of its listing (specs/listing.md), the head first; or raises Refusal.
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


def serve(hello, parse):
    """Answers requests until standard input ends."""
    # Standard output is for answers alone. Whatever else prints there gets standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **answer(request, hello, parse)}), file=answers, flush=True)


def answer(request, hello, parse):
    """What is answered to a request, without its id."""
    if request["op"] == "hello" and 1 in request["protocols"]:
        return {"protocol": 1, **hello}
    if request["op"] != "parse":
        return {"status": "error", "message": f"this adapter does not know {request['op']}"}
    try:
        data = decompressed(pathlib.Path(request["path"]).read_bytes())
        lines = parse(data, request.get("heap"))
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
