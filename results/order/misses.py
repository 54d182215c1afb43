#!/usr/bin/env python3
"""Counts instructions and cache misses of OpenCL kernels, by driver and order of loops, and writes them to misses.json.

    misses.py [--contenders NAME,...] [--again] [--suite NAME] [--out FILE] [WORKLOAD...]

What is in misses.json is not counted again, unless with --again; nor is a forced order whose code is that of the chosen one
(same.json, by same.py): it has the same counts. Environment: VICINITY, the command; INTEL, the file of Intel's
runtime, without which it is left out; PROGRAMS, a folder for what is built and kept. Each workload runs three times in a process of
its own, on one thread, of which the last two count, in valgrind's tool callgrind, whose simulation is cachegrind's, because it tells
objects apart. Kernels are the objects without a name (code made in memory) and those in PoCL's cache; what they call of the
libraries of C and mathematics counts as theirs.

Valgrind does not know AVX-512. Where the processor has it, drivers compile under valgrind, too, which hides it.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "../../bench-bots/opencl"
# 32 KiB, 8 ways, lines of 64 bytes, as in many processors; a last level of 1 MiB, small as the data is.
CACHES = ["--cache-sim=yes", "--D1=32768,8,64", "--LL=1048576,16,64"]
CONTENDERS = ["auto", "dfo", "bfo", "pocl", "intel"]
LONGEST_S = 900
RUNS = 3
# The libraries whose functions kernels call; what they call of their driver is not theirs.
CALLED = re.compile(r"/lib(c|m|mvec|svml|ocl_svml\w*|imf|irc|intlc)\.so")
# Sizes of the suite `opencl`, smaller than those that are timed, but for what has little data. Those of `fresh` are of the class small.
SIZES = {
    "matmul_naive": 160, "matmul_tiled": 160, "transpose_naive": 384, "transpose_tiled": 384, "lu": 160, "dct": 256,
    "stencil2d": 384, "stencil3d": 64, "fdtd": 48, "lattice_boltzmann": 128, "row_walk": 512, "column_walk": 512,
    "row_walk_branch": 512, "vector_add": 131072, "gather": 131072, "nbody": 2048, "cutoff": 128, "mriq": 3072,
    "kmeans": 8192, "streamcluster": 8192, "particle_filter": 4096, "bfs": 20000, "spmv": 20000,
    "histogram_global": 131072, "histogram_local": 262144, "binary_search": 32768, "wavefront": 256, "scan": 131072,
    "tree_reduction": 262144, "black_scholes": 32768, "mandelbrot_set": 128,
}


def workloads():
    """[(suite, workload)] in the order of the sources."""
    found = []
    for suite, beginning in (("opencl", ""), ("fresh", "round")):
        for file in sorted(SOURCES.glob(f"{beginning or '[!r]'}*.c")):
            names = re.findall(r"^ *WORKLOAD\(\w+, (\w+)", file.read_text(), re.M)
            found += [(suite, name) for name in names]
    return found


def build(folder):
    """The programs of both suites, and what counts from the first launch on."""
    common = ["opencl.c", "clbench.c", "common.c"]
    tables = {"opencl": "tables.c dense.c stencil.c walk.c body.c graph.c collective.c formula.c".split()}
    tables["fresh"] = ["fresh.c", *(file.name for file in sorted(SOURCES.glob("round*.c")))]
    for suite, files in tables.items():
        subprocess.run(["gcc", "-O2", "-o", folder / suite, *common, *files, "-lOpenCL", "-lm"], cwd=SOURCES, check=True)
    shared = ["gcc", "-O2", "-shared", "-fPIC", "-o", folder / "count.so", HERE / "count.c", "-ldl"]
    subprocess.run(shared, check=True)


def environment(contender, folder):
    """The variables by which a contender runs on one thread and keeps what it compiles; None if it is not here."""
    one_thread = {"OMP_NUM_THREADS": "1", "POCL_MAX_PTHREAD_COUNT": "1", "DPCPP_CPU_NUM_CUS": "1"}
    if contender == "intel":
        file = os.environ.get("INTEL")
        return file and one_thread | {"OCL_ICD_VENDORS": file}
    if contender == "pocl":
        registered = "/etc/OpenCL/vendors/pocl.icd"
        own = {"OCL_ICD_VENDORS": registered, "POCL_CACHE_DIR": f"{folder}/pocl"}
        return one_thread | own if os.path.exists(registered) else None
    command = Path(os.environ.get("VICINITY", HERE / "../../target/dist/bin/vicinity")).resolve()
    # A program's own code for the sizes of its groups is made before the first launch, as programs that go on get it.
    own = {"VICINITY_ORDER": contender, "VICINITY_CACHE_DIR": f"{folder}/{contender}", "VICINITY_EFFORT": "full"}
    own |= {"VICINITY_SPECIALIZE": "always", "OCL_ICD_VENDORS": str(command.parent / "../lib/libvicinity_cl.so")}
    translate = command.parent / "vicinity-translate"
    if hides_avx512():
        wrapper = folder / "translate"
        wrapper.write_text(f'#!/bin/sh\nexec valgrind -q --tool=none "{translate}" "$@"\n')
        wrapper.chmod(0o755)
        translate = wrapper
    return one_thread | own | {"VICINITY_TRANSLATE": str(translate)}


def hides_avx512():
    return "avx512" in Path("/proc/cpuinfo").read_text()


def counted(text, is_kernel):
    """[instructions, first-level misses, last-level misses] of the objects that are kernels, of a file of callgrind's."""
    names, totals = {}, {}
    events, inside, counts, call = [], False, False, False

    def named(line):
        number, _, name = line.rstrip().split("=", 1)[1].partition(" ")
        return names.setdefault(number, name)

    for line in text:
        if line.startswith("events:"):
            events = line.split()[1:]
            totals = dict.fromkeys(events, 0)
        elif line.startswith("ob="):
            inside = is_kernel(named(line))
        elif line.startswith("cob="):
            counts = CALLED.search(named(line))
        elif line.startswith("calls="):
            call = True
        elif line[:1].isdigit() or line[:1] in "+*-":
            if inside and (not call or counts):
                for event, count in zip(events, line.split()[1:]):
                    totals[event] += int(count)
            call = counts = False
    sums = ("Ir",), ("D1mr", "D1mw"), ("DLmr", "DLmw")
    return [sum(totals.get(event, 0) for event in some) for some in sums]


