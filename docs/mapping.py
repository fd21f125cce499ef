#!/usr/bin/env python3
"""Holds the causes of a report against the findings of specs/findings.md, which were looked into by hand.

usage: mapping.py EXPECTED.json FINDINGS.md REPORT.json...

EXPECTED.json is the report of docs/results.sh (`results.sh DIR REPORT`), in which each expected failure has the id of its
finding. Expected failures have no causes, so these are in other reports, of runs without a list of expected failures, which
`results.sh` writes beside it. Prints a table in Markdown, then what is not told apart:

- A finding is in a cause if one of the cause's cases is expected for the finding.
- A finding is told if no other has more cases of some cause: the report has a line for it.
- A cause is of one finding if at least four in five of its cases are.
- A rule that a cause names is the finding's if the finding that it tells names it, too.

Findings without cases, which no run of the corpus can show, are left out and listed.
"""

import json
import pathlib
import re
import sys
from collections import Counter

from results import names

# The share of a cause's cases that one finding has to explain.
SHARE = 0.8


class Finding:
    """A heading `### heaptrail-1: ...` and the lines below it."""

    def __init__(self, name, text):
        self.name = name
        self.has_cases = not re.search(r"^- Cases: none", text, re.MULTILINE)
        self.rules = set(re.findall(r"\b(?:hprof|phd|classic)\.[\w-]+\.[\w-]+", text))

    @property
    def family(self):
        return self.name.rsplit("-", 1)[0]


def findings(text):
    parts = re.split(r"^(#{2,3} .*)$", text, flags=re.MULTILINE)
    found = {}
    for heading, body in zip(parts[1::2], parts[2::2]):
        match = re.match(r"### ([\w-]+-\d+): ", heading)
        if match:
            found[match[1]] = Finding(match[1], body)
    return found


def reasons(tested):
    """The finding of each case that has one."""
    expected = {one["id"]: one["expected"]["reason"] for one in tested["results"] if "expected" in one}
    return {case: reason.split(":")[0] for case, reason in expected.items()}


class Row:
    """An implementation."""

    def __init__(self, tested, explained, label, known):
        self.label = label
        of_case = reasons(tested)
        families = {known[name].family for name in of_case.values() if name in known}
        self.findings = [one for one in known.values() if one.family in families and one.has_cases]
        self.silent = [one for one in known.values() if one.family in families and not one.has_cases]
        self.causes = explained.get("causes", [])
        shown, told = set(), set()
        self.unmapped, self.mixed, self.other_rule, self.unruled = [], [], [], []
        for cause in self.causes:
            counts = Counter(of_case[case] for case in cause["cases"] if of_case.get(case) in known)
            shown.update(counts)
            if not counts:
                self.unmapped.append(cause)
                continue
            most = max(counts.values())
            own = {name for name, count in counts.items() if count == most}
            told.update(own)
            if most < SHARE * len(cause["cases"]):
                self.mixed.append((cause, counts))
            if "rule" not in cause:
                self.unruled.append(cause)
            elif not any(cause["rule"] in known[name].rules for name in own):
                self.other_rule.append((cause, sorted(own)))
        self.hidden = [one.name for one in self.findings if one.name not in shown]
        self.untold = [one.name for one in self.findings if one.name not in told]

    def numbers(self):
        causes = len(self.causes)
        ruled = causes - len(self.unruled) - len(self.unmapped)
        return [
            len(self.findings),
            len(self.findings) - len(self.hidden),
            len(self.findings) - len(self.untold),
            causes,
            causes - len(self.unmapped),
            causes - len(self.unmapped) - len(self.mixed),
            ruled,
            ruled - len(self.other_rule),
        ]


HEADINGS = [
    "findings with cases",
    "in a cause",
    "told",
    "causes",
    "with a finding",
    "of one finding",
    "rule named",
    "the finding's",
]


def share(part, whole):
    return f"{part} ({100 * part // whole} %)" if whole else str(part)


def line(label, numbers):
    all_findings, shown, told, causes, mapped, single, ruled, right = numbers
    cells = [
        str(all_findings),
        share(shown, all_findings),
        share(told, all_findings),
        str(causes),
        share(mapped, causes),
        share(single, causes),
        share(ruled, causes),
        share(right, ruled),
    ]
    return f"| {label} | " + " | ".join(cells) + " |"


def shortened(cause):
    sentence = " ".join(cause["sentence"].split())
    return f"{cause['example']} ({len(cause['cases'])}): {sentence[:100]}"


def main():
    if len(sys.argv) < 4:
        sys.exit(f"usage: {__doc__.partition('usage: ')[2].partition(chr(10))[0]}")
    told, known, *explained = [pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[1:]]
    report, known = json.loads(told), findings(known)
    of_label = {tested["label"]: tested for text in explained for tested in json.loads(text)["implementations"]}
    rows = [Row(tested, of_label[tested["label"]], label, known)
            for tested, label in zip(report["implementations"], names(report)) if tested["label"] in of_label]
    rows = [row for row in rows if row.causes or row.findings]
    print("| implementation | " + " | ".join(HEADINGS) + " |")
    print("|---|" + "--:|" * len(HEADINGS))
    for row in rows:
        print(line(row.label.replace("|", "\\|"), row.numbers()))
    print(line("all", [sum(column) for column in zip(*(row.numbers() for row in rows))]))
    families = {one.family for row in rows for one in [*row.findings, *row.silent]}
    silent = [one.name for row in rows for one in row.silent]
    print(f"\nWithout cases, and so left out: {', '.join(silent) or 'none'}.")
    for name in (one.name for one in known.values() if one.family not in families and one.family != "heapsmith"):
        print(f"- {name}: of no implementation of the run")
    for row in rows:
        notes = [f"{name}: in no cause" for name in row.hidden]
        notes += [f"{name}: has no cause of its own" for name in row.untold if name not in row.hidden]
        notes += [f"no finding: {shortened(cause)}" for cause in row.unmapped]
        notes += [f"several findings {dict(counts)}: {shortened(cause)}" for cause, counts in row.mixed]
        notes += [f"another rule than {', '.join(own)}: {cause['rule']}" for cause, own in row.other_rule]
        if notes:
            print(f"\n{row.label}:\n")
            print("\n".join(f"- {note}" for note in notes))


if __name__ == "__main__":
    main()
