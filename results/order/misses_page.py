#!/usr/bin/env python3
"""Writes misses.md and misses.svg of misses.json, paper.json, paper-times.json and misses-same.json: misses_page.py, in results/order."""
import json
import math
import statistics

NAMES = {"auto": "chosen", "dfo": "depth-first", "bfo": "breadth-first", "pocl": "PoCL", "intel": "Intel"}
MEASURES = ["instructions", "first-level misses", "last-level misses"]
BEHIND = 1.05
COLOURS = {"dfo": "#0072b2", "bfo": "#e69f00", "pocl": "#009e73", "intel": "#cc79a7"}


def ratio(row, other, measure):
    """How many times as many as with the chosen order; None where one was not counted."""
    counts = [row.get(name) for name in ("auto", other)]
    if not all(counts) or counts[0][measure] == 0:
        return None
    return counts[1][measure] / counts[0][measure]


def mean(data, other, measure):
    found = [value for row in data.values() if (value := ratio(row, other, measure))]
    return (math.exp(sum(map(math.log, found)) / len(found)), len(found)) if found else (math.nan, 0)


def summary(data):
    lines = ["| geometric means, of the chosen order's counts | " + " | ".join(MEASURES) + " | kernels |", "|---|---|---|---|---|"]
    for other in list(NAMES)[1:]:
        means = [mean(data, other, measure) for measure in range(3)]
        lines.append(f"| {NAMES[other]} | " + " | ".join(f"{value:.2f}" for value, _ in means) + f" | {means[0][1]} |")
    better = {name: row | {"better": [min(a, b) for a, b in zip(row["dfo"], row["bfo"])]} for name, row in data.items() if row.get("dfo") and row.get("bfo")}
    means = [mean(better, "better", measure)[0] for measure in range(3)]
    return lines + ["| the better forced order, for each kernel and count | " + " | ".join(f"{value:.3f}" for value in means) + f" | {len(better)} |"]


def behind(data, same):
    """Kernels with more than 5% above the better forced order, for a better count of misses or instructions."""
    lines = ["| kernel | instructions, chosen / better | first-level misses, chosen / better | decided |", "|---|---|---|---|"]
    for name, row in data.items():
        if not all(row.get(order) for order in ("auto", "dfo", "bfo")):
            continue
        over = [row["auto"][at] / max(min(row["dfo"][at], row["bfo"][at]), 1) for at in (0, 1)]
        if max(over) > BEHIND:
            decided = "; ".join(loop for loops in same.get(name, {}).get("loops", {}).values() for loop in loops)
            lines.append(f"| `{name}` | {over[0]:.2f} | {over[1]:.2f} | {decided} |")
    return lines


def table(data, measure):
    lines = ["| kernel | " + " | ".join(NAMES.values()) + " |", "|---|---|---|---|---|---|"]
    for name, row in data.items():
        own = row.get("auto")
        cells = [f"{own[measure]:,}" if own else "failed"]
        for other in list(NAMES)[1:]:
            value = ratio(row, other, measure)
            cells.append(f"{value:.2f}" if value else ("failed" if other in row else ""))
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return lines


def picture(data):
    """A dot for each kernel that all have run and contender: how many times the misses of the chosen order."""
    rows = [name for name in data if all(ratio(data[name], other, 1) for other in COLOURS)]
    left, width, step, top = 150, 620, 12, 40
    place = lambda value: left + width * (math.log2(min(max(value, 0.25), 32)) + 2) / 7
    height = top + step * len(rows) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{height}" font-family="sans-serif" font-size="10">',
             '<rect width="100%" height="100%" fill="white"/>']
    for at, (other, colour) in enumerate(COLOURS.items()):
        parts.append(f'<circle cx="{left + 130 * at}" cy="12" r="4" fill="{colour}"/><text x="{left + 130 * at + 8}" y="16">{NAMES[other]}</text>')
    for power in range(-2, 6):
        x = place(2.0**power)
        parts.append(f'<line x1="{x}" y1="{top - 6}" x2="{x}" y2="{height - 10}" stroke="{"black" if power == 0 else "#ddd"}"/>')
        parts.append(f'<text x="{x}" y="{top - 10}" text-anchor="middle">{2.0**power:g}</text>')
    for at, name in enumerate(rows):
        y = top + step * at + 6
        parts.append(f'<text x="{left - 40}" y="{y + 3}" text-anchor="end">{name}</text>')
        for other, colour in COLOURS.items():
            if value := ratio(data[name], other, 1):
                parts.append(f'<circle cx="{place(value):.1f}" cy="{y}" r="3.5" fill="{colour}" fill-opacity="0.8"/>')
    return "\n".join([*parts, "</svg>", ""])


def read(name):
    with open(name) as text:
        return json.load(text)


def paper_tables(data):
    lines = ["", "## The programs of CGO'15", "", "All launches of a program count, of small inputs (paper_inputs.py).", ""]
    lines += summary(data)
    for measure in (1, 0, 2):
        lines += ["", f"### {MEASURES[measure].capitalize()}", "", *table(data, measure)]
    return lines


def times_table(data):
    """Medians in ms of the chosen order, and how many times as long the others take, on one and on two threads."""
    middle = lambda times: statistics.median(some) if (some := [ms for ms in times if ms]) else None
    lines = ["", "### Times of the kernels", "", "Of the chosen order in ms, of the others as multiples; medians of three processes."]
    for threads in (1, 2):
        rows = {name: {who: middle(times[threads - 1]) for who, times in row.items()} for name, row in data.items()}
        lines += ["", f"| {threads} thread{'s' * (threads - 1)} | " + " | ".join(NAMES.values()) + " |", "|---|---|---|---|---|---|"]
        ratios = {who: {name: row[who] / row["auto"] for name, row in rows.items() if row.get(who)} for who in list(NAMES)[1:]}
        for name, row in rows.items():
            cells = [f"{some[name]:.2f}" if name in some else "failed" for some in ratios.values()]
            lines.append(f"| `{name}` | {row['auto']:.2f} | " + " | ".join(cells) + " |")
        means = [math.exp(statistics.fmean(map(math.log, some.values()))) for some in ratios.values()]
        lines.append("| geometric mean | | " + " | ".join(f"{value:.2f}" for value in means) + " |")
    return lines


def main():
    data, programs, same = read("misses.json"), read("paper.json"), read("misses-same.json")
    lines = ["Made by misses_page.py of misses.json, paper.json and paper-times.json. Columns after the first"]
    lines += ["have how many times the chosen order's count. `failed`: valgrind does not know an instruction."]
    lines += paper_tables(programs)
    lines += times_table(read("paper-times.json"))
    lines += ["", "## The suites `opencl` and `fresh`", "", *summary(data)]
    lines += ["", "### More than 5% above the better forced order", "", *behind(data, same)]
    for measure in (1, 0, 2):
        lines += ["", f"### {MEASURES[measure].capitalize()}", "", *table(data, measure)]
    with open("misses.md", "w") as out:
        out.write("\n".join(lines) + "\n")
    named = {f"{name} (CGO'15)": row for name, row in programs.items()}
    with open("misses.svg", "w") as out:
        out.write(picture(named | data))


if __name__ == "__main__":
    main()
