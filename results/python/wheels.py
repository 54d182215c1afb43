"""Runs the tests of wheels with OpenMP on their own runtimes and on Vicinity, and says what differs.

    python3 wheels.py VICINITY ENVIRONMENTS DATA [WHEEL...]

VICINITY is the command; ENVIRONMENTS has the virtual environments `main` and `torch` (run.sh makes them). DATA is the JSON file
that gets the results; wheels that are not named keep theirs. wheels.json says for each wheel which tests it has of its own
(`tests`, of these those with the words of `select`), and which of our programs (`programs/test_NAME.py`, the wheel's name unless
`program` says another) runs too. Modules whose names begin as `without` says need what the wheel does not bring.
"""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = re.compile(r"lib(gomp|i?omp)[0-9]*(-[0-9a-f]+)?\.so[.0-9]*$")
LIMIT_S = 180


def needed(path):
    """The runtimes that a library asks for by name."""
    text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
    return [name for name in re.findall(r"NEEDED.*\[(.*)\]", text) if RUNTIME.match(name)]


def contents(python, wheel):
    """The wheel's version, its libraries that ask for a runtime, and the runtimes that it brings or asks for."""
    site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"], capture_output=True, text=True)
    matches = importlib.metadata.distributions(path=[site.stdout.strip()])
    distribution = next(found for found in matches if found.metadata["Name"].lower() == wheel.lower())
    paths = sorted({os.path.realpath(str(distribution.locate_file(file))) for file in distribution.files or []})
    libraries = [path for path in paths if ".so" in os.path.basename(path) and os.path.isfile(path)]
    brought = [os.path.basename(path) for path in libraries if RUNTIME.match(os.path.basename(path))]
    modules = {path: names for path in libraries if not RUNTIME.match(os.path.basename(path)) and (names := needed(path))}
    asked = sorted({name for names in modules.values() for name in names})
    return distribution.version, list(modules), brought or [f"{name} of the system" for name in asked]


def variables(scratch):
    own = ("OMP_", "GOMP_", "KMP_", "VICINITY_", "LD_")
    made = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    made.update(PYTHONDONTWRITEBYTECODE="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", NUMBA_CACHE_DIR=os.path.join(scratch, "numba"), XDG_CACHE_HOME=scratch)
    return made


def reach(vicinity, python, modules, packages, scratch):
    """What reach.py finds in a process that has loaded all of the modules."""
    command = [vicinity, "run", "--unchecked", python, os.path.join(HERE, "reach.py"), ",".join(packages), *modules]
    done = subprocess.run(command, capture_output=True, text=True, env=variables(scratch), cwd=scratch)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {"loaded": 0, "failed": [done.stderr[-300:]], "others": []}


def outcomes(path):
    """Test -> passed, failed or skipped."""
    found = {}
    for case in xml.parse(path).iter("testcase"):
        kinds = {child.tag for child in case}
        name = f"{case.get('classname')}::{case.get('name')}"
        found[name] = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
    return found


def tests(start, python, wheel, scratch):
    """Outcomes of all tests, and the seconds that they took."""
    name = wheel["program"]
    program = os.path.join(HERE, "programs", f"test_{name}.py")
    runs = [["--pyargs", test] for test in wheel.get("tests", [])] + ([[program]] if name and os.path.exists(program) else [])
    select = ["-k", wheel["select"]] if "select" in wheel else []
    found, seconds = {}, 0.0
    for number, what in enumerate(runs):
        report = os.path.join(scratch, f"report-{number}.xml")
        command = [*start, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "pytest_timeout", "--timeout", "60", f"--junitxml={report}"]
        before = time.monotonic()
        try:
            done = subprocess.run([*command, *select, *what], env=variables(scratch), cwd=scratch, capture_output=True, text=True, timeout=LIMIT_S)
            ended = f"exit status {done.returncode}"
        except subprocess.TimeoutExpired:
            ended = f"more than {LIMIT_S} s"
        seconds += time.monotonic() - before
        found.update(outcomes(report) if os.path.exists(report) else {f"{what[-1]}: {ended}": "failed"})
    return found, seconds


def measure(vicinity, environments, name, wheel):
    python = os.path.join(environments, wheel.get("environment", "main"), "bin", "python")
    version, modules, runtimes = contents(python, name)
    modules = [path for path in modules if not os.path.basename(path).startswith(wheel.get("without", "\0"))]
    wheel.setdefault("program", name if "tests" not in wheel else "")
    with tempfile.TemporaryDirectory(prefix="wheels-") as scratch:
        reached = reach(vicinity, python, modules, wheel.get("packages", [name.replace("-", "_")]), scratch)
        stock, stock_s = tests([], python, wheel, scratch)
        ours, ours_s = tests([vicinity, "run", "--unchecked", "--"], python, wheel, scratch)
    worse = sorted(test for test, outcome in stock.items() if outcome == "passed" and ours.get(test, "failed") == "failed")
    better = sorted(test for test, outcome in ours.items() if outcome == "passed" and stock.get(test, "failed") == "failed")
    count = lambda found: {kind: list(found.values()).count(kind) for kind in ("passed", "failed", "skipped")}
    return {
        "version": version, "runtimes": runtimes, "modules": len(modules), "reach": reached,
        "stock": count(stock), "vicinity": count(ours), "worse": worse, "better": better,
        "stock_s": round(stock_s, 1), "vicinity_s": round(ours_s, 1),
    }


def main():
    vicinity, environments, data, *names = sys.argv[1:]
    with open(os.path.join(HERE, "wheels.json")) as file:
        wheels = json.load(file)
    results = {}
    if os.path.exists(data):
        with open(data) as file:
            results = json.load(file)
    for name in names or wheels:
        results[name] = measure(os.path.abspath(vicinity), os.path.abspath(environments), name, wheels[name])
        print(name, json.dumps(results[name]), flush=True)
        with open(data, "w") as file:
            json.dump({name: results[name] for name in wheels if name in results}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
