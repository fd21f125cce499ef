#!/usr/bin/env python3
"""Writes the tables of docs/realism.md: measures of presets beside those of real dumps.

    page.py HEAPSMITH [DUMPS_DIR PHD...]

With DUMPS_DIR (that of dumps.sh) and the two real PHD dumps, the real ones are measured anew and their figures kept in
real.json; else those are used. A measure of `hotspot` that is out of range and not in UNLIKE, or the other way round, is an error; the range of two
dumps of `openj9` is narrow, and a measure there needs no more reason than that.
"""

import json
import sys
from pathlib import Path

from measure import MEASURES, measures

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs/realism.md"
FIGURES = HERE / "real.json"
HOTSPOT = ["shop-11", "shop-17", "shop-21", "shop-25", "javac-17", "jshell-17"]
PRESETS = {
    "hotspot": ["heapsmith-2:preset=hotspot,seed=1"],
    "openj9": ["heapsmith-2:preset=openj9,seed=1,format=phd5"],
    "android": ["heapsmith-2:preset=android,seed=1,profile=art"],
}

# Other dumps of the preset `hotspot`: what is added to its recipe.
OTHERS = ["seed=2", "seed=3", "seed=4", "seed=5", "seed=1,library=jdk-17,profile=hotspot-17", "seed=1,objects=300000"]

# Why a measure of a preset is outside of the range of the real dumps.
UNLIKE = {
    "hotspot": {},
    "openj9": {
        "near": "an owner of the preset stands within the same 32 objects, and J9's collector leaves them farther apart",
        "backwards": "for the same reason",
        "name-length": "the preset's names are those of a newer library",
    },
}

# Of applications on Android 13, counted by LeakCanary: classes, instances, primitive arrays, arrays of objects, threads.
REPORTS = [
    ("streamer", 25429, 194309, 140083, 24172, 26),
    ("service", 22400, 165436, 119915, 21274, 16),
    ("React Native", 25615, 208579, 134564, 30057, 36),
]


def number(value):
    if value is None:
        return ""
    rounded = float(f"{value:.3g}")
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def shortest(low, high):
    return number(low) if number(low) == number(high) else f"{number(low)} to {number(high)}"


def table(real, names, preset, mine):
    """Rows, with the range over the named real dumps; and the measures that are out of it."""
    rows, out = [], {}
    heads = ["measure", *(name.replace("shop-", "service on ").replace("-17", " on 17") for name in names), "range", f"`{preset}`", ""]
    rows.append("| " + " | ".join(heads) + " |")
    rows.append("|---" * len(heads) + "|")
    within = 0
    for key, what, _ in MEASURES:
        values = [real[name].get(key) for name in names]
        if all(value is None for value in values) or mine.get(key) is None:
            continue
        known = [value for value in values if value is not None]
        # As the page shows them, so that what looks equal is.
        low, high, own = (float(number(value)) for value in (min(known), max(known), mine[key]))
        # One dump has no range.
        is_judged = len(known) > 1
        is_within = low <= own <= high or not is_judged
        within += is_within and is_judged
        if not is_within:
            edge = high if own > high else low
            out[key] = (what, f"{abs(own - edge) / edge:.1%} {'above' if own > high else 'below'} the range" if edge else "")
        cells = [what, *map(number, values), shortest(min(known), max(known)), number(mine[key]), "" if is_within else "unlike"]
        rows.append("| " + " | ".join(cells) + " |")
    return rows, out, within


def others(heapsmith, real):
    rows = ["| recipe | measures within the range | outside |", "|---|---|---|"]
    for more in OTHERS:
        recipe = f"heapsmith-2:preset=hotspot,{more}"
        _, out, within = table(real, HOTSPOT, "hotspot", measures(heapsmith, recipe))
        outside = "; ".join(f"{what} ({far})" for what, far in out.values())
        rows.append(f"| `{recipe}` | {within} of {within + len(out)} | {outside} |")
    return rows


def reports(mine):
    rows = ["| measure | " + " | ".join(name for name, *_ in REPORTS) + " | range | `android` | |", "|---|---|---|---|---|---|---|"]
    derived = [
        ("objects for each class", "objects-per-class", lambda c, i, p, o, t: (i + p + o) / c),
        ("share of instances among objects", "instances", lambda c, i, p, o, t: i / (i + p + o)),
        ("share of primitive arrays among objects", "primitive-arrays", lambda c, i, p, o, t: p / (i + p + o)),
        ("share of arrays of objects among objects", "object-arrays", lambda c, i, p, o, t: o / (i + p + o)),
        ("threads", "threads", lambda c, i, p, o, t: t),
    ]
    for what, key, of in derived:
        values = [of(*figures) for _, *figures in REPORTS]
        low, high, own = (float(number(value)) for value in (min(values), max(values), mine[key]))
        note = "" if low <= own <= high else "unlike"
        cells = [what, *map(number, values), shortest(min(values), max(values)), number(mine[key]), note]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def between(page, name, lines):
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return before + begin + "\n" + "\n".join(lines) + "\n\n" + end + after


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    heapsmith = sys.argv[1]
    if len(sys.argv) > 2:
        folder, *phd = sys.argv[2:]
        real = {name: measures(heapsmith, f"{folder}/{name}.hprof") for name in HOTSPOT}
        real |= {f"j9-{Path(dump).name.split('.')[1][:4]}": measures(heapsmith, dump) for dump in phd}
        FIGURES.write_text(json.dumps(real, indent=1) + "\n")
    real = json.loads(FIGURES.read_text())
    page = PAGE.read_text()
    mine = {name: measures(heapsmith, recipe) for name, [recipe] in PRESETS.items()}
    problems = []
    for preset, names in [("hotspot", HOTSPOT), ("openj9", [name for name in real if name.startswith("j9-")])]:
        rows, out, within = table(real, names, preset, mine[preset])
        reasons = UNLIKE[preset]
        if preset == "hotspot":
            problems += [f"{key} is out of range, without a reason" for key in out if key not in reasons]
        problems += [f"{preset}: {key} is in range, or not measured" for key in reasons if key not in out]
        counts = f"{within} of {within + len(out)} measures of `{preset}` are within the range."
        unlike = [f"- *{what}*: {'; '.join(filter(None, [far, reasons.get(key)]))}" for key, (what, far) in out.items()]
        page = between(page, preset, [counts, "", *rows, *([""] + ["Unlike:", ""] + unlike if unlike else [])])
    page = between(page, "others", others(heapsmith, real))
    page = between(page, "android", reports(mine["android"]))
    PAGE.write_text(page)
    raise SystemExit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
