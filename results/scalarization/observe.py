#!/usr/bin/env python3
"""Counts what the vectorizer finds uniform and affine, and what is so when kernels run, and writes observed.json.

    observe.py [--lanes 8] [--class test] [--suite NAME] [--out FILE] [WORKLOAD...]

Environment: VICINITY, the command. Each workload of the suites `opencl` and `fresh` runs once or twice, item by item on one thread, with
VICINITY_ORDER=observed and observe.c preloaded; what is counted is of all its launches. Kernels that cannot become vectors tell nothing.

By workload and role (translator/src/vector/classes.rs): `static`, values in the code that were found to be uniform, affine, affine by a guess, and varying;
`found`, the same, each as often as vectors come to it; `seen`, how many of these are uniform, affine, neither; `always`, the same of those
that are so in the whole run; `unit`: affine by the bytes that are accessed, as found and seen, and seen from multiples of a vector on.
`missed`: the values that are always uniform or affine, were not found to be, and are met most often.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "../../bench-bots/opencl"
LONGEST_S = 20
CLASSES = ["uniform", "affine", "guessed", "varying"]
MOST_MISSED = 6


def workloads():
    """[(suite, workload)] in the order of the sources."""
    found = []
    for suite, files in (("opencl", "[!r]*.c"), ("fresh", "round*.c")):
        for file in sorted(SOURCES.glob(files)):
            found += [(suite, name) for name in re.findall(r"^ *WORKLOAD\(\w+, (\w+)", file.read_text(), re.M)]
    return found


def build(folder):
    common = ["opencl.c", "clbench.c"]
    tables = {"opencl": "tables.c dense.c stencil.c walk.c body.c graph.c collective.c formula.c".split()}
    tables["fresh"] = ["fresh.c", *(file.name for file in sorted(SOURCES.glob("round*.c")))]
    for suite, files in tables.items():
        subprocess.run(["gcc", "-O2", "-o", folder / suite, *common, *files, "-lOpenCL", "-lm"], cwd=SOURCES, check=True)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", folder / "observe.so", HERE / "observe.c"], check=True)


def environment(folder, lanes):
    command = Path(os.environ.get("VICINITY", HERE / "../../target/dist/bin/vicinity")).resolve()
    own = {"VICINITY_ORDER": "observed", "VICINITY_SPECIALIZE": "never", "VICINITY_EFFORT": "full", "OMP_NUM_THREADS": "1"}
    own |= {"VICINITY_CACHE_DIR": f"{folder}/cache", "VICINITY_TRANSLATE": str(command.parent / "vicinity-translate")}
    own |= {"OCL_ICD_VENDORS": str(command.parent / "../lib/libvicinity_cl.so")}
    return os.environ | own | {"LD_PRELOAD": f"{folder}/observe.so", "LANES": str(lanes)}


def value(line):
    """A line of observe.c as a dictionary."""
    kernel, number, at, role, found, stride, _, size, *counts = line.rstrip("\n").split("\t")
    names = ["vectors", "items", "uniform", "affine", "unit", "aligned", "wrong"]
    told = {"kernel": kernel, "number": number, "line": int(at), "role": role, "class": found, "stride": int(stride), "bytes": int(size)}
    return told | dict(zip(names, map(int, counts)))


def always(one):
    """Which of [uniform, affine, neither] a value is in all vectors of the run."""
    return 0 if one["uniform"] == one["vectors"] else 1 if one["uniform"] + one["affine"] == one["vectors"] else 2


def add(row, one):
    """Counts a value in the row of its role."""
    vectors, found = one["vectors"], CLASSES.index(one["class"])
    row["static"][found] += 1
    row["found"][found] += vectors
    for at, count in enumerate([one["uniform"], one["affine"], vectors - one["uniform"] - one["affine"]]):
        row["seen"][at] += count
    row["always"][always(one)] += vectors
    if "addresses" in one["role"]:
        is_unit = one["class"] in ("affine", "guessed") and one["stride"] == one["bytes"]
        for at, count in enumerate([vectors * is_unit, one["unit"], one["aligned"]]):
            row["unit"][at] += count
    row["wrong"] += one["wrong"]
    row["items"] += one["items"]


def summary(values):
    empty = lambda: {"static": [0] * 4, "found": [0] * 4, "seen": [0] * 3, "always": [0] * 3, "unit": [0] * 3, "wrong": 0, "items": 0}
    roles = {}
    for one in values:
        add(roles.setdefault(one["role"], empty()), one)
    missed = [one for one in values if one["class"] == "varying" and one["role"] != "operands" and always(one) < 2]
    missed = sorted(missed, key=lambda one: -one["vectors"])[:MOST_MISSED]
    told = [[one["kernel"], one["line"], one["role"], ["uniform", "affine"][always(one)], one["vectors"]] for one in missed if one["vectors"]]
    wrong = [[one["kernel"], one["line"], one["role"], one["class"], one["stride"], one["wrong"], one["vectors"]] for one in values if one["wrong"]]
    return {"kernels": sorted({one["kernel"] for one in values}), "roles": roles, "missed": told, "wrong": wrong}


def observe(suite, workload, options, folder):
    out = folder / "observed"
    out.unlink(missing_ok=True)
    command = [folder / suite, "--class", options.size, "--warm-up", "0", "--runs", "1", workload]
    known = environment(folder, options.lanes) | {"OBSERVED": str(out)}
    done = subprocess.run(command, env=known, capture_output=True, text=True, timeout=LONGEST_S)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"status {done.returncode}")
    lines = out.read_text().splitlines() if out.exists() else []
    return summary([value(line) for line in lines])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--lanes", type=int, default=8)
    options.add_argument("--class", dest="size", default="test")
    options.add_argument("--out", type=Path, default=HERE / "observed.json")
    options.add_argument("--suite", default="")
    options.add_argument("workload", nargs="*")
    options = options.parse_args()
    data = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        build(folder)
        for suite, workload in workloads():
            if options.suite not in ("", suite) or (options.workload and workload not in options.workload):
                continue
            try:
                data[workload] = {"suite": suite} | observe(suite, workload, options, folder)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"observe: {workload}: {error}", file=sys.stderr)
                data[workload] = {"suite": suite, "failed": type(error).__name__}
            rows = [f' "{name}": {json.dumps(row)}' for name, row in data.items()]
            options.out.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
