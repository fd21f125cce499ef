"""What adapters that count have in common, and what hprof-slurp and heaptrail have, which began as a copy of it."""

import json
import os
import re
import sys
import tempfile

from protocol import run, serve

COUNTS = ["classes", "instances", "object-arrays", "primitive-arrays", "roots", "histogram"]


def arguments(usage):
    """The program, and the counts to declare."""
    program, *rest = sys.argv[1:] or sys.exit(usage)
    if rest and (len(rest) != 2 or rest[0] != "--without"):
        sys.exit(usage)
    without = rest[1].split(",") if rest else []
    return program, [count for count in COUNTS if count not in without]


def count(name, version, counts, counted):
    """Serves as the adapter of a program in Rust that reads HPROF. `counted` gives the counts of the dump at a path."""
    hello = {"name": name, "version": version, "language": "Rust", "reads": ["hprof"], "levels": ["counts", "verdict"],
             "counts": counts}

    def parse(request):
        if request["format"] != "hprof" or request["level"] not in hello["levels"]:
            raise ValueError("format or level is not declared")
        told = counted(request["path"])
        return told if request["level"] == "counts" else {}

    serve(hello, {"parse": parse})


def report(command, names=None):
    """A function that asks a program for its counts.

    `command` makes the command of a dump and a path for JSON; `names` are those that the program alone gives.
    """
    names = names or {}

    def counts(dump):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            kinds = summary(run(command(dump, out), folder))
            with open(out, encoding="utf-8") as file:
                told = json.load(file)
        # hprof-slurp has the heap beside other things, heaptrail nothing else.
        classes = told.get("heap", told)["top_allocated_classes"]
        return {
            "counts": {
                "classes": kinds["GC class dump"],
                "instances": kinds["GC instance dump"],
                "object-arrays": kinds["GC object array dump"],
                "primitive-arrays": kinds["GC primitive array dump"],
                # hprof-slurp has Android's roots of tag 90 under a name of its own.
                "roots": sum(number for kind, number in kinds.items()
                             if kind.startswith("GC root ") or kind == "GC unreachable"),
            },
            "histogram": histogram((names.get(entry["class_name"], entry["class_name"]), entry["instance_count"])
                                   for entry in classes),
        }

    return counts


def histogram(classes):
    # One entry a class, so that a name under two loaders comes twice. What has no name is to be left out.
    objects = {}
    for name, number in classes:
        if not name.startswith("<unknown class "):
            objects[name] = objects.get(name, 0) + number
    return [{"class": name, "objects": number} for name, number in objects.items() if number]


def summary(text):
    """The counts of the record kinds are in the report for people only, before the first empty table."""
    head = text.split("\nFound ", 1)[0]
    return {kind: int(number) for kind, number in re.findall(r"^\.\.([^:\n]+): (\d+)$", head, re.MULTILINE)}
