#!/usr/bin/env python3
"""Times programs on their own runtime and on Vicinity: compare.py run FILE.json PROGRAMS LIBRARY | compare.py table FILE.json.

PROGRAMS has a line for each: a name, two blanks or more, and a command, in which $T is the number of threads. LIBRARY is Vicinity's
folder `lib/omp`. Runs of the two take turns; wall and processor time in seconds. THREADS (1,2), RUNS (4), LIMIT (15 s): environment."""
import json, os, resource, shlex, subprocess, sys, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tables import lines, mean

RUNTIMES = ("stock", "Vicinity")


def run_once(command, threads, library, limit_s):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), **({"LD_LIBRARY_PATH": library} if library else {}))
    before, since = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    timer = threading.Timer(limit_s, process.kill)
    timer.start()
    status = process.wait()
    timer.cancel()
    wall, after = time.monotonic() - since, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, processor, "limit" if wall >= limit_s else status


def run(path, programs, library):
    threads = [int(it) for it in os.environ.get("THREADS", "1,2").split(",")]
    runs, limit_s = int(os.environ.get("RUNS", "4")), float(os.environ.get("LIMIT", "15"))
    record = {}
    for line in open(programs).read().splitlines():
        name, command = line.split("  ", 1)
        for count in threads:
            words = shlex.split(command.replace("$T", str(count)))
            cell = record.setdefault(f"{name} {count}", {runtime: [] for runtime in RUNTIMES})
            for turn in range(runs):
                for runtime in RUNTIMES[:: -1 if turn % 2 else 1]:
                    where = library if runtime == "Vicinity" else None
                    cell[runtime].append(run_once(words, count, where, limit_s))
            json.dump(record, open(path, "w"))


def table(path):
    """Least wall times, stock, Vicinity: their ratio (above 1, Vicinity is faster); a row for each program, whose names end with a kind."""
    rows, ratios = {}, {}
    for name, cell in json.load(open(path)).items():
        program, kind = name.split(" ", 1)
        walls = [min(it[0] for it in cell[runtime]) for runtime in RUNTIMES]
        ended = all(it[2] != "limit" for runs in cell.values() for it in runs)
        ratios.setdefault(kind, []).extend([walls[0] / walls[1]] if ended else [])
        text = f"{walls[0]:.3f}, {walls[1]:.3f}: {walls[0] / walls[1]:.2f}"
        rows.setdefault(program, {})[kind] = text if ended else "ended by the limit"
    kinds = list(ratios)
    means = {kind: f"{mean(ratios[kind]):.2f}" for kind in kinds}
    rows["geometric mean of the ratios"] = means
    print("\n".join(lines(["program", *kinds], [[name] + [row.get(kind, "") for kind in kinds] for name, row in rows.items()])))


if __name__ == "__main__":
    {"run": run, "table": table}[sys.argv[1]](*sys.argv[2:])
