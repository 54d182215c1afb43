#!/usr/bin/env python3
"""Writes speeds.svg and what follows the line MARK of README.md, of kernels.json, one-thread.json and reports.txt: page.py, in results/local-memory."""
import json
import math
import re
import sys
import time

sys.path.insert(0, "..")
from tables import lines, mean, rewrite

MARK = "<!-- What follows is written by page.py. -->"
OURS = "vicinity-opencl"
OTHERS = {"vicinity-kept": "kept", "pocl": "PoCL", "intel-opencl": "Intel"}
COLOURS = {"vicinity-kept": "#0072b2", "pocl": "#009e73", "intel-opencl": "#cc79a7"}
NAIVE = "product_naive"


def read(name):
    """The record, and {program: {contender: its median in ms}}."""
    with open(name) as text:
        record = json.load(text)
    table = {}
    for series in record["series"]:
        if series["failure"] is None:
            table.setdefault(series["program"], {})[series["contender"]] = series["summary"]["median"]
    return record, table


def ratio(row, other):
    return row[other] / row[OURS] if other in row and OURS in row else None


def longer(table, other):
    """How many times as long as ours the other takes, geometric mean of all programs but the naive product."""
    return mean([value for name, row in table.items() if name != NAIVE and (value := ratio(row, other))])


def number(value):
    return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def shown(row, program, other):
    """The ratio of another contender, marked where both run the same code."""
    arrays, barriers = reports()[program]
    same = other == "vicinity-kept" and not any(" removed" in array for array in arrays) and all(it.startswith("0 ") for it in barriers)
    value = ratio(row, other)
    return f"{value:.2f}{' =' if same else ''}" if value else ""


def times(name):
    record, table = read(name)
    others = [other for other in OTHERS if any(other in row for row in table.values())]
    threads = record["series"][0]["threads"]
    yield f"## Times, {threads} thread{'s' if threads > 1 else ''}"
    yield ""
    day = time.strftime("%Y-%m-%d", time.gmtime(record["taken_at_unix_s"]))
    clock = "processor time" if record["clock"] == "cpu" else "the kernels' own time"
    yield f"Milliseconds of {clock}, medians of {record['repeat']} processes, class {record['class']}, {day}."
    yield "Ratios are to Vicinity's time: above 1 Vicinity is faster. `=`: nothing was removed, so that it is"
    yield "the same code, and what differs is noise."
    yield ""
    rows = []
    for program, row in table.items():
        cells = [f"`{program}`", number(row.get(OURS))] + [number(row.get(other)) for other in others]
        rows.append(cells + [shown(row, program, other) for other in others])
    rows.append(["geometric mean without `product_naive`"] + [""] * (1 + len(others)) + [f"{longer(table, other):.2f}" for other in others])
    yield from lines(["program", "Vicinity"] + [OTHERS[other] for other in others] + [f"{OTHERS[other]} / Vicinity" for other in others], rows)
    products = [row.get(OURS) for name, row in table.items() if name in ("product_tiled", NAIVE)]
    if len(products) == 2 and all(products):
        yield f"The tiled product takes {max(products) / min(products):.1f} times as long as the naive one." if products[0] >= products[1] else f"The naive product takes {products[1] / products[0]:.1f} times as long as the tiled one."
        yield ""


def reports():
    """{kernel: what became of its arrays, of its barriers, and why barriers stay}, in the order of reports.txt."""
    found = {}
    with open("reports.txt") as text:
        for line in text:
            if kernel := re.match(r"kernel (\w+), line", line):
                arrays, barriers = [], []
                found[kernel[1]] = (arrays, barriers)
            elif array := re.match(r"  local array (\w+) (removed|stays)(?:: (.*))?", line):
                arrays.append(f"`{array[1]}` {array[2]}" + (f": {array[3]}" if array[2] == "stays" else ""))
            elif counts := re.match(r"  barriers: (\d+) kept, (\d+) removed", line):
                barriers.append(f"{counts[2]} of {int(counts[1]) + int(counts[2])}")
    return found


def removed(programs):
    found = reports()
    of_suite = {name: found[name] for name in programs if name in found}
    of_forms = {name: entry for name, entry in found.items() if name not in programs}
    row = lambda name, entry: [f"`{name}`", "; ".join(entry[0]) or "has none", " ".join(entry[1]) or "has none"]
    yield "## What was removed"
    yield ""
    yield "As `vicinity translate` says; [reports.txt](reports.txt) has all of it."
    yield ""
    yield from lines(["program", "local arrays", "barriers removed"], [row(*each) for each in of_suite.items()])
    yield "## What keeps arrays, one form at a time"
    yield ""
    yield "Kernels of [forms.cl](forms.cl), which says in what each differs from the one before it."
    yield ""
    yield from lines(["kernel", "local array", "barriers removed"], [row(*each) for each in of_forms.items()])


def picture(table):
    """A dot for each program and contender: how many times as long as Vicinity it takes."""
    left, width, step, top = 120, 520, 26, 44
    place = lambda value: left + width * (math.log2(min(max(value, 0.5), 32)) + 1) / 6
    height = top + step * len(table) + 12
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{height}" font-family="sans-serif" font-size="11">'
    yield '<rect width="100%" height="100%" fill="white"/>'
    for at, (other, colour) in enumerate(COLOURS.items()):
        yield f'<circle cx="{left + 150 * at}" cy="13" r="4.5" fill="{colour}"/><text x="{left + 150 * at + 9}" y="17">{OTHERS[other]} / Vicinity</text>'
    for power in range(-1, 6):
        x = place(2.0**power)
        yield f'<line x1="{x:.1f}" y1="{top - 6}" x2="{x:.1f}" y2="{height - 10}" stroke="{"black" if power == 0 else "#ddd"}"/>'
        yield f'<text x="{x:.1f}" y="{top - 10}" text-anchor="middle">{2.0**power:g}</text>'
    for at, (program, row) in enumerate(table.items()):
        y = top + step * at + 14
        yield f'<text x="{left - 14}" y="{y + 4}" text-anchor="end">{program}</text>'
        for other, colour in COLOURS.items():
            if value := ratio(row, other):
                yield f'<circle cx="{place(value):.1f}" cy="{y}" r="4.5" fill="{colour}" fill-opacity="0.85"/>'
    yield "</svg>"
    yield ""


def main():
    _, table = read("kernels.json")
    text = [*times("kernels.json"), *times("one-thread.json"), *removed(list(table))]
    rewrite("README.md", MARK, text)
    with open("speeds.svg", "w") as out:
        out.write("\n".join(picture(table)))


if __name__ == "__main__":
    main()
