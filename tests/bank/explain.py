#!/usr/bin/env python3
"""Asks `heapsmith check` to explain the bugs of the bank, alone or several in one decoder, and counts the causes. Writes explained.toml.

    tests/bank/explain.py [--heapsmith PATH] [--every N] [ID ...]
    tests/bank/explain.py --draw K --count N --seed S [--heapsmith PATH]

Alone, a bug should have one cause, whose rule is that of the bank. With --draw, decoders with K bugs are drawn by a seed, N of each
format; K causes are due. A draw of which one bug hides another is drawn again: the decoder then answers every case as it does without
one of the bugs. With --every, every Nth bug is run. The sentences are kept to be graded by hand: `states` in explained.toml says
whether one states the bug's condition ("yes", "part" or "no").
"""
import argparse
import itertools
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import tomllib

import all as bank

HERE = pathlib.Path(__file__).parent
FIGURES = HERE / "explained.toml"
FORMATS = ["classic", "hprof", "phd"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--every", type=int, default=1)
    arguments.add_argument("--draw", type=int)
    arguments.add_argument("--count", type=int, default=10)
    arguments.add_argument("--seed", type=int, default=1)
    options, bugs = bank.asked_for(arguments)
    bugs = {id: of for id, of in bugs.items() if of[0] in FORMATS and "survives" not in of[1]}
    if options.draw:
        draw(options, bugs)
    else:
        alone(options, bugs)


def alone(options, bugs):
    figures = tomllib.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    ids = options.ids or sorted(bugs)[::options.every]
    for number, id in enumerate(ids, 1):
        format, bug = bugs[id]
        causes = explained(options.heapsmith, format, [bug])
        rules = [causes[0].get("rule"), *causes[0].get("other_rules", [])] if causes else []
        found = {"causes": len(causes), "rule": rules.index(bug["rule"]) + 1 if bug["rule"] in rules else 0,
                 "pair": sum("pair" in cause for cause in causes),
                 "sizes": [cause["pair"]["fails"]["bytes"] for cause in causes if "pair" in cause],
                 "sentences": [cause["sentence"] for cause in causes]}
        before = figures.get(id, {})
        if before.get("sentences") == found["sentences"] and "states" in before:
            found["states"] = before["states"]
        figures[id] = found
        print(f"{number} of {len(ids)}: {id}: {found}", flush=True)
        write({id: figures[id] for id in sorted(figures) if id in bugs})


def draw(options, bugs):
    """Decoders with several bugs at once."""
    for format in FORMATS:
        ids = sorted(id for id in bugs if bugs[id][0] == format)
        chance = random.Random(f"{options.seed} {format}")
        right, drawn, had = 0, 0, set()
        for _ in itertools.count():
            if drawn == options.count:
                break
            chosen = tuple(sorted(chance.sample(ids, options.draw)))
            if chosen in had or not can_stand_together([bugs[id][1] for id in chosen]):
                continue
            had.add(chosen)
            of = [bugs[id][1] for id in chosen]
            answers = answered(options.heapsmith, format, of)
            if any(answered(options.heapsmith, format, [bug for bug in of if bug is not left_out]) == answers
                   for left_out in of):
                continue
            drawn += 1
            causes = explained(options.heapsmith, format, of)
            right += len(causes) == options.draw
            print(f"{format} {' and '.join(chosen)}: {len(causes)}: {[cause['sentence'] for cause in causes]}", flush=True)
        print(f"{format}: of {drawn} decoders with {options.draw} bugs {right} have {options.draw} causes", flush=True)


def can_stand_together(bugs):
    """Whether each finds its old text in what the others leave."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            adapter(folder, "hprof", bugs)
        return True
    except ValueError:
        return False


def adapter(folder, format, bugs):
    """The command of the full adapter with these bugs."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in bank.ADAPTERS.glob("*.py")}
    for bug in bugs:
        name = bug.get("file", f"{bug_format(bug)}.py")
        if texts[name].count(bug["old"]) != 1:
            raise ValueError(bug["id"])
        texts[name] = texts[name].replace(bug["old"], bug["new"])
    for name, text in texts.items():
        (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
    return f"{sys.executable} -S -B {folder}/{format}.py"


def bug_format(bug):
    return bug["id"].split("-")[0]


def report(heapsmith, format, bugs, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = [heapsmith, "check", "--json", "--adapter", adapter(folder, format, bugs), "--format", format,
                   "--time-limit", "60", *arguments]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{command}: exit code {run.returncode}")
    return json.loads(run.stdout)["implementations"][0]


def explained(heapsmith, format, bugs):
    return report(heapsmith, format, bugs, "--explain-time", "3600").get("causes", [])


def answered(heapsmith, format, bugs):
    """What is wrong of each answer. Of a crash the last line counts: the lines of the source differ with its bugs."""
    def shown(result):
        outcome = dict(result["outcome"])
        if "how" in outcome:
            outcome["how"] = outcome["how"].strip().splitlines()[-1]
        return json.dumps([outcome, result.get("others")], sort_keys=True)
    results = report(heapsmith, format, bugs, "--no-explain")["results"]
    return {result["id"]: shown(result) for result in results}


def write(figures):
    count = len(figures)
    share = lambda holds: f"{sum(map(holds, figures.values()))} of {count}"
    graded = [of["states"] for of in figures.values() if "states" in of]
    lines = [
        "# Made by explain.py. Of each bug alone: the number of its causes; the place of the bank's rule among those of the first cause, 0 if",
        "# it is none of them; the number of causes with a pair; the bytes of each pair's failing dump; the sentences, and whether one states",
        "# the condition, by hand.",
        "#",
        f"# one cause: {share(lambda of: of['causes'] == 1)}; the rule first: {share(lambda of: of['rule'] == 1)}; among three: "
        f"{share(lambda of: of['rule'] > 0)}; with a pair: {share(lambda of: of['pair'] > 0)}",
        f"# the sentence states the condition: {graded.count('yes')} of {len(graded)} that were graded, {graded.count('part')} in part",
        f"# median bytes of the failing dump of the first pair: {'; '.join(f'{format} {median_size(figures, format)}' for format in FORMATS)}",
    ]
    for id, of in figures.items():
        lines += ["", f"[{id}]", *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in of.items())]
    FIGURES.write_text("\n".join(lines) + "\n", encoding="utf-8")


def median_size(figures, format):
    """The median bytes of the failing dump of the first pair, of all bugs of a format that have one."""
    sizes = [of["sizes"][0] for id, of in figures.items() if id.startswith(f"{format}-") and of.get("sizes")]
    return round(statistics.median(sizes)) if sizes else "none"


if __name__ == "__main__":
    main()
