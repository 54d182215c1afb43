#!/usr/bin/env python3
"""Writes orders.json, what code the chosen order of each workload is, and why: orders.py TRANSLATOR, in results/opencl.

The kernels are translated with each order; where the instructions of two are the same, so is what they cost."""
import json, os, sys, tempfile

sys.path.insert(0, "..")
from machine_code import translated

SOURCES = "../../bench-bots/opencl"
KERNELS = {  # of the workloads that are not called like their kernel
    "lu": ["lu_column", "lu_rest"],
    "lattice_boltzmann": ["lattice"],
    "particle_filter": ["particle_likelihood", "particle_choose"],
    "bfs": ["bfs_level"],
    "scan": ["scan_groups", "scan_add"],
}


known = {}
for source in sorted(name for name in os.listdir(SOURCES) if name.endswith(".cl") and name != "costs.cl" and not name.startswith("round")):
    with tempfile.TemporaryDirectory() as folder:
        code, loops = {}, {}
        for order in ("dfo", "bfo", "auto"):
            code[order], loops = translated(sys.argv[1], f"{SOURCES}/{source}", order, folder)
    for kernel in code["auto"]:
        known[kernel] = {
            "as": [order for order in ("dfo", "bfo") if code[order][kernel] == code["auto"][kernel]],
            "loops": [f"line {loop['line']} {loop['order']}: {loop['why']}" for loop in loops[kernel]],
        }

workloads = {name: KERNELS.get(name, [name]) for name in known if name not in sum(KERNELS.values(), [])}
workloads.update(KERNELS)
orders = {
    workload: {
        "as": [order for order in ("dfo", "bfo") if all(order in known[kernel]["as"] for kernel in kernels)],
        "loops": [loop for kernel in kernels for loop in known[kernel]["loops"]],
    }
    for workload, kernels in workloads.items()
}
with open("orders.json", "w") as out:
    json.dump(orders, out, indent=1)
    out.write("\n")
