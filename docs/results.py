#!/usr/bin/env python3
"""Writes docs/results.md from the merged report of docs/results.sh: one table, and a few lines for each implementation.

usage: results.py REPORT.json HEAD.md FINDINGS.md > results.md
"""

import json
import pathlib
import re
import sys
from collections import Counter

FINDINGS = "../specs/findings.md"
# What stands in HEAD.md for the verdict and the table.
TABLE = "{table}"
# Lines of an implementation at most, with its heading.
MOST_LINES = 40
# Causes of an implementation; what is over is counted.
MOST_CAUSES = MOST_LINES - 8
# Findings that a cause names; what is over is counted.
MOST_FINDINGS = 3
# Characters of what is seen of a cause, and of a place in a program.
MOST_CHARACTERS = 160

HEADINGS = ["pass", "fail", "wrong-verdict", "crash", "hang", "out-of-memory", "pass-alone", "adapter-error", "skip"]


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def findings(text):
    """The headings of the findings, by id: `### heaptrail-1: panics at a record...`."""
    headings = re.findall(r"^### (([\w-]+): .*)$", text, re.MULTILINE)
    return {name: heading for heading, name in headings}


def plain(text):
    """A text as Markdown that means nothing but itself."""
    line = " ".join(text.split())
    shown = line if len(line) <= MOST_CHARACTERS else line[: MOST_CHARACTERS - 1] + "…"
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", shown)


def counted(number, what):
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def names(report):
    """What each implementation is called: with its language where two have one name."""
    declared = [one.get("declared") or {} for one in report["implementations"]]
    called = Counter((one.get("name"), one.get("version")) for one in declared)
    found = []
    for one, of_one in zip(report["implementations"], declared):
        is_alone = called[of_one.get("name"), of_one.get("version")] == 1 or not of_one
        label = one["label"] if is_alone else f"{of_one['name']} {of_one['version']}, {of_one['language']}"
        # A converter without an adapter is called by its command.
        found.append(re.sub(r"^\S*/| \{\w+\}", "", label) if one["kind"] == "converter" else label)
    return found


def task(one):
    """What an implementation was asked to do."""
    asked = {re.sub(r"^[^:]*:?(to|as)?.*", r"\1", result["id"]) for result in one["results"]}
    return ", ".join({"": "read", "to": "convert", "as": "write"}[name] for name in sorted(asked))


def judged(one):
    """By what the answers were judged."""
    declared = one.get("declared")
    if not declared or declared["level"] == "dump":
        return "the dumps that come out"
    if declared["level"] == "counts":
        return "counts: " + ", ".join(declared["reports"])
    return f"{counted(len(declared['reports']), 'facet')} of listings"


def explained(one, cause, headings):
    """The findings that explain a cause, the commonest first; a reason that is no finding stands for itself."""
    ids = set(cause["cases"])
    reasons = [result["expected"]["reason"] for result in one["results"] if result["id"] in ids and "expected" in result]
    counts = Counter(reason.split(":")[0] if reason.split(":")[0] in headings else reason for reason in reasons)
    told = []
    for name, count in counts.most_common(MOST_FINDINGS):
        heading = headings.get(name)
        text = f"[{plain(heading)}]({FINDINGS}#{slug(heading)})" if heading else plain(name)
        told.append(text if len(counts) == 1 else f"{text} ({count})")
    if len(counts) > MOST_FINDINGS:
        told.append(f"{len(counts) - MOST_FINDINGS} more")
    return "; ".join(told)


def seen(cause):
    """What can be seen of a cause: its sentence up to the rule, which is named instead of told."""
    sentence, *joined = re.split(r" (where this rule applies|and break this rule): ", cause["sentence"])
    # Of a class of Java its name is enough.
    sentence = plain(re.sub(r"\b(?:[a-z]\w*\.){2,}(?=[A-Z])", "", sentence.rstrip(".")))
    if not joined:
        return sentence
    join = {"where this rule applies": "where `{}` applies", "and break this rule": "by `{}`"}[joined[0]]
    return f"{sentence} {join.format(cause['rule'])}"


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
    yield "| implementation | asked to | " + " | ".join(headings) + " | causes | of these known |"
    yield "|---|---|" + "--:|" * (len(headings) + 2)
    for one, name in zip(tested, names(report)):
        causes = one.get("causes", [])
        known = sum(cause["unexpected"] == 0 for cause in causes)
        counts = [str(one["tally"].get(heading, 0)) for heading in headings]
        link = f"[{plain(name)}](#{slug(name)})"
        yield f"| {link} | {task(one)} | " + " | ".join(counts) + f" | {len(causes)} | {known} |"


def paragraph(one, name, headings):
    """An implementation: how many cases it was asked, and the causes of its failures."""
    tally, causes = one["tally"], one.get("causes", [])
    asked = sum(tally.values()) - tally.get("skip", 0)
    yield f"## {plain(name)}"
    yield ""
    skipped = f"; {tally['skip']} were skipped" if tally.get("skip") else ""
    yield f"{tally.get('pass', 0)} of {counted(asked, 'case')} passed{skipped}. Judged by {judged(one)}."
    if not causes:
        return
    yield ""
    for cause in causes[:MOST_CAUSES]:
        found = explained(one, cause, headings) or "not looked into"
        yield f"- {counted(len(cause['cases']), 'case')}{new(cause)}: {found}. {seen(cause)}."
    if len(causes) > MOST_CAUSES:
        rest = causes[MOST_CAUSES:]
        number = sum(len(cause["cases"]) for cause in rest)
        yield f"- and {counted(len(rest), 'more cause')}, {counted(number, 'case')}"


def verdict(report):
    tested = report["implementations"]
    unexpected = sum(cause["unexpected"] for one in tested for cause in one.get("causes", []))
    known = sum(one["expectations"]["failed"] > 0 for one in tested)
    what = "0 regressions" if unexpected == 0 else f"{unexpected} unexpected results"
    return f"{what}; {known} of {len(tested)} implementations have known defects."


def texts(usage):
    """The files that the second paragraph of a program's description names as its arguments."""
    line = usage.split("\n\n")[1]
    if len(sys.argv) != 1 + len(re.findall(r"\b[A-Z]+\.\w+", line.split(">")[0])):
        sys.exit(line)
    return [pathlib.Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]]


def main():
    told, head, known = texts(__doc__)
    report, head, headings = json.loads(told), head.rstrip("\n"), findings(known)
    chosen = report["chosen"]
    # What is done with a dump besides reading follows the id of its case.
    dumps = len({case["id"].split(":")[0] for case in report["cases"]})
    run = f"heapsmith {report['heapsmith']}, {counted(dumps, 'dump')}, {chosen['random']} of them random"
    results = [f"**{verdict(report)}** {run} (seed {chosen['seed']}).", "", *table(report)]
    lines = [head.replace(TABLE, "\n".join(results))]
    for one, name in zip(report["implementations"], names(report)):
        lines += ["", *paragraph(one, name, headings)]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
