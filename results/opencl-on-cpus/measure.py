#!/usr/bin/env python3
"""Writes NAME.json for each measurement: measure.py [NAME...], in results/opencl-on-cpus.

Drivers take turns, each in a process of its own, which sees its driver alone. run.sh says what the environment holds."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

PROCESSES = 3
LAUNCHES = ("items", "chains", "groups", "columns", "loops", "memory", "affinity")
# What is nearest to the SDK's programs that the paper takes; clinfo is its oclDeviceQuery.
PROGRAMS = ("black_scholes", "cutoff", "dct", "histogram_local", "matmul_tiled", "mriq", "scan", "transpose_tiled", "tree_reduction", "vector_add")
SUITE = "opencl clbench common tables dense stencil walk body graph collective formula".split()
COMPILERS = {"gcc": ["gcc"], "clang": ["clang-19", "-fveclib=libmvec"]}
CALM_S = 60
# The share of the processors which others may take, and how often a process of launches is repeated where it is more.
DISTURBED, AGAIN = 0.08, 2


def drivers():
    """{name: what OCL_ICD_VENDORS is}, of those that are there."""
    found = {"vicinity": pathlib.Path(os.environ["VICINITY"]).resolve().parent.parent / "lib/libvicinity_cl.so",
             "pocl": pathlib.Path("/etc/OpenCL/vendors/pocl.icd"), "intel": pathlib.Path(os.environ.get("INTEL") or "/etc/OpenCL/vendors/intel.icd")}
    for name, path in list(found.items()):
        if not path.exists():
            print(f"opencl-on-cpus: without {name}: there is no {path}", file=sys.stderr)
            del found[name]
    return found


def environment(driver, cache):
    """That of a process which sees one driver, and what this keeps in the folder `cache` alone."""
    cache.mkdir(exist_ok=True)
    return {**os.environ, "OCL_ICD_VENDORS": str(driver), "VICINITY_CACHE_DIR": str(cache), "POCL_CACHE_DIR": str(cache)}


def busy_s():
    """Processor time that the machine has spent, and that of it which ended children of this process have."""
    ticks = list(map(int, pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]))
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK"), children.ru_utime + children.ru_stime


def run(command, env, again=0):
    """The lines that a process prints; up to `again` times once more where other programs took part of the processors meanwhile."""
    all_before, own_before = busy_s()
    start = time.monotonic()
    done = subprocess.run([*os.environ.get("MEASURE", "").split(), *command], env=env, capture_output=True, text=True)
    wall, (all_after, own_after) = time.monotonic() - start, busy_s()
    if done.returncode != 0:
        raise SystemExit(f"opencl-on-cpus: {command} fails on {env.get('OCL_ICD_VENDORS')}: {done.stderr}")
    others = (all_after - all_before - own_after + own_before) / (wall * os.cpu_count())
    if again > 0 and others > DISTURBED:
        print(f"opencl-on-cpus: once more, {100 * others:.0f}% of the processors were taken by others", file=sys.stderr)
        return run(command, env, again - 1)
    return done.stdout.splitlines()


def settle(cache):
    """Waits for what makes code in the background for a cache."""
    mark = f"VICINITY_CACHE_DIR={cache}".encode()
    until = time.monotonic() + CALM_S
    while time.monotonic() < until:
        at_work = False
        for process in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                at_work |= mark in process.read_bytes() and b"vicinity-transl" in (process.parent / "comm").read_bytes()
            except OSError:
                pass
        if not at_work:
            return
        time.sleep(0.05)


def add(cases, key, driver, numbers):
    """One process's numbers of one case, each in the list of its name and driver."""
    for name, number in numbers.items():
        cases.setdefault(key, {}).setdefault(name, {}).setdefault(driver, []).append(float(f"{number:.5g}"))


def write(name, cases, heads):
    """A line for each case, with `heads` as the names of the parts of its key."""
    lines = [json.dumps({**dict(zip(heads, key)), **numbers}) for key, numbers in cases.items()]
    day = time.strftime("%Y-%m-%d")
    with open(f"{name}.json", "w") as out:
        out.write(f'{{"taken": "{day}", "processes": {PROCESSES}, "cases": [\n' + ",\n".join(lines) + "\n]}\n")


def take(cases, driver, lines):
    for line in map(json.loads, lines):
        key = tuple(line.pop(part) for part in ("kernel", "size", "variant"))
        add(cases, key, driver, line)


