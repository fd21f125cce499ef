"""Puts cases to a full adapter in this process. Standard input has a case on a line: id, path below the corpus, heap.

    answers.py FOLDER FORMAT CORPUS

Prints an answer on a line: id, verdict, sum of the listing.
"""
import hashlib
import importlib
import json
import pathlib
import sys

folder, format, corpus = sys.argv[1:]
sys.path.insert(0, folder)
protocol = importlib.import_module("protocol")
parse = {}
protocol.serve = lambda hello, readings, read: parse.update(read=read, readings=readings)
source = (pathlib.Path(folder) / f"{format}.py").read_text(encoding="utf-8")
exec(compile(source, f"{format}.py", "exec"), {"__name__": "__main__"})  # with `serve` above

for line in sys.stdin:
    id, path, heap, _ = json.loads(line)
    try:
        data = protocol.decompressed((pathlib.Path(corpus) / path).read_bytes())
        listing = json.dumps(parse["read"](data, heap, parse["readings"]))
        answer = ["accept", hashlib.sha256(listing.encode("utf-8", "surrogatepass")).hexdigest()]
    except protocol.Refusal:
        answer = ["reject"]
    except protocol.Skip:
        answer = ["skip"]
    except Exception:
        answer = ["crash"]
    print(json.dumps([id, *answer]), flush=True)
