"""Writes data.json as a table in Markdown: table.py data.json."""

import json
import sys

HEAD = """| wheel | OpenMP runtime | modules reached | passed, failed, skipped on stock | on Vicinity | worse | stock s | Vicinity s |
|---|---|---|---|---|---|---|---|"""

# Tests of one wheel that are not listed by name.
MANY = 9


def counts(found):
    return f"{found['passed']}, {found['failed']}, {found['skipped']}"


def row(name, result):
    reach, stock, ours = result["reach"], result["stock"], result["vicinity"]
    reached = "none asks" if not result["modules"] else f"{reach['loaded'] if not reach['others'] else 0} of {result['modules']}"
    cells = [
        f"{name} {result['version']}", ", ".join(result["runtimes"]) or "that of others", reached,
        counts(stock), counts(ours), len(result["worse"]),
        result["stock_s"], result["vicinity_s"],
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def main():
    with open(sys.argv[1]) as file:
        results = json.load(file)
    print(HEAD)
    for name, result in results.items():
        print(row(name, result))
    total = lambda key, kind: sum(result[key][kind] for result in results.values())
    print()
    print(f"{len(results)} wheels, {sum(result['modules'] for result in results.values())} modules with OpenMP; "
          f"passed on stock {total('stock', 'passed')}, on Vicinity {total('vicinity', 'passed')}.")
    for what in ("worse", "better"):
        for name, result in results.items():
            alone = "passes on stock alone" if what == "worse" else "passes on Vicinity alone"
            if len(result[what]) > MANY:
                print(f"- {alone}: {name}, {len(result[what])} tests")
                continue
            for test in result[what]:
                print(f"- {alone}: {name}, `{test}`")


if __name__ == "__main__":
    main()
