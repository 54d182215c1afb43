#!/usr/bin/env python3
"""Counts instructions and cache misses of OpenCL kernels, by driver and order of loops, and writes them to misses.json.

    misses.py [--contenders NAME,...] [--again] [--suite NAME] [--out FILE] [WORKLOAD...]

What is in misses.json is not counted again, unless with --again; nor is a forced order whose code is that of the chosen one
(misses-same.json, which is what same.py says of code without AVX-512): it has the same counts. Environment: VICINITY, the command; INTEL, the file of Intel's
runtime, without which it is left out; PROGRAMS, a folder for what is built and kept. Each workload runs twice in a process of
its own, on one thread, of which the second run counts, in valgrind's tool callgrind, whose simulation is cachegrind's, because it
tells functions apart. Kernels are functions in memory that no library is mapped into (code that was made there), and those in
PoCL's cache; what they call of the libraries of C and mathematics counts as theirs. Stubs of libraries have no names either, but
are in their files. The driver does not choose by time which code runs: valgrind's time is not the processor's.

Valgrind does not know AVX-512. Where the processor has it, drivers compile under valgrind, too, which hides it. That takes ten
seconds a program; NARROW names a translator that does not find AVX-512, to be used in place of it.
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
RUNS = 2
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
    for suite, beginning in (("opencl", "[!rl]"), ("fresh", "round")):
        for file in sorted(SOURCES.glob(f"{beginning}*.c")):
            names = re.findall(r"^ *WORKLOAD\(\w+, (\w+)", file.read_text(), re.M)
            found += [(suite, name) for name in names]
    return found


def build(folder):
    """The programs of both suites, and what counts from the first launch on."""
    common = ["opencl.c", "clbench.c", "common.c"]
    tables = {"opencl": "tables.c dense.c stencil.c walk.c body.c graph.c collective.c formula.c".split()}
    tables["fresh"] = ["fresh.c", *(file.name for file in sorted(SOURCES.glob("round*.c")))]
    newest = max(file.stat().st_mtime for file in [*SOURCES.iterdir(), HERE / "count.c"])
    for suite, files in tables.items():
        if (folder / suite).exists() and (folder / suite).stat().st_mtime > newest:
            continue
        subprocess.run(["gcc", "-O2", "-I../programs", "-o", folder / suite, *common, *files, "-lOpenCL", "-lm"], cwd=SOURCES, check=True)
    build_shared(folder / "count.so", HERE / "count.c")


def build_shared(library, source, *libraries):
    """A library to be loaded before a program."""
    command = ["gcc", "-O2", "-shared", "-fPIC", "-o", library, source, "-Wl,--no-as-needed", *libraries, "-ldl"]
    subprocess.run(command, check=True)


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
    own |= {"VICINITY_SPECIALIZE": "always", "VICINITY_RIVALS": "never", "OCL_ICD_VENDORS": str(command.parent / "../lib/libvicinity_cl.so")}
    translate = command.parent / "vicinity-translate"
    if "NARROW" in os.environ:
        translate = os.environ["NARROW"]
    elif hides_avx512():
        wrapper = folder / "translate"
        text = f'#!/bin/sh\nexec valgrind -q --tool=none "{translate}" "$@"\n'
        # Code in the cache is of one file with one time.
        if not wrapper.exists() or wrapper.read_text() != text:
            wrapper.write_text(text)
            wrapper.chmod(0o755)
        translate = wrapper
    return one_thread | own | {"VICINITY_TRANSLATE": str(translate)}


def hides_avx512():
    return "avx512" in Path("/proc/cpuinfo").read_text()


def files_of(maps):
    """[(begin, end)] of what files are mapped into, of the text of /proc/self/maps."""
    found = []
    for line in maps:
        fields = line.split()
        if len(fields) > 5 and ".so" in fields[5]:
            found.append(tuple(int(end, 16) for end in fields[0].split("-")))
    return found


def kernel_finder(maps, cache):
    """Whether a function (object, name) is a kernel's: it is in a file of PoCL's cache, or in memory that no library is mapped
    into. Stubs of libraries, which have no names either, are not kernels."""
    files = files_of(maps)

    def is_kernel(owner, name):
        if owner.startswith(cache):
            return True
        if owner != "???" or not name.startswith("0x"):
            return False
        address = int(name.split("'")[0], 16)
        return not any(begin <= address < end for begin, end in files)

    return is_kernel


def counted(text, is_kernel):
    """[instructions, first-level misses, last-level misses] of the functions that are kernels, of a file of callgrind's."""
    names, kernels, everywhere, whole = {}, {}, {}, {}
    events, owner, inside, counts, call = [], "", False, False, False

    def named(line):
        kind, _, rest = line.rstrip().partition("=")
        number, _, name = rest.partition(" ")
        return names.setdefault((kind.lstrip("c"), number), name)

    for line in text:
        if line.startswith("events:"):
            events = line.split()[1:]
            kernels, everywhere = dict.fromkeys(events, 0), dict.fromkeys(events, 0)
        elif line.startswith("summary:"):
            whole = dict(zip(events, map(int, line.split()[1:])))
        elif line.startswith("ob="):
            owner = named(line)
        elif line.startswith("fn="):
            inside = is_kernel(owner, named(line))
        elif line.startswith("cfn="):
            named(line)
        elif line.startswith("cob="):
            counts = CALLED.search(named(line))
        elif line.startswith("calls="):
            call = True
        elif line[:1].isdigit() or line[:1] in "+*-":
            own = dict(zip(events, map(int, line.split()[1:])))
            for event, number in own.items():
                kernels[event] += number if inside and (not call or counts) else 0
                everywhere[event] += 0 if call else number
            call = counts = False
    # Loads that a mask guards (gathers are made of them) are in the summary as loads, but valgrind 3.19 adds them, and their misses, to
    # the function's instructions and those of instructions. Of what counts here, only kernels have some.
    for load, instruction in (("Dr", "Ir"), ("D1mr", "I1mr"), ("DLmr", "ILmr")):
        guarded = whole.get(load, 0) - everywhere.get(load, 0)
        kernels[load] = kernels.get(load, 0) + guarded
        kernels[instruction] = kernels.get(instruction, 0) - guarded
    return [sum(kernels[event] for event in some) for some in (("Ir",), ("D1mr", "D1mw"), ("DLmr", "DLmw"))]


