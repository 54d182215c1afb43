#!/usr/bin/env python3
"""Times of the kernels of rules.cl in each order, on one thread: rules.py PROGRAM [KERNEL...], in results/order.

PROGRAM is rules.c, built. OCL_ICD_VENDORS names the driver. Orders are interleaved; each number is the least of all runs."""
import os, subprocess, sys

ORDERS = ["dfo", "bfo", "auto", "paper"]
SIZES = {  # n, m, columns, rows, local size
    "one_of_four": (4096, 512, 4096, 1, 64, 1),
    "row_by_division": (1024, 256, 16384, 1, 64, 1),
    "shared_by_division": (64, 512, 16384, 1, 64, 1),
    "held": (4096, 1024, 4096, 1, 64, 1),
    "in_place": (512, 512, 512, 64, 64, 1),
    "rows_in_columns": (4096, 64, 4096, 1, 64, 1),
    "half_active": (4096, 1024, 4096, 1, 64, 1),
    "apart": (4000, 1024, 4096, 1, 64, 1),
    "few_rows": (2000, 2048, 1984, 512, 64, 1),
    "some_rows": (2048, 512, 2048, 512, 64, 1),
    "grid_stride": (2048, 2048, 4096, 1, 256, 1),
    "even_stride": (4096, 1024, 4096, 1, 256, 1),
    "taps_of_tile": (2048, 0, 2048, 256, 64, 4),
    "taps_of_rows": (2048, 0, 2048, 256, 64, 4),
    "taps_given": (2048, 20, 2048, 256, 64, 4),
    "own_index": (4096, 1024, 4096, 1, 64, 1),
    "own_address": (4096, 1024, 4096, 1, 64, 1),
    "grid_histogram": (2048, 1024, 4096, 1, 256, 1),
    "columns_and_barrier": (4096, 1024, 4096, 1, 256, 1),
}
ROUNDS = 4
program, names = sys.argv[1], sys.argv[2:] or SIZES
print(f"{'kernel':20}" + "".join(f"{order:>10}" for order in ORDERS) + "   auto / better")
for name in names:
    least = dict.fromkeys(ORDERS, 1e30)
    for _ in range(ROUNDS):
        for order in ORDERS:
            environment = {**os.environ, "VICINITY_ORDER": order, "VICINITY_SPECIALIZE": "always", "VICINITY_EFFORT": "full", "OMP_NUM_THREADS": "1"}
            command = [program, "rules.cl", name, *map(str, SIZES[name])]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            least[order] = min(least[order], float(done.stdout or "nan"))
    ratio = least["auto"] / min(least["dfo"], least["bfo"])
    print(f"{name:20}" + "".join(f"{least[order]:10.1f}" for order in ORDERS) + f"{ratio:12.2f}", flush=True)
