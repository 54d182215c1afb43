#!/usr/bin/env python3
"""The first calls of OpenCV's operations, before there is code for the size of their groups, beside later ones.

    first_calls.py run FILE NAME=DRIVER... --shim LIBRARY [--rounds N] [--seconds S] [--busy N] [--most SECONDS] [OPERATION...]
    first_calls.py tell FILE...

`run` measures each of the operations that opencv.py knows in processes of its own, and writes to FILE, operation by operation; those that
FILE has already stay, and after SECONDS no more begin. LIBRARY is public/kernel_times.c, built as its head says. All programs are in the
cache before, and no code for one size. Then a process calls the operation for S, and a second one, for which the first has left
its code in the cache, does the same; a third has generic code alone (VICINITY_SPECIALIZE=never). Times are of kernels, in ms, of each call.
With --busy N, so many other processes compute meanwhile."""
import argparse, ctypes, json, os, shutil, statistics, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tables import lines, mean

MOST_CALLS, SETTLED_S = 4000, 20


def child(operation, shim, seconds):
    """In a process of its own: the time of the kernels of each call, and of the whole call, in ms."""
    import cv2
    from opencv_operations import OPERATIONS, Images
    images, work = Images(), OPERATIONS[operation]
    cv2.setNumThreads(2)
    if not cv2.ocl.useOpenCL():
        sys.exit("no OpenCL")
    counter = ctypes.CDLL(shim)
    counter.kernel_times_total.restype = ctypes.c_double
    launches, calls, end = ctypes.c_long(), [], time.perf_counter() + seconds
    while len(calls) < MOST_CALLS and (not calls or time.perf_counter() < end):
        counter.kernel_times_forget()
        begun = time.perf_counter()
        work(cv2, images)
        cv2.ocl.finish()
        wall = (time.perf_counter() - begun) * 1e3
        calls.append([round(counter.kernel_times_total(ctypes.byref(launches)), 4), round(wall, 4)])
    print(json.dumps(calls if launches.value else []))


def calls(operation, driver, shim, cache, mode, seconds):
    environment = dict(os.environ, OCL_ICD_VENDORS=driver, OPENCV_OPENCL_DEVICE=":CPU:", OPENCV_OPENCL_CACHE_DIR=os.path.join(cache, "opencv"))
    environment.setdefault("OMP_NUM_THREADS", "2")
    environment |= {"VICINITY_CACHE_DIR": os.path.join(cache, "vicinity"), "VICINITY_SPECIALIZE": mode}
    environment |= {"OPENCV_OPENCL_RUNTIME": shim, "KERNEL_TIMES": os.path.join(cache, "kernels.txt")}
    for folder in ("opencv", "vicinity"):
        os.makedirs(os.path.join(cache, folder), exist_ok=True)
    done = subprocess.run(["timeout", "170", sys.executable, __file__, "child", operation, shim, str(seconds)],
                          env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def settled(cache):
    """Waits until nothing is being made."""
    making, end = os.path.join(cache, "vicinity", "opencl", "making"), time.time() + SETTLED_S
    while time.time() < end and subprocess.run(["pgrep", "-f", f"output-dir {os.path.dirname(making)}"], capture_output=True).returncode == 0:
        time.sleep(0.05)


def measure(operation, driver, options):
    shim, seconds = os.path.abspath(options.shim), options.seconds
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        programs = os.path.join(cache, "programs")
        calls(operation, driver, shim, programs, "never", 0)
        settled(programs)
        now = os.path.join(cache, "now")
        shutil.copytree(programs, now)
        row = {"first": calls(operation, driver, shim, now, "auto", seconds)}
        settled(now)
        row["later"] = calls(operation, driver, shim, now, "auto", seconds)
        row["generic"] = calls(operation, driver, shim, programs, "never", seconds)
        return row


def run(options):
    from opencv_operations import OPERATIONS
    record = json.load(open(options.file)) if os.path.exists(options.file) else {}
    drivers = dict(it.split("=", 1) for it in options.drivers if "=" in it)
    wanted = [it for it in options.drivers if "=" not in it] or OPERATIONS
    end = time.time() + options.most
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(options.busy)]
    try:
        measure_all(options, drivers, wanted, record, end)
    finally:
        for other in others:
            other.kill()


def measure_all(options, drivers, wanted, record, end):
    for operation in wanted:
        if operation in record or time.time() > end:
            continue
        row = {name: [] for name in drivers}
        for _ in range(options.rounds):
            for name, driver in drivers.items():
                row[name].append(measure(operation, driver, options))
        record[operation] = row
        with open(options.file, "w") as out:
            json.dump(record, out)
        print(operation, *(f"{name} {summary(row[name])}" for name in drivers), sep="; ", flush=True)


def kernels(run):
    return [it[0] for it in run]


def summary(rounds):
    """The first call's, a later one's and a generic one's time of kernels; how long the calls lost in all, in ms."""
    rounds = [it for it in rounds if all(it.get(key) for key in ("first", "later", "generic"))]
    if not rounds:
        return None
    later = min(min(kernels(it["later"])) for it in rounds)
    generic = min(min(kernels(it["generic"])) for it in rounds)
    first = statistics.median(kernels(it["first"])[0] for it in rounds)
    lost = statistics.median(sum(max(0, ms - 1.5 * later) for ms in kernels(it["first"])) for it in rounds)
    return [round(it, 3) for it in (first, later, generic, lost)]


def tell(options):
    record = {}
    for path in [options.file, *options.drivers]:
        record |= json.load(open(path))
    names = list(dict.fromkeys(name for row in record.values() for name in row))
    rows, of = [], {name: [] for name in names}
    for operation, row in record.items():
        cells = [operation]
        for name in names:
            found = summary(row.get(name, []))
            if found:
                first, later, generic, lost = found
                of[name].append((first / later, generic / later, lost))
                cells += [f"{first:.3g}", f"{later:.3g}", f"{generic / later:.2f}", f"{lost:.3g}"]
            else:
                cells += [""] * 4
        rows.append(cells)
    rows.sort(key=lambda cells: -float(cells[3] or 0))
    heads = [f"{name}: {what}" for name in names for what in ("first, ms", "later, ms", "generic / later", "lost, ms")]
    print("\n".join(lines(["operation", *heads], rows)))
    for name in names:
        first, generic, lost = zip(*of[name])
        print(f"{name}: {len(first)} operations; first / later {mean(first):.2f}, generic / later {mean(generic):.2f}, lost {sum(lost):.0f} ms")


def main():
    if sys.argv[1:2] == ["child"]:
        return child(sys.argv[2], sys.argv[3], float(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "tell"])
    parser.add_argument("file")
    parser.add_argument("drivers", nargs="*", metavar="NAME=DRIVER or OPERATION")
    parser.add_argument("--shim")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.7)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--most", type=float, default=1e9)
    options = parser.parse_intermixed_args()
    return run(options) if options.what == "run" else tell(options)


main()