def launches_of(command, variables, folder):
    """How many launches a command has."""
    file = folder / "launches"
    known = os.environ | variables | {"LD_PRELOAD": str(folder / "count.so"), "LAUNCHES": str(file)}
    subprocess.run(command, env=known, check=True, capture_output=True, timeout=LONGEST_S)
    return int(file.read_text())


def count(command, variables, folder, begin, end, *more):
    """What callgrind counts of a command's kernels from a launch to another, with more libraries before it; raises what it said
    if that fails."""
    out, maps = folder / "counts", folder / "maps"
    libraries = ":".join(str(folder / name) for name in ("count.so", *more))
    known = os.environ | variables | {"LD_PRELOAD": libraries, "MAPS": str(maps)}
    known |= {"COUNT_FROM": str(begin), "COUNT_TO": str(end)}
    tool = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--dump-line=no", f"--callgrind-out-file={out}"]
    subprocess.run([*tool, *CACHES, *command], env=known, check=True, capture_output=True, timeout=LONGEST_S)
    part = Path(f"{out}.1") if end >= 0 else out
    with open(part) as text, open(maps) as ranges:
        return counted(text, kernel_finder(ranges, variables.get("POCL_CACHE_DIR", "no cache")))


def read(file):
    return json.loads(file.read_text()) if file.exists() else {}


def write(file, name, row, order):
    """Adds to what a file has of a kernel or program, by contender; the file has them in this order."""
    data = read(file)
    data[name] = data.get(name, {}) | row
    rows = [f' "{known}": {json.dumps(data[known])}' for known in order if known in data]
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
    same = read(HERE / "misses-same.json")
    contenders = {name: environment(name, folder) for name in options.contenders.split(",")}
    for name in [name for name in contenders if contenders[name] is None]:
        print(f"misses: without {name}, which is not here", file=sys.stderr)
        del contenders[name]
    order = [name for _, name in workloads()]
    for suite, workload in workloads():
        if options.suite not in ("", suite) or (options.workload and workload not in options.workload):
            continue
        size = ["--size", str(SIZES[workload])] if workload in SIZES else ["--class", "small"]
        command = [folder / suite, *size, "--warm-up", "0", "--runs", str(RUNS - 1), workload]
        launches = None
        for contender, variables in contenders.items():
            row = read(options.out).get(workload, {})
            if contender in row and not options.again:
                continue
            if contender in same.get(workload, {}).get("same", []):
                write(options.out, workload, {contender: row.get("auto")}, order)
                continue
            try:
                launches = launches or launches_of(command, variables, folder)
                numbers = count(command, variables, folder, launches - launches // RUNS, launches)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                print(f"misses: {workload} with {contender}: {error} {error.stdout}", file=sys.stderr)
                numbers = None
            write(options.out, workload, {contender: numbers}, order)


if __name__ == "__main__":
    main()
