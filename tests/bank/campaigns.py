#!/usr/bin/env python3
"""Asks each bug of the bank about the dumps of a campaign, up to the first that finds it. Writes campaigns.toml.

    tests/bank/campaigns.py [--heapsmith PATH] [--cases N] [ID ...]

Of each bug: how many cases it takes until one fails (in whole batches of 64 a campaign runs, of which the first failure counts),
the length of the dump that it was reduced to, its objects, how many dumps were tried for that, and the sentence of the cause. With
ids, only these bugs are run, and the figures of the others stay. It takes an hour of processor time.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import tomllib

from all import FORMATS, HERE, adapter_in, asked_for

BATCH = 64


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=int, default=10_000)
    options, bugs = asked_for(arguments)
    # Campaigns ask decoders.
    bugs = {id: (format, bug) for id, (format, bug) in bugs.items() if format != "answers"}
    path = HERE / "campaigns.toml"
    figures = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    figures = {id: found for id, found in figures.items() if id in bugs}
    for number, id in enumerate(ids := options.ids or sorted(bugs), 1):
        figures[id] = campaign(options, *bugs[id])
        print(f"{number} of {len(ids)}: {id}: {figures[id]}", flush=True)
        write(path, figures, bugs, options.cases)


def campaign(options, format, bug):
    """The figures of a bug."""
    with tempfile.TemporaryDirectory() as folder:
        adapter = adapter_in(folder, format, bug)
        state = pathlib.Path(folder) / "state"
        run = subprocess.run(
            [options.heapsmith, "fuzz", "--adapter", adapter, "--format", format, "--state", state, "--causes", "1",
             "--cases", str(options.cases), "--seed", "1", "--time-limit", "60"], stdout=subprocess.DEVNULL, check=False)
        if run.returncode not in (0, 1):
            sys.exit(f"{bug['id']}: exit code {run.returncode}")
        status = json.loads(subprocess.run(
            [options.heapsmith, "fuzz", "status", state, "--json"], stdout=subprocess.PIPE, check=True).stdout)
    failed = [cause["first"].split(":")[0].split("-") for cause in status["causes"]]
    if not failed:
        return {"asked": status["cases"]}
    figures = {"until": min(int(batch) * BATCH + int(number) + 1 for *_, batch, number in failed),
               "causes": len(status["causes"])}
    dumps = [cause["reduced"] for cause in status["causes"] if "reduced" in cause]
    if dumps:
        smallest = min(dumps, key=lambda dump: dump["bytes"])
        figures.update({key: smallest[key] for key in ("bytes", "objects", "trials") if key in smallest})
    return {**figures, "sentence": status["causes"][0]["sentence"]}


def write(path, figures, bugs, cases):
    lines = [
        f"# Made by campaigns.py with campaigns of up to {cases} cases (--seed 1). Of each bug: how many cases until the first",
        "# failure, the number of causes after that batch, the smallest dump that a cause was reduced to in bytes, objects and trials,",
        "# and the first cause's sentence. A bug with `asked` alone is one that no case found.",
        "#",
        "# format   bugs  found  cases until the first failure:   reduced dump, bytes:  objects:  trials:",
        "#                       median, 90 %, most               median, most          median    90 %",
    ]
    for format in FORMATS:
        all = [found for id, found in figures.items() if bugs[id][0] == format]
        found = [one for one in all if "until" in one]
        if not found:
            continue
        of = lambda key: sorted(one[key] for one in found if key in one)
        until, sizes, objects, trials = of("until"), of("bytes"), of("objects"), of("trials")
        at = lambda values, part: values[min(len(values) - 1, int(len(values) * part))] if values else "-"
        median = lambda values: round(statistics.median(values)) if values else "-"
        until = f"{median(until)}, {at(until, 0.9)}, {until[-1]}"
        sizes = f"{median(sizes)}, {at(sizes, 1)}"
        lines.append(f"# {format:9}{len(all):4}{len(found):7}  {until:32} {sizes:21} {median(objects):<9} {at(trials, 0.9)}")
    for id in sorted(figures):
        lines += ["", f"[{id}]", *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in figures[id].items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
