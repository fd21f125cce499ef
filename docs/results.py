#!/usr/bin/env python3
"""Writes docs/results.md from the merged report of docs/results.sh: one table, and a few lines for each implementation.

usage: results.py REPORT.json HEAD.md FINDINGS.md > results.md
"""

import json
import re
import sys

FINDINGS = "../specs/findings.md"
# Lines of an implementation at most, with its heading.
MOST_LINES = 40
# Causes of an implementation; what is over is counted.
MOST_CAUSES = MOST_LINES - 8
# Characters of a sentence.
MOST_CHARACTERS = 160

HEADINGS = ["pass", "fail", "wrong-verdict", "crash", "hang", "out-of-memory", "pass-alone", "adapter-error", "skip"]


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def findings(text):
    """The anchors of the findings, by id: `### heaptrail-1: panics at a record...`."""
    headings = re.findall(r"^### (([\w-]+): .*)$", text, re.MULTILINE)
    return {name: slug(heading) for heading, name in headings}


def plain(text):
    """A text as Markdown that means nothing but itself."""
    line = " ".join(text.split())
    shown = line if len(line) <= MOST_CHARACTERS else line[: MOST_CHARACTERS - 1] + "…"
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", shown)


def cases(number):
    return "1 case" if number == 1 else f"{number} cases"


def linked(tested, cause, anchors):
    """The findings that explain a cause, as links; a failure whose reason has no finding is named by its reason."""
    ids = set(cause["cases"])
    reasons = [result["expected"]["reason"] for result in tested["results"] if result["id"] in ids and "expected" in result]
    names = []
    for reason in reasons:
        name = reason.split(":")[0]
        link = f"[{name}]({FINDINGS}#{anchors[name]})" if name in anchors else plain(reason)
        if link not in names:
            names.append(link)
    return ", ".join(names)


def new(cause):
    """How many cases of a cause fail the run."""
    unexpected = cause["unexpected"]
    if unexpected == len(cause["cases"]):
        return ", not expected"
    return f", {unexpected} of them not expected" if unexpected else ""


def table(report):
    """A row for each implementation; verdicts that do not occur have no column."""
    tested = report["implementations"]
    headings = [name for name in HEADINGS if any(one["tally"].get(name) for one in tested)]
    yield "| implementation | " + " | ".join(headings) + " | causes, of which known |"
    yield "|---|" + "--:|" * (len(headings) + 1)
    for one in tested:
        causes = one.get("causes", [])
        known = sum(cause["unexpected"] == 0 for cause in causes)
        counts = [str(one["tally"].get(name, 0)) for name in headings]
        yield f"| {plain(one['label'])} | " + " | ".join(counts) + f" | {len(causes)}, {known} |"


def paragraph(one, anchors):
    """An implementation: how many cases it was asked, and the causes of its failures."""
    tally, causes = one["tally"], one.get("causes", [])
    asked = sum(tally.values()) - tally.get("skip", 0)
    yield f"## {plain(one['label'])}"
    yield ""
    yield f"{tally.get('pass', 0)} of {cases(asked)} passed; {tally.get('skip', 0)} were skipped."
    if not causes:
        return
    yield ""
    for cause in causes[:MOST_CAUSES]:
        found = linked(one, cause, anchors)
        found = f" ({found})" if found else ""
        yield f"- {cases(len(cause['cases']))}{new(cause)}: {plain(cause['sentence'])}{found}"
    if len(causes) > MOST_CAUSES:
        rest = causes[MOST_CAUSES:]
        yield f"- and {len(rest)} more causes, {cases(sum(len(cause['cases']) for cause in rest))}"


def verdict(report):
    tested = report["implementations"]
    unexpected = sum(cause["unexpected"] for one in tested for cause in one.get("causes", []))
    known = sum(one["expectations"]["failed"] > 0 for one in tested)
    what = "0 regressions" if unexpected == 0 else f"{unexpected} unexpected results"
    return f"{what}; {known} of {len(tested)} implementations have known defects."


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        head = file.read().rstrip("\n")
    with open(sys.argv[3], encoding="utf-8") as file:
        anchors = findings(file.read())
    chosen = report["chosen"]
    run = f"heapsmith {report['heapsmith']}, {cases(len(report['cases']))}, {chosen['random']} of them random"
    lines = [head, "", f"**{verdict(report)}** {run} (seed {chosen['seed']}).", "", *table(report)]
    for one in report["implementations"]:
        lines += ["", *paragraph(one, anchors)]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
