#!/usr/bin/env python3
"""Writes what follows the line MARK of README.md, calls.svg and items.svg, of the records beside it: page.py, in results/opencl-on-cpus."""
import sys

sys.path.insert(0, "..")
from pictures import bars, curves
from records import BEHIND, DRIVERS, KINDS, OURS, best, calls_of, cell, ms, number, percent, read, variants
from tables import lines, mean, rewrite

MARK = "<!-- What follows is written by page.py. -->"
STATES = ("cold", "warm")


def shares():
    """The kinds of calls, by driver and state of the caches: mean milliseconds, and the mean share of all time in calls."""
    columns = [(driver, state) for driver in DRIVERS for state in STATES]
    rows = []
    for kind, parts in KINDS.items():
        cells = []
        for driver, state in columns:
            found = [calls_of(case, driver) for case in read("calls") if case["cache"] == state]
            cells.append(f"{number(sum(each[kind] for each in found) / len(found))} ({percent(sum(each[kind] / sum(each.values()) for each in found) / len(found))}%)")
        rows.append([kind, *cells])
    yield from lines(["calls", *[f"{DRIVERS[driver]}, {state}" for driver, state in columns]], rows)


def processes():
    rows = []
    for program in dict.fromkeys(case["case"] for case in read("calls")):
        cells = []
        for driver in DRIVERS:
            for state in STATES:
                case = next(case for case in read("calls") if case["case"] == program and case["cache"] == state)
                cells.append(f"{number(min(case['process'][driver]))} ({number(sum(calls_of(case, driver).values()))})")
        rows.append([f"`{program}`", *cells])
    yield from lines(["program", *[f"{DRIVERS[driver]}, {state}" for driver in DRIVERS for state in STATES]], rows)


def api():
    yield from ["## 1. Calls", ""]
    yield from ["Milliseconds in calls, means of eleven programs, and shares of all time in calls (means of the", "programs' shares).", ""]
    yield from shares()
    yield from ["Milliseconds of a whole process, and in brackets those in calls. The rest is the program's own: it", "makes data, and computes the result serially to compare; and the process starts and ends.", ""]
    yield from processes()
    yield from ["Milliseconds until the first of the kernels of [kernels.cl](kernels.cl) has run, and of these in", "`clCreateProgramWith...` and `clBuildProgram`.", ""]
    rows = [[case["from"], case["cache"], *[f"{number(min(case['ms'][driver]))} ({number(min(case['build_ms'][driver]))})" for driver in DRIVERS]] for case in read("builds")]
    yield from lines(["program from", "on disk", *DRIVERS.values()], rows)


def by_variant(name, first, heads):
    """A row for each driver and size of a kernel, a column for each variant; marked where ours is behind the better of the others."""
    rows = []
    for (kernel, size), cases in variants(name).items():
        names = [case["variant"] for case in cases]
        if names != first:
            continue
        for driver in DRIVERS:
            rows.append([f"`{kernel}`", size, DRIVERS[driver], *[cell(case, driver) for case in cases], *heads(cases, driver)])
    return rows


def items():
    slowest = lambda cases, driver: [f"{max(ms(case, driver) for case in cases) / min(ms(case, driver) for case in cases):.1f}"]
    yield from ["## 2. Work in an item", "", "Milliseconds a launch; `plain` is the kernel without a loop. Bold: Vicinity takes more than 1.1", "times as long as the better of the others. Last, the longest by the shortest of a row.", ""]
    names = ["0", "1", "10", "100", "1000"]
    yield from lines(["kernel", "size", "driver", "plain", *names[1:], "longest / shortest"], by_variant("items", names, slowest))
    names = ["1", "2", "4", "8", "16"]
    yield from lines(["kernel", "size", "driver", *names, "longest / shortest"], by_variant("items", names, slowest))


def chains():
    yield from ["## 3. Chains", "", "Milliseconds of 65,536 items with 1,536 multiplications and additions each, in as many chains.", ""]
    yield from lines(["kernel", "items", "driver", "1", "2", "3", "4", "1 / 4"],
                     by_variant("chains", ["1", "2", "3", "4"], lambda cases, driver: [f"{ms(cases[0], driver) / ms(cases[-1], driver):.1f}"]))


def groups():
    null = lambda cases, driver: [f"{ms(cases[0], driver) / min(ms(case, driver) for case in cases[1:]):.2f}"] if cases[0]["variant"] == "NULL" else []
    yield from ["## 4. Sizes of groups", "", "Milliseconds a launch. Last, NULL by the best of the others.", ""]
    for names in (["NULL", "1", "10", "100", "1000"], ["NULL", "1x1", "2x2", "4x4", "8x8", "10x10", "16x16", "20x20"], ["NULL", "1x1", "1x2", "2x2", "2x4", "16x16"]):
        yield from lines(["kernel", "size", "driver", *names, "NULL / best"], by_variant("groups", names, null))
    names = ["1x1", "2x2", "4x4", "8x8", "16x16"]
    yield from lines(["kernel", "size", "driver", *names], by_variant("groups", names, null))