def launches(name, build, folder):
    """A measurement of on-cpus; a first process of each driver, after which it has what it keeps, does not count."""
    cases, found = {}, drivers()
    for turn in range(PROCESSES + 1):
        for driver, path in found.items():
            print(f"opencl-on-cpus: {name}, process {turn} of {PROCESSES}, {driver}", file=sys.stderr)
            cache = folder / driver
            lines = run([build / "on-cpus", name], environment(path, cache), AGAIN if turn > 0 else 0)
            settle(cache)
            if turn > 0:
                take(cases, driver, lines)
        if name == "loops" and turn > 0:
            sums = {}
            for program in sorted(build.glob("loops-*")):
                lines = [json.loads(line) for line in run([program], dict(os.environ), AGAIN)]
                for line in lines:
                    want = sums.setdefault(line["kernel"], line.pop("sum"))
                    assert abs(line.pop("sum", want) - want) <= 1e-3 * abs(want), f"{program}: {line}"
                take(cases, program.name.removeprefix("loops-"), map(json.dumps, lines))
    write(name, cases, ("kernel", "size", "variant"))


def calls(name, build, folder):
    """Whole processes and their calls, with nothing kept by the driver and with what an earlier process left."""
    cases = {}
    commands = {program: [build / "programs", "--class", "small", "--runs", "1", "--warm-up", "0", program] for program in PROGRAMS}
    commands["clinfo"] = ["clinfo"]
    report = folder / "calls.json"
    for program, command in commands.items():
        print(f"opencl-on-cpus: {name}, {program}", file=sys.stderr)
        for _ in range(PROCESSES):
            for driver, path in drivers().items():
                cache = folder / f"{driver}-{program}"
                for state in ("cold", "warm"):
                    env = {**environment(path, cache), "LD_PRELOAD": str(build / "calls.so"), "CALLS_FILE": str(report)}
                    start = time.monotonic()
                    run(command, env)
                    numbers = {"process": 1e3 * (time.monotonic() - start), **json.loads(report.read_text())}
                    settle(cache)
                    add(cases, (program, state), driver, numbers)
                shutil.rmtree(cache)
    write(name, cases, ("case", "cache"))


def builds(name, build, folder):
    """The time until the first kernel has run, from source and from the binary that the program keeps."""
    cases = {}
    for turn in range(PROCESSES + 1):
        for driver, path in drivers().items():
            print(f"opencl-on-cpus: {name}, process {turn} of {PROCESSES}, {driver}", file=sys.stderr)
            kept = folder / f"{driver}.binary"
            for way, state in (("source", "nothing kept"), ("source", "the driver's cache"), ("binary", "nothing kept"), ("binary", "the driver's cache")):
                cache = folder / f"{driver}-{way}"
                if state == "nothing kept":
                    shutil.rmtree(cache, ignore_errors=True)
                lines = run([build / "on-cpus", way, kept], environment(path, cache))
                settle(cache)
                if turn > 0:
                    line = json.loads(lines[0])
                    add(cases, (way, state), driver, {part: line[part] for part in ("ms", "build_ms")})
    write(name, cases, ("from", "cache"))


def compile_all(build):
    """The programs that are measured."""
    here, suite = pathlib.Path.cwd(), pathlib.Path("../../bench-bots/opencl")
    sources = "main.c host.c launches.c columns.c memory.c affinity.c binaries.c".split()
    subprocess.run(["cc", "-O2", "-o", build / "on-cpus", *sources, "-lOpenCL", "-lm"], check=True)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", build / "calls.so", "calls.c", "-ldl"], check=True)
    subprocess.run(["cc", "-O2", "-I../programs", "-o", build / "programs", *[f"{file}.c" for file in SUITE], "-lOpenCL", "-lm"], check=True, cwd=here / suite)
    for compiler, command in COMPILERS.items():
        if shutil.which(command[0]) is None:
            print(f"opencl-on-cpus: without {command[0]}, which is not installed", file=sys.stderr)
            continue
        strict = ["-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-fopenmp", "-w"]
        for suffix, option in (("", []), ("-simd", ["-DSIMD"])):
            subprocess.run([*command, *strict, *option, "-o", build / f"loops-{compiler}{suffix}", "loops.c", "-lm"], check=True)


def main():
    every = {"calls": calls, "builds": builds, **dict.fromkeys(LAUNCHES, launches)}
    with tempfile.TemporaryDirectory(prefix="opencl-on-cpus.") as scratch:
        build = pathlib.Path(scratch, "build")
        build.mkdir()
        compile_all(build)
        for name in sys.argv[1:] or every:
            folder = pathlib.Path(scratch, name)
            folder.mkdir()
            every[name](name, build, folder)


if __name__ == "__main__":
    main()
