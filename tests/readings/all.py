#!/usr/bin/env python3
"""Runs `heapsmith check` over decoders that follow other readings than the default: all pairs of readings of a format, and
drawn combinations. Each is run twice: once it declares its readings, and once they have to be found out. With --once it is
run once, in the two ways by turns.

    tests/readings/all.py [--heapsmith PATH] [--random N] [--drawn N] [--once] [FORMAT ...]

The decoders are the full adapters (examples/adapters/full/), which read the readings from their command line.
"""
import argparse
import ast
import itertools
import json
import pathlib
import random
import shlex
import subprocess
import sys
import time

ADAPTERS = pathlib.Path(__file__).parents[2] / "examples" / "adapters" / "full"
FORMATS = ["phd", "hprof", "classic"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--heapsmith", default="heapsmith")
    arguments.add_argument("--random", type=int, default=300)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--drawn", type=int, default=50)
    arguments.add_argument("--once", action="store_true")
    arguments.add_argument("formats", nargs="*", default=FORMATS)
    options = arguments.parse_args()
    failed = False
    for format in options.formats:
        readings = choices(options.heapsmith, format)
        rows = [without_joined_classes(readings, row) for row in pairs(readings)]
        drawn = random.Random(options.seed)
        combinations = rows + [without_joined_classes(readings, [drawn.choice(readings[name]) for name in readings])
                               for _ in range(options.drawn)]
        started, cases = time.monotonic(), 0
        runs = itertools.product(combinations, (True, False))
        if options.once:
            runs = [(chosen, number % 2 == 0) for number, chosen in enumerate(combinations)]
        for chosen, declared in runs:
            words = [f"{name}={choice}" for name, choice in zip(readings, chosen) if choice != readings[name][0]]
            # Which of several heaps is read shows where none can be asked for.
            words += ["whole"] * ("hprof.several-heaps" in readings)
            run, found = check(options, format, words + ([] if declared else ["undeclared"]))
            cases += run
            for id, outcome in found:
                failed = True
                print(f"{format} {' '.join(words)}{'' if declared else ' undeclared'}: {id}: {outcome}", flush=True)
        print(f"{format}: {len(rows)} combinations with all pairs of readings and {options.drawn} drawn ones: "
              f"{cases} answers in {time.monotonic() - started:.0f} s", flush=True)
    sys.exit(failed)


def without_joined_classes(readings, row):
    """A combination in which heaps that are one keep every class: else nothing says which class an object's values are of."""
    chosen = dict(zip(readings, row))
    if chosen.get("hprof.several-heaps") == "joined":
        chosen["hprof.repeated-class"] = "every-record"
    return list(chosen.values())


def choices(heapsmith, format):
    """The readings that the adapter of a format knows, the default first, with all choices."""
    source = (ADAPTERS / f"{format}.py").read_text(encoding="utf-8")
    [own] = [ast.literal_eval(node.value) for node in ast.parse(source).body
             if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "READINGS"]
    listed = json.loads(subprocess.run([heapsmith, "adapter", "readings", "--json"], stdout=subprocess.PIPE,
                                       check=True).stdout)
    known = {reading["name"]: [choice["name"] for choice in reading["choices"]] for reading in listed["readings"]}
    assert {name: known[name][0] for name in known if name.startswith(f"{format}.")} == own, "other defaults"
    return {name: known[name] for name in own}


def pairs(readings):
    """Combinations that have every pair of choices of two readings, each row with as many new ones as can be found."""
    names = list(readings)
    missing = {((one, a), (other, b)) for one, other in itertools.combinations(names, 2)
               for a in readings[one] for b in readings[other]}
    rows = []
    while missing:
        row = dict(min(missing))
        for name in names:
            if name not in row:
                def new(choice):
                    mine = {**row, name: choice}
                    return sum(pair in missing for pair in itertools.combinations(
                        [(key, mine[key]) for key in names if key in mine], 2))
                row[name] = max(readings[name], key=new)
        missing -= set(itertools.combinations([(name, row[name]) for name in names], 2))
        rows.append([row[name] for name in names])
    return rows


def check(options, format, words):
    """How many answers there were, and those that fail."""
    adapter = shlex.join([sys.executable, "-S", "-B", str(ADAPTERS / f"{format}.py"), *words])
    command = [options.heapsmith, "check", "--json", "--adapter", adapter, "--format", format,
               "--random", str(options.random), "--seed", str(options.seed), "--time-limit", "60", "--jobs", "2"]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{command}: exit code {run.returncode}")
    results = json.loads(run.stdout)["implementations"][0]["results"]
    failed = [(result["id"], result["outcome"]) for result in results if result["outcome"]["verdict"] != "pass"]
    return len(results), failed


if __name__ == "__main__":
    main()
