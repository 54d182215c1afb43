#!/usr/bin/env python3
"""Writes tables.md from kernels.json, processor-time.json, generic.json, costs.json, misses.txt, orders.json and notes.txt:
page.py, in results/opencl."""
import json, math, time

OURS = {"vicinity-dfo": "depth-first", "vicinity-bfo": "breadth-first", "vicinity-opencl": "chosen"}
NEAR = 1.10  # how much slower than the better order the chosen one may be
MEASURES = {  # what a step is called, its unit in ns, and the goal in that unit, or what is to be reached to 0.9
    "cl_platform": ("first platform query, ms", 1e6, 5),
    "cl_context": ("create a context, ms", 1e6, 1),
    "cl_build_cold": ("build a tiny program, cold, ms", 1e6, 120),
    "cl_build_cached": ("the same, cached, ms", 1e6, 2),
    "cl_build20_cold": ("build twenty kernels, cold, ms", 1e6, 600),
    "cl_build20_cached": ("the same, cached, ms", 1e6, 5),
    "cl_whole20_cold": ("the same, until its binary is there, ms", 1e6, 200),
    "cl_first_cold": ("a tiny program, cold, to the end of its first launch, ms", 1e6, 30),
    "cl_first_launch": ("first launch after a build, ms", 1e6, 2),
    "cl_empty": ("an empty kernel, enqueue to finish, us", 1e3, 5),
    "cl_enqueue": ("an enqueue, us", 1e3, 1.5),
    "cl_group1": ("a work-group of 1 item, ns", 1, 3),
    "cl_group16": ("a work-group of 16 items, ns", 1, 6),
    "cl_group256": ("a work-group of 256 items, ns", 1, 50),
    "cl_write": ("write 256 MB, ms", 1e6, "memory_copy"),
    "cl_read": ("read 256 MB, ms", 1e6, "memory_copy"),
    "cl_copy": ("copy 256 MB, ms", 1e6, "memory_copy"),
    "cl_fill": ("fill 256 MB, ms", 1e6, "memory_fill"),
    "cl_map": ("map 256 MB, us", 1e3, 20),
    "cl_flush": ("an enqueue and its flush, us", 1e3, None),
    "cl_hosts2": ("an enqueue, two host threads, us", 1e3, None),
    "cl_hosts8": ("an enqueue, eight host threads, us", 1e3, None),
    "cl_create": ("create a buffer as a copy of 256 MB, ms", 1e6, None),
    "memory_copy": ("copy 256 MB by two threads without OpenCL, ms", 1e6, None),
    "memory_fill": ("fill 256 MB by two threads without OpenCL, ms", 1e6, None),
}


def medians(record):
    """{program: {contender: median or None}}, programs and contenders in the order of the record."""
    table = {}
    for series in record["series"]:
        summary = series["summary"] if series["failure"] is None else None
        table.setdefault(series["program"], {})[series["contender"]] = summary and summary["median"]
    return table


def number(value):
    if value is None:
        return "failed"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def ratios(table, of, to):
    """of over to, for the programs that have both."""
    return [row[of] / row[to] for row in table.values() if row.get(of) and row.get(to)]


