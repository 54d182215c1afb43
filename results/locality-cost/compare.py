#!/usr/bin/env python3
"""Times the benchmark programs under two or more settings, one after the other in turns, and prints how their medians and
minima relate to the first setting's.

compare.py LIBRARY-FOLDER PROGRAM-FOLDER REPEATS OUTPUT.csv PROGRAM[:MEASURE],... NAME=VARIABLE=VALUE[;VARIABLE=VALUE]... ...

PROGRAM-FOLDER is what `vicinity bench --build-dir` leaves. Adds a line a run to the output."""
import csv, os, re, statistics, subprocess, sys

library, folder, repeats, output, programs = sys.argv[1:6]
settings = []
for text in sys.argv[6:]:
    name, _, rest = text.partition("=")
    variables = dict(item.split("=", 1) for item in rest.split(";") if item)
    settings.append((name, {**os.environ, "OMP_NUM_THREADS": "2", **variables, "LD_LIBRARY_PATH": library}))

out = csv.writer(open(output, "a", newline=""))
for program in programs.split(","):
    base, _, measure = program.partition(":")
    for compiler in ("gcc", "clang"):
        executable = os.path.join(folder, f"{base}.{compiler}")
        if not os.path.exists(executable):
            continue
        arguments = [executable, measure] if measure else [executable, "--class", "small"]
        times = {name: [] for name, _ in settings}
        for turn in range(int(repeats)):
            for name, environment in settings if turn % 2 == 0 else settings[::-1]:
                run = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=60)
                found = re.search(r"ns_per_(?:task|op)=([\d.e+-]+)", run.stdout)
                found = found or re.search(r"\bseconds=([\d.e+-]+)", run.stdout)
                if run.returncode or not found:
                    sys.exit(f"{arguments} {name}: {run.stdout}{run.stderr}")
                times[name].append(float(found[1]))
                out.writerow([measure or base, compiler, name, found[1]])
        first = times[settings[0][0]]
        parts = [
            f"{name} {statistics.median(t):10.3f} {statistics.median(t) / statistics.median(first):6.3f} {min(t) / min(first):6.3f}"
            for name, t in times.items()
        ]
        print(f"{measure or base:18}{compiler:6}" + "   ".join(parts), flush=True)
