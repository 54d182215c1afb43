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


def build(folder):
    for source, library, more in ((misses.HERE / "count.c", "count.so", []), (TIMES, "kernel_times.so", ["-lOpenCL"])):
        shared = ["gcc", "-O2", "-shared", "-fPIC", "-o", folder / library, source, "-Wl,--no-as-needed", *more, "-ldl"]
        subprocess.run(shared, check=True)


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
    options.add_argument("--contenders", default=",".join(misses.CONTENDERS))
    options.add_argument("--again", action="store_true")
    options.add_argument("--out", default=misses.HERE / "paper.json", type=Path)
    options.add_argument("programs", type=Path)
    options.add_argument("program", nargs="*")
    options = options.parse_args()
    folder = Path(os.environ.get("PROGRAMS", "/tmp/vicinity-misses")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    build(folder)
    programs = json.loads(options.programs.read_text())
    for name in options.program or programs:
        for contender in options.contenders.split(","):
            known = misses.read(options.out)
            variables = misses.environment(contender, folder)
            if variables is None or (contender in known.get(name, {}) and not options.again):
                continue
            try:
                numbers = counts(programs[name], contender, variables, folder)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                print(f"paper: {name} with {contender}: {error} {error.stdout} {error.stderr}", file=sys.stderr)
                numbers = None
            known.setdefault(name, {})[contender] = numbers
            rows = [f' "{program}": {json.dumps(known[program])}' for program in programs if program in known]
            options.out.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