def columns():
    yield from ["### Neighbours along x that are far apart", "", "Milliseconds a launch of kernels that read or write columns, or whose last index is the fastest.", ""]
    for names in (["NULL", "16x16", "32x8", "256x1"], ["NULL", "8x8x8", "1x4x64", "64x2x1"]):
        yield from lines(["kernel", "size", "driver", *names], by_variant("columns", names, lambda cases, driver: []))


def ways():
    """Copies and maps: transfers alone and with the kernel, the mean of the four combinations of flags and places; what these make of it."""
    rows = []
    for (kernel, size), cases in variants("memory").items():
        for driver in DRIVERS:
            cells = []
            for way in ("copy", "map"):
                of_way = [case for case in cases if case["variant"].startswith(way)]
                moved = mean([min(a + b for a, b in zip(case["in_ms"][driver], case["out_ms"][driver])) for case in of_way])
                cells += [number(moved), number(mean([ms(case, driver) for case in of_way]))]
            plain = min(min(case["memcpy_ms"][driver]) for case in cases)
            rows.append([f"`{kernel}`", f"{int(size):,}", DRIVERS[driver], number(plain), *cells])
    yield from lines(["program", "elements", "driver", "memcpy", "copied: transfers", "with the kernel", "mapped: transfers", "with the kernel"], rows)
    rows = []
    for driver in DRIVERS:
        cells = []
        for at, (one, other) in ((1, ("one way", "both ways")), (2, ("host", "device"))):
            total = lambda word: mean([ms(case, driver) for case in read("memory") if case["variant"].split(", ")[at] == word])
            cells.append(f"{total(one) / total(other):.2f}")
        rows.append([DRIVERS[driver], *cells])
    yield from lines(["driver", "`READ_ONLY`, `WRITE_ONLY` / `READ_WRITE`", "`ALLOC_HOST_PTR` / without"], rows)


def memory():
    yield from ["## 5. Memory", "", "Milliseconds; geometric means of the four combinations of flags and places. `memcpy` copies the", "same bytes on one thread.", ""]
    yield from ways()


def loops():
    names = ["gcc", "gcc-simd", "clang", "clang-simd"]
    yield from ["## 6. Kernels and loops of OpenMP", "", "Milliseconds a launch, or a loop. Last, the best of the loops by Vicinity: above 1 Vicinity is", "faster.", ""]
    rows = []
    for (kernel, size), cases in variants("loops").items():
        found = {driver: min(samples) for case in cases for driver, samples in case["ms"].items()}
        loop = min(found[name] for name in names if name in found)
        rows.append([f"`{kernel}`", size, *[number(found.get(name)) for name in [*DRIVERS, *names]], f"{loop / found[OURS]:.2f}"])
    yield from lines(["kernel", "size", *DRIVERS.values(), "gcc", "gcc, `simd`", "clang", "clang, `simd`", "best loop / Vicinity"], rows)


def affinity():
    yield from ["## 7. Two kernels on the same data", "", "Milliseconds a pair of launches: undivided, as programs do it; in two parts on sub-devices of one", "processor, the same or exchanged.", ""]
    rows = []
    for (_, size), cases in variants("affinity").items():
        for driver in DRIVERS:
            found = {case["variant"]: ms(case, driver) for case in cases if driver in case["ms"]}
            if "aligned" in found:
                rows.append([f"{int(size):,}", DRIVERS[driver], *[number(found[way]) for way in ("undivided", "aligned", "misaligned")], f"{found['misaligned'] / found['aligned']:.2f}"])
    yield from lines(["elements", "driver", "undivided", "aligned", "misaligned", "misaligned / aligned"], rows)


def behind():
    """Every case in which ours takes more than BEHIND times as long as the better of the others."""
    rows = []
    for name in ("items", "chains", "groups", "columns", "loops", "memory"):
        for case in read(name):
            if OURS in case["ms"] and (factor := ms(case, OURS) / best(case)) > BEHIND:
                rows.append([name, f"`{case['kernel']}`", case["size"], case["variant"], number(ms(case, OURS)), number(best(case)), f"{factor:.1f}"])
    yield from ["## Behind", "", f"All cases in which Vicinity takes more than {BEHIND} times as long as the better of the two other", "drivers.", ""]
    yield from lines(["measurement", "kernel", "size", "variant", "Vicinity", "better of the others", "times"], sorted(rows, key=lambda row: -float(row[-1])))


def main():
    text = [line for part in (api, items, chains, groups, columns, memory, loops, affinity, behind) for line in part()]
    rewrite("README.md", MARK, text)
    with open("calls.svg", "w") as out:
        out.write("\n".join(bars()) + "\n")
    with open("items.svg", "w") as out:
        out.write("\n".join(curves()) + "\n")


if __name__ == "__main__":
    main()
