"""heapsmith's own adapter under another name, with something that it does in its own way. What that is, and not what is right,
is what the tests of `check --among` are about."""

import json
import os
import subprocess
import sys

heapsmith, name, way = sys.argv[1:]
adapter = subprocess.Popen([heapsmith, "adapter", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def rewritten(path, change):
    with open(path) as listing:
        lines = [json.loads(line) for line in listing]
    with open(path, "w") as listing:
        for line in lines:
            change(line)
            print(json.dumps(line), file=listing)


def other_name(line):
    if line.get("name") == "java/lang/Object":
        line["name"] = "java/lang/Objekt"


def two_names(line):
    other_name(line)
    if line.get("name") == "java/lang/Class":
        line["name"] = "java/lang/Klasse"


def java_names(line):
    if "name" in line and line.get("kind") == "class":
        line["name"] = line["name"].replace("/", ".")


def no_hash(line):
    line.pop("super", None)


LISTINGS = {"other-name": other_name, "silent": other_name, "two-names": two_names, "java": java_names, "no-super": no_hash}

for line in sys.stdin:
    request = json.loads(line)
    if "path" in request and way == "refuse":
        print(json.dumps({"id": request["id"], "status": "reject", "message": "no such record at byte 7"}), flush=True)
        continue
    if "path" in request and way == "anything":
        with open(request["out"], "w") as listing:
            print(json.dumps({"listing": 1, "word_size": 64, "omits": []}), file=listing)
            print(json.dumps({"kind": "class", "address": "0x1000", "name": name}), file=listing)
        print(json.dumps({"id": request["id"], "status": "accept"}), flush=True)
        continue
    if "path" in request and way == "crash":
        os.abort()
    if "path" in request and way == "hang":
        sys.stdin.read()
    adapter.stdin.write(line)
    adapter.stdin.flush()
    answer = json.loads(adapter.stdout.readline())
    if request["op"] == "hello":
        answer["name"], answer["version"] = name, "1"
        if way == "silent":
            answer["facets"].remove("class-name")
        if way == "java":
            answer["class_names"] = "java"
        if way == "counts":
            answer["levels"] = ["verdict", "counts"]
    elif "out" in request and way in LISTINGS:
        rewritten(request["out"], LISTINGS[way])
    elif way == "counts" and "counts" in answer:
        answer["counts"]["instances"] += 1
    elif way == "digest" and "digest" in answer:
        answer["digest"]["by_facet"][0]["digest"] = "0" * 64
    print(json.dumps(answer), flush=True)
adapter.stdin.close()
adapter.wait()