def lines(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    yield from ("| " + " | ".join(row) + " |" for row in rows)
    yield ""


def speeds(name, table):
    """How many times as fast each order is as each peer."""
    peers = [who for who in next(iter(table.values())) if who not in OURS]
    poclish = [peer for peer in peers if peer.startswith("pocl")]
    rows = [[OURS[ours]] + [f"{mean(ratios(table, peer, ours)):.2f}" for peer in peers] for ours in OURS]
    yield from lines([f"{name}: times as fast as"] + peers, rows)
    low = []
    for program, row in table.items():
        known = [row[peer] for peer in poclish if row[peer]]
        if known and row["vicinity-opencl"] and min(known) / row["vicinity-opencl"] < 0.7:
            low.append(f"`{program}` ({min(known) / row['vicinity-opencl']:.2f})")
    yield f"Below 0.7 of the better PoCL: {', '.join(low) or 'none'}."
    yield ""


def times(title, table):
    peers = [who for who in next(iter(table.values())) if who not in OURS]
    yield f"## {title}, ms"
    yield ""
    rows = []
    for program, row in table.items():
        orders = [number(row[ours]) for ours in OURS]
        best = min((row[who] for who in peers if row[who]), default=math.inf)
        if row["vicinity-opencl"] and row["vicinity-opencl"] <= best:
            orders[2] = f"**{orders[2]}**"
        rows.append([program] + orders + [number(row[peer]) for peer in peers])
    yield from lines(["kernel"] + list(OURS.values()) + peers, rows)


def misses():
    with open("misses.txt") as text:
        rows = [line.split() for line in text][1:]
    counted = lambda count: None if count == "-" else int(count)
    return {name: {"size": size, **dict(zip(OURS, map(counted, counts)))} for name, size, *counts in rows}


def missed(table):
    yield "## Misses of the first-level data cache, one thread, two runs"
    yield ""
    rows = [[name, row["size"]] + ["failed" if row[who] is None else f"{row[who]:,}" for who in OURS] for name, row in table.items()]
    yield from lines(["kernel", "size"] + list(OURS.values()), rows)
    chosen = "vicinity-opencl"
    dfo, bfo = (mean(ratios(table, who, chosen)) for who in ("vicinity-dfo", "vicinity-bfo"))
    yield f"Geometric means: the chosen order has {dfo:.2f} times fewer misses than depth-first and {bfo:.2f} times fewer than"
    yield "breadth-first (CGO'15: 5.72 and 1.29)."
    yield ""


def generic(record, cpu):
    """Code for any local size, which runs until there is that for the one in use, beside the latter."""
    yield "## Before there is code for the local size: processor time on one thread, ms"
    yield ""
    yield "The first run of a program, until then; `this size` is what it and every later run have from then on, as in the other tables."
    yield ""
    rows, worth = [], []
    for program, row in medians(record).items():
        before, after = row["vicinity-opencl"], cpu.get(program, {}).get("vicinity-opencl")
        poclish = [time for who, time in cpu.get(program, {}).items() if who.startswith("pocl") and time]
        if before and after:
            worth.append(before / after)
            against = f"{min(poclish) / before:.2f}" if poclish else ""
            rows.append([program, number(before), number(after), f"{before / after:.2f}", against])
    yield from lines(["kernel", "any size", "this size", "times as fast", "any size, to the better PoCL"], rows)
    yield f"Geometric mean: code for this size is {mean(worth):.2f} times as fast."
    yield ""


def reason(program, better, orders, notes):
    """Why the chosen order is slower than the better one, of which `better` has the names."""
    same = orders.get(program, {"as": [], "loops": []})
    if better <= set(same["as"]):
        return "the same code: this is what runs differ by"
    note = notes.get(program, "not explained")
    return f"{note} ({'; '.join(same['loops']) or 'no loops'})"


def exceptions(kinds):
    """The kernels where the chosen order is not within NEAR of the better one, by any of the measures, and why."""
    with open("notes.txt") as text:
        notes = dict(line.strip().split(": ", 1) for line in text if line.strip())
    with open("orders.json") as text:
        orders = json.load(text)
    behind, better = {}, {}
    for kind, table in kinds.items():
        for program, row in table.items():
            forced = {who: row[who] for who in ("vicinity-dfo", "vicinity-bfo") if row[who]}
            if forced and row["vicinity-opencl"] and row["vicinity-opencl"] > NEAR * min(forced.values()):
                least = min(forced, key=forced.get)
                behind.setdefault(program, []).append(f"{kind} {row['vicinity-opencl'] / forced[least]:.2f}")
                better.setdefault(program, set()).add(least.removeprefix("vicinity-"))
    yield "## Where the chosen order is not the better one"
    yield ""
    yield f"More than {NEAR - 1:.0%} behind, and by what factor. Whether it is the same code is looked at (`orders.py`)."
    yield ""
    rows = [[program, ", ".join(by), reason(program, better[program], orders, notes)] for program, by in behind.items()]
    yield from lines(["kernel", "behind", "why"], rows)


def steps(table):
    yield "## Single steps of the host interface, two threads"
    yield ""
    peers = [who for who in next(iter(table.values())) if who not in OURS]
    rows = []
    for measure, row in table.items():
        words, unit, goal = MEASURES.get(measure, (f"`{measure}`, ns", 1, None))
        shown = [row[who] and row[who] / unit for who in ["vicinity-opencl"] + peers]
        if isinstance(goal, str):
            bound = table.get(goal, {}).get("vicinity-opencl")
            goal = bound and round(bound / unit / 0.9, 1)
        ours = number(shown[0])
        if goal and shown[0] and shown[0] > goal:
            ours += " **(missed)**"
        rows.append([words, "" if goal is None else str(goal), ours] + [number(value) for value in shown[1:]])
    yield from lines(["step", "goal", "Vicinity"] + peers, rows)


def page():
    record = {name: json.load(open(f"{name}.json")) for name in ("kernels", "processor-time", "generic", "costs")}
    table = {name: medians(record[name]) for name in ("kernels", "processor-time", "costs")}
    counts = misses()
    first = record["kernels"]
    day = time.strftime("%Y-%m-%d", time.gmtime(first["taken_at_unix_s"]))
    yield "# OpenCL kernels and steps in tables"
    yield ""
    yield "Made by `page.py` from the data beside it; [README.md](README.md) says how it was measured and what it means. Medians of"
    yield f"{first['repeat']} runs, class {first['class']}, {day}, {first['processors']} processors ({first['processor_model']}); load"
    yield f"before the first run {first['load_before']}. Bold: ahead of every peer."
    yield ""
    wall, cpu = table["kernels"], table["processor-time"]
    yield from speeds("kernel time, two threads", wall)
    yield from speeds("processor time, one thread", cpu)
    yield from exceptions({"time, two threads": wall, "time, one thread": cpu, "misses": counts})
    yield from times("Kernel time on two threads", wall)
    yield from times("Processor time on one thread", cpu)
    yield from generic(record["generic"], cpu)
    yield from missed(counts)
    yield from steps(table["costs"])


with open("tables.md", "w") as out:
    out.write("\n".join(page()))