def count(command, variables, folder):
    """What callgrind counts of a command's kernels; raises what it said if that fails."""
    known = os.environ | variables
    warm_up = ["valgrind", "-q", "--tool=none"] if hides_avx512() and "POCL_CACHE_DIR" in variables else []
    out, launches = folder / "counts", folder / "launches"
    known |= {"LD_PRELOAD": str(folder / "count.so"), "LAUNCHES": str(launches)}
    # So that what is compiled at a launch is there.
    subprocess.run([*warm_up, *command], env=known, check=True, capture_output=True, timeout=LONGEST_S)
    known["COUNT_FROM"] = str(int(launches.read_text()) // RUNS)
    tool = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--dump-line=no", f"--callgrind-out-file={out}"]
    subprocess.run([*tool, *CACHES, *command], env=known, check=True, capture_output=True, timeout=LONGEST_S)
    cache = variables.get("POCL_CACHE_DIR", "no cache")
    with open(out) as text:
        return counted(text, lambda name: name == "???" or name.startswith(cache))


def read(file):
    return json.loads(file.read_text()) if file.exists() else {}


def write(file, workload, contender, numbers):
    data = read(file)
    data.setdefault(workload, {})[contender] = numbers
    rows = [f' "{name}": {json.dumps(data[name])}' for _, name in workloads() if name in data]
    file.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--contenders", default=",".join(CONTENDERS))
    options.add_argument("--again", action="store_true")
    options.add_argument("--out", default=HERE / "misses.json", type=Path)
    options.add_argument("--suite", default="")
    options.add_argument("workload", nargs="*")
    options = options.parse_args()
    folder = Path(os.environ.get("PROGRAMS", "/tmp/vicinity-misses")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    build(folder)
    same = read(HERE / "same.json")
    for contender in options.contenders.split(","):
        variables = environment(contender, folder)
        if variables is None:
            print(f"misses: without {contender}, which is not here", file=sys.stderr)
            continue
        for suite, workload in workloads():
            if options.suite not in ("", suite):
                continue
            row = read(options.out).get(workload, {})
            if (options.workload and workload not in options.workload) or (contender in row and not options.again):
                continue
            if contender in same.get(workload, {}).get("same", []):
                write(options.out, workload, contender, row.get("auto"))
                continue
            size = ["--size", str(SIZES[workload])] if workload in SIZES else ["--class", "small"]
            command = [folder / suite, *size, "--warm-up", "0", "--runs", str(RUNS - 1), workload]
            try:
                numbers = count(command, variables, folder)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                print(f"misses: {workload} with {contender}: {error} {error.stdout}", file=sys.stderr)
                numbers = None
            write(options.out, workload, contender, numbers)


if __name__ == "__main__":
    main()
