#!/usr/bin/env python3
"""Times the kernels of the programs that paper.py counts, and writes their sums to paper-times.json, in ms.

    paper_times.py [--contenders NAME,...] [--out FILE] PROGRAMS.json [PROGRAM...]

{"PROGRAM": {"CONTENDER": [[one thread, three processes], [two threads, three processes]]}}. Times are what profiling says of each
launch (kernel_times.c of results/opencl/public). One more process goes before, which compiles. Contenders take turns.
"""
import argparse
import os
import subprocess

import misses
import paper

PROCESSES = 3


def environment(contender, folder, threads):
    """As misses.py has it, with the processor as it is and as many threads."""
    variables = misses.environment(contender, folder)
    if variables is None:
        return None
    for name in ("OMP_NUM_THREADS", "POCL_MAX_PTHREAD_COUNT", "DPCPP_CPU_NUM_CUS"):
        variables[name] = str(threads)
    # The driver's own translator. It does not choose by time here either: with VICINITY_SPECIALIZE=always what it would choose from
    # is there at the first launch, and most programs end before it knows.
    variables.pop("VICINITY_TRANSLATE", None)
    return variables


def total(program, variables, folder):
    """The sum of a process's kernels, in ms; None if it failed."""
    times = folder / "times"
    times.unlink(missing_ok=True)
    known = os.environ | variables | {"LD_PRELOAD": str(folder / "kernel_times.so"), "KERNEL_TIMES": str(times)}
    done = subprocess.run(program["command"], cwd=program["folder"], env=known, capture_output=True, timeout=misses.LONGEST_S)
    if done.returncode != 0 or not times.exists():
        return None
    return sum(float(line.split()[-1]) for line in times.read_text().splitlines())


def main():
    options, folder, programs = paper.begin(argparse.ArgumentParser(), "paper-times.json", "/tmp/vicinity-times")
    for name in options.program or programs:
        here = {contender: [[], []] for contender in options.contenders.split(",") if environment(contender, folder, 1)}
        for turn in range(PROCESSES + 1):
            for contender, times in here.items():
                for threads in (1, 2):
                    ms = total(programs[name], environment(contender, folder, threads), folder)
                    if turn > 0:
                        times[threads - 1].append(ms and round(ms, 4))
        misses.write(options.out, name, here, programs)


if __name__ == "__main__":
    main()
