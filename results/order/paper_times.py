#!/usr/bin/env python3
"""Times the kernels of the programs that paper.py counts, by driver, and prints a table: paper_times.py PROGRAMS.json [REPEAT].

PROGRAMS.json is that of paper.py, INTEL the file of Intel's runtime. OMP_NUM_THREADS says how many threads, for all drivers. Each
driver runs each program REPEAT times (3) after once that does not count, by turns; the least sum of its kernels' times counts.
"""
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import misses
import paper

CONTENDERS = ["vicinity", "pocl", "intel"]


def environment(contender, threads):
    if contender != "vicinity":
        known = misses.environment(contender, Path("/tmp/vicinity-misses"))
        return known | {"POCL_MAX_PTHREAD_COUNT": threads, "DPCPP_CPU_NUM_CUS": threads}
    command = Path(os.environ.get("VICINITY", misses.HERE / "../../target/dist/bin/vicinity")).resolve()
    driver = command.parent / "../lib/libvicinity_cl.so"
    return {"OCL_ICD_VENDORS": str(driver), "VICINITY_SPECIALIZE": "always"}


def kernels_ms(program, variables, folder):
    """What a run's kernels take; no number if it fails (Intel's runtime crashes now and then when a program ends)."""
    times = folder / "times"
    known = os.environ | variables | {"LD_PRELOAD": str(folder / "kernel_times.so"), "KERNEL_TIMES": str(times)}
    ran = subprocess.run(program["command"], cwd=program["folder"], env=known, capture_output=True, timeout=60)
    if ran.returncode:
        return math.inf
    return sum(float(line.split()[-1]) for line in times.read_text().splitlines())


def main():
    programs, repeat = json.loads(Path(sys.argv[1]).read_text()), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    threads = os.environ.setdefault("OMP_NUM_THREADS", "2")
    folder = Path(os.environ.get("PROGRAMS", "/tmp/vicinity-misses")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    paper.build(folder)
    ratios = {contender: [] for contender in CONTENDERS}
    print("| program | Vicinity, ms | PoCL / Vicinity | Intel / Vicinity |\n|---|---|---|---|")
    for name, program in programs.items():
        best = dict.fromkeys(CONTENDERS, math.inf)
        for turn in range(repeat + 1):
            for contender in CONTENDERS:
                ms = kernels_ms(program, environment(contender, threads), folder)
                best[contender] = min(best[contender], ms if turn else math.inf)
        for contender in CONTENDERS:
            ratios[contender].append(math.log(best[contender] / best["vicinity"]))
        pocl, intel = (best[contender] / best["vicinity"] for contender in ("pocl", "intel"))
        print(f"| `{name}` | {best['vicinity']:.3g} | {pocl:.2f} | {intel:.2f} |", flush=True)
    pocl, intel = (math.exp(sum(ratios[contender]) / len(programs)) for contender in ("pocl", "intel"))
    print(f"| geometric mean | | {pocl:.2f} | {intel:.2f} |")


if __name__ == "__main__":
    main()
