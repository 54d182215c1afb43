#!/usr/bin/env python3
"""Writes orders.json, what code the chosen order of each workload is, and why: orders.py TRANSLATOR, in results/opencl.

The kernels are translated with each order; where the instructions of two are the same, so is what they cost."""
import json, os, re, subprocess, sys, tempfile

SOURCES = "../../bench-bots/opencl"
KERNELS = {  # of the workloads that are not called like their kernel
    "lu": ["lu_column", "lu_rest"],
    "lattice_boltzmann": ["lattice"],
    "particle_filter": ["particle_likelihood", "particle_choose"],
    "bfs": ["bfs_level"],
    "scan": ["scan_groups", "scan_add"],
}


def translated(source, order, folder):
    """{kernel: its instructions, without addresses}, {kernel: its loops}"""
    environment = {**os.environ, "VICINITY_ORDER": order, "VICINITY_EFFORT": "full"}
    command = [sys.argv[1], "build", "--output-dir", folder, source, "--"]
    subprocess.run(command, env=environment, check=True)
    with open(f"{folder}/program.json") as text:
        kernels = json.load(text)["kernels"]
    listing = ["objdump", "-d", "--no-show-raw-insn", f"{folder}/program.so"]
    functions = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split("\n\n")
    code = {}
    for function in functions:
        name = re.match(r"\s*[0-9a-f]+ <(\w+)>:", function)
        if name:
            code[name[1]] = re.findall(r"^\s*[0-9a-f]+:\t(\w+)", function, re.M)
    return {one["name"]: code[one["symbol"]] for one in kernels}, {one["name"]: one["loops"] for one in kernels}


known = {}
for source in sorted(name for name in os.listdir(SOURCES) if name.endswith(".cl") and name != "costs.cl" and not name.startswith("round")):
    with tempfile.TemporaryDirectory() as folder:
        code, loops = {}, {}
        for order in ("dfo", "bfo", "auto"):
            code[order], loops = translated(f"{SOURCES}/{source}", order, folder)
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
