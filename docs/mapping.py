#!/usr/bin/env python3
"""Holds the causes that `results.py explain` found against the findings of the programs, which were looked into by hand.

usage: mapping.py OUT

OUT is that of `results.py run` and `results.py explain`. In OUT/ID/report.json each expected failure has the id of its finding; expected
failures have no causes, so these are in OUT/explained-ID.json. Prints a table in Markdown, then what is not told apart:

- A finding is in a cause if one of the cause's cases is expected for the finding.
- A finding is told if no other has more cases of some cause: the report has a line for it.
- A cause is of one finding if at least four in five of its cases are.
- A rule that a cause names is the finding's if the finding that it tells names it, too.

Findings without cases, which no run of the corpus can show, are left out and listed.
"""

import json
import pathlib
import sys
from collections import Counter

from results import rows

# The share of a cause's cases that one finding has to explain.
SHARE = 0.8


def reasons(tested):
    """The finding of each case that has one."""
    expected = {one["id"]: one["expected"]["reason"] for one in tested["results"] if "expected" in one}
    return {case: reason.split(":")[0] for case, reason in expected.items()}


class Told:
    """What the report tells of the findings of a row."""

    def __init__(self, row, tested, explained):
        self.label = row.name
        of_case = reasons(tested)
        known = {one.id: one for one in row.findings}
        shown_by_run = set(of_case.values())
        self.findings = [one for one in row.findings if one.id in shown_by_run]
        self.silent = [one for one in row.findings if one.id not in shown_by_run]
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
        self.hidden = [one.id for one in self.findings if one.id not in shown]
        self.untold = [one.id for one in self.findings if one.id not in told]

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
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    out, found = pathlib.Path(sys.argv[1]), []
    for row in rows(()):
        paths = [out / row.id / "report.json", out / f"explained-{row.id}.json"]
        if not row.is_own and all(path.exists() for path in paths):
            [tested], [explained] = (json.loads(path.read_text(encoding="utf-8"))["implementations"] for path in paths)
            found.append(Told(row, tested, explained))
    print("| implementation | " + " | ".join(HEADINGS) + " |")
    print("|---|" + "--:|" * len(HEADINGS))
    for row in found:
        print(line(row.label.replace("|", "\\|"), row.numbers()))
    print(line("all", [sum(column) for column in zip(*(row.numbers() for row in found))]))
    silent = [one.id for row in found for one in row.silent]
    print(f"\nWithout cases, and so left out: {', '.join(silent) or 'none'}.")
    for row in found:
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
