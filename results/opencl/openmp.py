#!/usr/bin/env python3
"""Writes the tables of openmp.md, all that follows its line MARK, from openmp.json: openmp.py, in results/opencl.

The record is that of `vicinity bench --suite opencl --json` with the contenders of OURS and PEERS. Each number is the median over
processes of the median of a process's runs."""
import json, sys, time

sys.path.insert(0, "..")
from tables import lines, mean, rewrite

MARK = "<!-- What follows is written by openmp.py. -->"
OURS = "vicinity-opencl"
PEERS = {"openmp-gcc": "gcc", "openmp-clang": "clang"}
NEAR = 1.05  # what runs differ by
# Kernels for local memory and groups, or with atomic operations on common memory: the C computes the same in another way.
FOR_GROUPS = set(
    "histogram_global histogram_local scan tree_reduction lu matmul_tiled fdtd transpose_tiled wavefront streamcluster dct".split()
)


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def medians(record):
    """{program: {contender: median}}."""
    table = {}
    for series in record["series"]:
        if series["failure"]:
            raise SystemExit(series["failure"])
        table.setdefault(series["program"], {})[series["contender"]] = series["summary"]["median"]
    return table


def better(row):
    return min(PEERS, key=row.get)


def ahead(row, peer):
    """How many times as fast as a peer Vicinity is."""
    return row[peer] / row[OURS]


def means(table):
    rows = [[name, f"{mean([ahead(row, peer) for row in table.values()]):.2f}"] for peer, name in PEERS.items()]
    best = {program: ahead(row, better(row)) for program, row in table.items()}
    rows.append(["the better of the two for each kernel", f"{mean(list(best.values())):.2f}"])
    rows.append(["the same, kernels for groups", f"{mean([it for program, it in best.items() if program in FOR_GROUPS]):.2f}"])
    rows.append(["the same, all others", f"{mean([it for program, it in best.items() if program not in FOR_GROUPS]):.2f}"])
    yield from lines(["times as fast as the C of", "geometric mean"], rows)


def count(table):
    behind = [program for program, row in table.items() if ahead(row, better(row)) * NEAR < 1]
    before = [program for program, row in table.items() if ahead(row, better(row)) > NEAR]
    yield f"Of {len(table)} kernels Vicinity is ahead of the better by more than {NEAR - 1:.0%} in {len(before)}, and behind in {len(behind)}."
    yield ""


def times(table):
    rows = []
    for program, row in sorted(table.items(), key=lambda item: ahead(item[1], better(item[1]))):
        shown = [number(row[who]) for who in (OURS, *PEERS)]
        rows.append([f"`{program}`", *shown, PEERS[better(row)], f"{ahead(row, better(row)):.2f}"])
    yield from lines(["kernel, ms", "Vicinity", *PEERS.values(), "the better", "the better / Vicinity"], rows)


def page():
    with open("openmp.json") as text:
        record = json.load(text)
    table = medians(record)
    day = time.strftime("%Y-%m-%d", time.gmtime(record["taken_at_unix_s"]))
    yield f"{day}, {record['processors']} processors ({record['processor_model']}), {record['repeat']} processes of each, class"
    yield f"`{record['class']}`, load before the first {record['load_before']}. Compilers:"
    yield "; ".join(it["compiler"] for it in record["contenders"] if it["name"] in PEERS) + "."
    yield ""
    yield from means(table)
    yield from count(table)
    yield from times(table)


rewrite("openmp.md", MARK, page())
