#!/usr/bin/env python3
"""OpenCV's operations on images that OpenCL drivers hold (`cv2.UMat`), each in a process of its own for each driver.

    opencv.py run FILE NAME=DRIVER... [--rounds N] [--shim LIBRARY] [--cache FOLDER] [OPERATION...]
    opencv.py page FILE...          writes what follows MARK in opencv.md

`run` writes times (ms) to FILE, operation by operation; those that FILE has already stay. LIBRARY is public/kernel_times.c, built as its
head says: it tells the launches and kernel times of one run, in a process that is not timed otherwise. Results are compared with those of
OpenCV's own code for the processor. What the drivers and OpenCV keep goes to FOLDER, apart for each NAME."""
import argparse, ctypes, json, os, statistics, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tables import lines, mean, rewrite

MARK = "<!-- What follows is written by opencv.py. -->"
WARM_UP_S, MEASURED_S, LEAST_RUNS, MOST_RUNS = 0.1, 0.25, 7, 1000


def flat(result):
    """The arrays that an operation returned."""
    if isinstance(result, (tuple, list)):
        return [it for part in result for it in flat(part)]
    import cv2, numpy
    return [numpy.atleast_1d(numpy.asarray(result.get() if isinstance(result, cv2.UMat) else result, dtype="float64"))]


def apart(ours, theirs):
    """How far results are from those of the processor's code: the largest difference over the largest value, and the share that differs."""
    import numpy
    if [it.shape for it in ours] != [it.shape for it in theirs]:
        return "other shapes"
    ours, theirs = (numpy.concatenate([it.ravel() for it in result]) for result in (ours, theirs))
    difference = numpy.abs(ours - theirs)
    if not numpy.isfinite(difference).all():
        difference = numpy.where((ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs)), 0, difference)
    return [float(difference.max() / max(numpy.abs(theirs).max(), 1e-30)), float((difference > 0).mean())]


def timed(run):
    """Wall time and processor time of all threads (ms) of each run: the least and the median of the first, the mean of the second."""
    end = time.perf_counter() + WARM_UP_S
    while time.perf_counter() < end:
        run()
    walls, start, used = [], time.perf_counter(), time.process_time()
    while len(walls) < LEAST_RUNS or (len(walls) < MOST_RUNS and time.perf_counter() < start + MEASURED_S):
        before = time.perf_counter()
        run()
        walls.append((time.perf_counter() - before) * 1e3)
    used = (time.process_time() - used) * 1e3 / len(walls)
    return {"least": min(walls), "median": statistics.median(walls), "processor": used}


def counted(run, shim):
    """Launches of a run and the least time of its kernels (ms), as the shim tells them."""
    counter = ctypes.CDLL(shim)
    counter.kernel_times_total.restype = ctypes.c_double
    launches, least, end = ctypes.c_long(), float("inf"), time.perf_counter() + WARM_UP_S + MEASURED_S
    for count in range(MOST_RUNS):
        if count > LEAST_RUNS and time.perf_counter() > end:
            break
        counter.kernel_times_forget()
        run()
        least = min(least, counter.kernel_times_total(ctypes.byref(launches)))
    return {"launches": launches.value, "kernels": least}


def child(operation, shim):
    """Runs in a process of its own: prints what was measured."""
    import cv2
    from opencv_operations import OPERATIONS, Images
    images, work = Images(), OPERATIONS[operation]
    cv2.setNumThreads(2)
    if not cv2.ocl.useOpenCL():
        sys.exit("no OpenCL")

    def run():
        result = work(cv2, images)
        cv2.ocl.finish()
        return result

    first = flat(run())
    record = counted(run, shim) if shim else timed(run)
    if shim:
        cv2.ocl.setUseOpenCL(False)
        record["apart"] = apart(first, flat(work(cv2, Images())))
    print(json.dumps(record))


def measure(operation, driver, shim, cache):
    environment = dict(os.environ, OCL_ICD_VENDORS=driver, OPENCV_OPENCL_DEVICE=":CPU:", OMP_NUM_THREADS="2", OPENCV_OPENCL_CACHE_DIR=cache)
    environment["VICINITY_CACHE_DIR"] = os.path.join(cache, "vicinity")
    os.makedirs(environment["VICINITY_CACHE_DIR"], exist_ok=True)
    if shim:
        open(os.path.join(cache, "kernels.txt"), "w").close()
        environment |= {"OPENCV_OPENCL_RUNTIME": shim, "KERNEL_TIMES": os.path.join(cache, "kernels.txt")}
    command = [sys.executable, __file__, "child", operation, shim or ""]
    done = subprocess.run(["timeout", "170", *command], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return {"failure": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]}
    *said, told = done.stdout.strip().splitlines()
    if said:  # A program that is not built; OpenCV uses the processor's code.
        return {"failure": said[0]}
    record = json.loads(told)
    if shim:
        with open(os.path.join(cache, "kernels.txt")) as text:
            record["each"] = [[name, int(count), float(ms)] for name, count, ms in map(str.split, text)]
    return record


