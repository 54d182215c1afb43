#!/usr/bin/env python3
"""Writes the tables of fresh.md, all that follows its line MARK, from the records of each round: fresh.py, in results/opencl.

The records are those of `vicinity bench --suite fresh --json`: fresh-roundR-B-T.json for round R, build B of Vicinity, T threads.
Each number is the median over processes of the least of a process's runs."""
import json, os, sys, textwrap, time

sys.path.insert(0, "..")
from tables import lines, mean, rewrite

MARK = "<!-- What follows is written by fresh.py. -->"
ROUNDS = {
    29: {"first": "the first measurement"},
    28: {"first": "the first measurement"},
    27: {"first": "the first measurement"},
    26: {"first": "the first measurement"},
    25: {"first": "the first measurement"},
    24: {"first": "the first measurement"},
    23: {"first": "the first measurement"},
    20: {"first": "the first measurement"},
    22: {"first": "the first measurement"},
    21: {"first": "the first measurement"},
    19: {"first": "the first measurement"},
    18: {"first": "the first measurement"},
    17: {"first": "the first measurement"},
    16: {"first": "the first measurement"},
    15: {"first": "the first measurement"},
    14: {"first": "the first measurement"},
    13: {"first": "the first measurement"},
    12: {"first": "the first measurement"},
    11: {"first": "the first measurement"},
    10: {"first": "the first measurement"},
    9: {"first": "the first measurement"},
    8: {"first": "the first measurement"},
    7: {"first": "the first measurement"},
    6: {"first": "the first measurement"},
    4: {"first": "the first measurement"},
    3: {"first": "the first measurement"},
    2: {"first": "the first measurement"},
    1: {"first": "the first measurement", "vectors": "with vectors of items by our own vectorizer (round 1 was known by then)"},
}
OURS = {"vicinity-opencl": "chosen", "vicinity-dfo": "depth-first", "vicinity-bfo": "breadth-first"}
PEERS = {"intel-opencl": "Intel", "pocl": "PoCL"}
NEAR = 1.05  # what runs differ by


def number(value):
    return "failed" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def read(name):
    with open(name) as text:
        record = json.load(text)
    table = {}
    for series in record["series"]:
        summary = series["summary"] if series["failure"] is None else None
        table.setdefault(series["program"], {})[series["contender"]] = summary and summary["median"]
    return record, table


def ratio(row, of, to):
    return row[of] / row[to] if row.get(of) and row.get(to) else None


def ratios(table, of, to):
    return [it for it in (ratio(row, of, to) for row in table.values()) if it]


def ran(table):
    """Those of ours that were measured."""
    return {ours: name for ours, name in OURS.items() if any(ours in row for row in table.values())}


def means(table):
    rows = [[name] + [f"{mean(ratios(table, peer, ours)):.2f}" for peer in PEERS] for ours, name in ran(table).items()]
    yield from lines(["order of loops: times as fast as"] + list(PEERS.values()), rows)


def losses(table):
    """By how much the better peer is ahead, where it is."""
    behind = []
    for program, row in table.items():
        known = {peer: row[peer] for peer in PEERS if row.get(peer)}
        best = min(known, key=known.get)
        factor = row["vicinity-opencl"] / known[best]
        if factor > NEAR:
            behind.append((factor, program, PEERS[best]))
    behind.sort(reverse=True)
    names = ", ".join(f"`{program}` {factor:.2f} ({peer})" for factor, program, peer in behind)
    text = f"Behind the better peer by more than {NEAR - 1:.0%} in {len(behind)} of {len(table)}, by these factors: {names or 'none'}."
    yield textwrap.fill(text, 130, break_on_hyphens=False)
    yield ""


def times(table):
    rows = []
    for program, row in table.items():
        shown = [number(row.get(who)) for who in [*ran(table), *PEERS]]
        against = [ratio(row, peer, "vicinity-opencl") for peer in PEERS]
        rows.append([program] + shown + ["" if it is None else f"{it:.2f}" for it in against])
    head = ["kernel, ms"] + list(ran(table).values()) + list(PEERS.values()) + [f"{name} / chosen" for name in PEERS.values()]
    yield from lines(head, rows)


def page():
    for number_of, builds in ROUNDS.items():
        for build, words in builds.items():
            for threads in (2, 1):
                name = f"fresh-round{number_of}-{build}-{threads}.json"
                if not os.path.exists(name):
                    continue
                record, table = read(name)
                day = time.strftime("%Y-%m-%d", time.gmtime(record["taken_at_unix_s"]))
                yield f"## Round {number_of}, {words}: {'two threads' if threads == 2 else 'one thread'}"
                yield ""
                yield f"{day}, {record['processors']} processors ({record['processor_model']}), {record['repeat']} processes of each; load"
                yield f"before the first {record['load_before']}."
                yield ""
                yield from means(table)
                yield from losses(table)
                yield from times(table)


rewrite("fresh.md", MARK, page())
