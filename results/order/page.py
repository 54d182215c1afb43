#!/usr/bin/env python3
"""Writes tables.md of the measurements beside it: page.py, in results/order."""
import json, math, statistics


def times(prefix):
    """{workload: {contender: the median of its processes in ms}}"""
    found = {}
    for suite in ("opencl", "fresh"):
        with open(f"{prefix}{suite}.json") as text:
            for series in json.load(text)["series"]:
                median = statistics.median(series["samples"] or [math.nan])
                found.setdefault(series["program"], {"suite": suite})[series["contender"]] = median
    return found


def same(name):
    with open(name) as text:
        return {workload: one["same"] for workload, one in json.load(text).items()}


def better(row):
    return min(row["vicinity-dfo"], row["vicinity-bfo"])


def ratio(row):
    return row["vicinity-opencl"] / better(row)


def is_same(row, forced):
    """Whether the chosen code is that of the better order."""
    return ("dfo" if row["vicinity-dfo"] <= row["vicinity-bfo"] else "bfo") in forced


first, now = times("first-"), times("")
before, after = same("first-same.json"), same("same.json")
lines = [
    "Chosen and forced orders, ms of processor time on one thread, medians of three processes, of those more than 5% behind at first of seven others (before: five); `=` where the chosen code is that of the better order. Workloads whose",
    "code is the same in all three orders are left out.",
    "",
    "| workload | suite | chosen | depth-first | breadth-first | chosen / better | | before: chosen / better | |",
    "|---|---|---|---|---|---|---|---|---|",
]
mark = lambda row, forced: "=" if is_same(row, forced) else ""
for workload in sorted(now, key=lambda name: -ratio(now[name])):
    row, old = now[workload], first.get(workload)
    cells = [workload, row["suite"], *(f"{row[key]:.2f}" for key in ("vicinity-opencl", "vicinity-dfo", "vicinity-bfo"))]
    cells += [f"{ratio(row):.2f}", mark(row, after[workload])]
    cells += [f"{ratio(old):.2f}", mark(old, before[workload])] if old else ["", ""]
    lines.append("| " + " | ".join(cells) + " |")


def summary(rows, forced, what):
    missed = [name for name, row in rows.items() if ratio(row) > 1.05 and not is_same(row, forced[name])]
    mean = math.exp(sum(math.log(ratio(row)) for row in rows.values()) / len(rows))
    names = ", ".join(f"`{name}`" for name in missed) or "none"
    return f"{what}: {len(rows)} workloads whose orders differ, more than 5% behind the better order with other code than its: {names}; geometric mean of chosen / better {mean:.2f}."


lines += ["", summary(first, before, "Before"), "", summary(now, after, "Now"), "", "## Kernels for single rules", "", "Microseconds, least of all runs.", "", "```"]
with open("rules.txt") as text:
    lines += text.read().rstrip().split("\n")
lines += ["```", ""]
with open("tables.md", "w") as out:
    out.write("\n".join(lines))
