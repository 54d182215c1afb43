#!/usr/bin/env python3
"""Counts instructions and cache misses of the kernels of programs that are built already, as misses.py does, and writes them to
paper.json.

    paper.py [--contenders NAME,...] [--again] [--out FILE] PROGRAMS.json [PROGRAM...]

PROGRAMS.json has {"NAME": {"folder": "where it runs", "command": ["./program", "argument"...]}}, and {"gpu": true} for programs
that want one: they get what there is (kernel_times.c of results/opencl/public). All launches of a program count. The environment
is that of misses.py.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import misses

TIMES = misses.HERE / "../opencl/public/kernel_times.c"


def begin(options, out, folder):
    """The options, the folder with what is loaded before the programs, and the programs. Counts and times have a folder each: the
    code that drivers keep there is not for the same processor."""
    options.add_argument("--contenders", default=",".join(misses.CONTENDERS))
    options.add_argument("--out", default=misses.HERE / out, type=Path)
    options.add_argument("programs", type=Path)
    options.add_argument("program", nargs="*")
    options = options.parse_args()
    folder = Path(os.environ.get("PROGRAMS", folder)).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    misses.build_shared(folder / "count.so", misses.HERE / "count.c")
    misses.build_shared(folder / "kernel_times.so", TIMES, "-lOpenCL")
    return options, folder, json.loads(options.programs.read_text())


def counts(program, contender, variables, folder):
    more = ["kernel_times.so"] if program.get("gpu") else []
    os.chdir(program["folder"])
    if contender == "pocl":
        # PoCL compiles at a launch, and keeps it; with valgrind, so that it is for the same processor.
        known = os.environ | variables | {"LD_PRELOAD": ":".join(str(folder / name) for name in more)}
        warm_up = ["valgrind", "-q", "--tool=none", *program["command"]]
        subprocess.run(warm_up, env=known, check=True, capture_output=True, timeout=misses.LONGEST_S)
    return misses.count(program["command"], variables, folder, 0, -1, *more)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--again", action="store_true")
    options, folder, programs = begin(options, "paper.json", "/tmp/vicinity-misses")
    for name in options.program or programs:
        for contender in options.contenders.split(","):
            row = misses.read(options.out).get(name, {})
            variables = misses.environment(contender, folder)
            if variables is None or (contender in row and not options.again):
                continue
            try:
                numbers = counts(programs[name], contender, variables, folder)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                print(f"paper: {name} with {contender}: {error} {error.stdout} {error.stderr}", file=sys.stderr)
                numbers = None
            misses.write(options.out, name, {contender: numbers}, programs)


if __name__ == "__main__":
    main()