def run(options):
    from opencv_operations import OPERATIONS
    record = json.load(open(options.file)) if os.path.exists(options.file) else {}
    drivers = dict(it.split("=", 1) for it in options.drivers if "=" in it)
    wanted = [it for it in options.drivers if "=" not in it] or OPERATIONS
    for operation in wanted:
        if operation in record:
            continue
        row = {name: {"rounds": []} for name in drivers}
        for _ in range(options.rounds):
            for name, driver in drivers.items():
                row[name]["rounds"].append(measure(operation, driver, None, os.path.join(options.cache, name)))
        for name, driver in drivers.items() if options.shim else ():
            row[name] |= measure(operation, driver, os.path.abspath(options.shim), os.path.join(options.cache, name))
        record[operation] = row
        with open(options.file, "w") as out:
            json.dump(record, out, indent=1)
        print(operation, *(f"{name} {short(row[name])}" for name in drivers), sep="; ", flush=True)


def ratios(record, rows, key="least"):
    return [best(record[it]["intel"], key) / best(record[it]["vicinity"], key) for it in rows]


def number(value):
    return "" if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def page(options):
    """The first file is the measurement, those after it have some of the operations again, with a driver that was changed."""
    with open(options.file) as text:
        record = json.load(text)
    again = {}
    for path in options.drivers:
        with open(path) as text:
            again |= json.load(text)
    both = ("vicinity", "intel")
    launched = [it for it, row in record.items() if any(row[name].get("launches") for name in both)]
    failed = {(it, name) for it in launched for name in both if best(record[it][name]) is None or not record[it][name]["launches"]}
    rows = [it for it in launched if not {(it, name) for name in both} & failed]
    changed = {it: again.get(it, record[it]) for it in rows}
    summary = []
    for name, key in [("wall time", "least"), ("its median", "median"), ("processor time", "processor")]:
        all_of, after = ratios(record, rows, key), ratios(changed, rows, key)
        summary.append([name, str(len(all_of)), f"{mean(all_of):.2f}", str(sum(it > 1 for it in all_of)), f"{mean(after):.2f}"])
    text = list(lines(["", "operations", "times as fast as Intel", "ahead", "with the changes"], summary))
    table = []
    for it in rows:
        row, new = record[it], again.get(it)
        ours, theirs = row["vicinity"], row["intel"]
        table.append([it, str(ours["launches"]), number(best(ours)), number(best(theirs)),
                      f"{best(theirs) / best(ours):.2f}", f"{best(theirs, 'processor') / best(ours, 'processor'):.2f}",
                      number(ours["kernels"]), number(theirs["kernels"]),
                      f"{best(new['intel']) / best(new['vicinity']):.2f}" if new else ""])
    text += lines(["operation", "launches", "Vicinity, ms", "Intel, ms", "Intel / Vicinity", "of processor time",
                   "kernels, ms", "Intel's kernels, ms", "with the changes"], table)
    text += ["On the processor's code, or failed: " + ", ".join(f"{it} on {name}" for it, name in sorted(failed)) + ".", ""] if failed else []
    text += ["Without a launch on either: " + ", ".join(it for it in record if it not in launched) + "."]
    rewrite("opencv.md", MARK, text)


def best(entry, key="least"):
    """The least over processes, None where one failed."""
    rounds = entry["rounds"]
    return None if not rounds or any("failure" in it for it in rounds) else min(it[key] for it in rounds)


def short(entry):
    least = best(entry)
    return entry["rounds"][0]["failure"] if least is None else f"{least:.3f} kernels {entry.get('kernels', 0):.3f} apart {entry.get('apart')}"


def main():
    if sys.argv[1:2] == ["child"]:
        return child(sys.argv[2], sys.argv[3])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "page"])
    parser.add_argument("file")
    parser.add_argument("drivers", nargs="*", metavar="NAME=DRIVER or OPERATION")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shim")
    parser.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "opencv"))
    options = parser.parse_intermixed_args()
    return run(options) if options.what == "run" else page(options)


main()
