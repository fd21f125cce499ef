#!/usr/bin/env python3
"""Calls the implementations of a report what docs/results.md calls them, so that its page does so as well.

usage: labels.py REPORT.json
"""

import json
import sys

from results import names


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    called = {one["label"]: name for one, name in zip(report["implementations"], names(report))}
    for one in report["implementations"]:
        one["label"] = called[one["label"]]
    # What two runs need not have in common is by label, too.
    for key, of_all in report.get("run", {}).items():
        if isinstance(of_all, dict):
            report["run"][key] = {called.get(label, label): of_one for label, of_one in of_all.items()}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(report, file, ensure_ascii=False)


if __name__ == "__main__":
    main()
