#!/usr/bin/env python3
"""Writes same.json: for each workload of the suites `opencl` and `fresh` the forced orders whose code is that of the chosen order,
what was decided for its loops, and by which rule: same.py TRANSLATOR, in results/order.

The kernels are translated with each order; where the instructions of two are the same, so is what they cost."""
import glob, json, re, sys, tempfile

sys.path.insert(0, "..")
from machine_code import translated

SOURCES = "../../bench-bots/opencl"


def launched(source, kernels):
    """{workload: the kernels that its functions name}, of a host program"""
    with open(source) as text:
        text = text.read()
    named = {workload: set() for workload in re.findall(r"WORKLOAD\(\w+, (\w+)", text)}
    for function in text.split("\nstatic ")[1:]:
        name = re.match(r"[\w ]+?\*? ?(\w+)\(", function)
        for workload in named:
            if name and name[1].startswith(workload + "_"):
                named[workload] |= set(re.findall(r'"(\w+)"', function)) & kernels
    return {workload: sorted(found) for workload, found in named.items()}


known = {}
for source in sorted(glob.glob(f"{SOURCES}/*.cl")):
    with tempfile.TemporaryDirectory() as folder:
        code, loops = {}, {}
        for order in ("dfo", "bfo", "auto"):
            code[order], loops = translated(sys.argv[1], source, order, folder)
    for kernel in code["auto"]:
        known[kernel] = {
            "same": [order for order in ("dfo", "bfo") if code[order][kernel] == code["auto"][kernel]],
            "loops": [f"line {loop['line']} {loop['order']} ({loop['rule']})" for loop in loops[kernel]],
        }

same = {}
for source in sorted(glob.glob(f"{SOURCES}/*.c")):
    for workload, kernels in launched(source, set(known)).items():
        same[workload] = {
            "kernels": kernels,
            "same": [order for order in ("dfo", "bfo") if kernels and all(order in known[kernel]["same"] for kernel in kernels)],
            "loops": {kernel: known[kernel]["loops"] for kernel in kernels},
        }
with open("same.json", "w") as out:
    json.dump(same, out, indent=1, sort_keys=True)
    out.write("\n")
