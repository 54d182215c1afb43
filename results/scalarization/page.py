#!/usr/bin/env python3
"""Writes tables.md and classes.svg of observed.json (vectors of 8 items) and, where it is there, observed-16.json (of 16): page.py, in
results/scalarization."""
import json
import os

ROLES = {"arithmetic": "arithmetic", "loads": "loads", "operands": "operands", "load_addresses": "addresses of loads",
         "store_addresses": "addresses of stores", "branches": "conditions of branches"}
COLOURS = {"uniform": "#0072b2", "affine": "#56b4e9", "by a guess": "#e69f00", "varying": "#cccccc"}


def part(counts):
    """Shares of a list of counts."""
    return [count / sum(counts) for count in counts] if sum(counts) else None


def mean(rows, key, role):
    """The mean share of each class over the workloads that have such values; how many these are."""
    shares = [share for row in rows if role in row.get("roles", {}) and (share := part(row["roles"][role][key]))]
    return [sum(column) / len(shares) for column in zip(*shares)], len(shares)


def percent(share):
    return f"{100 * share:.0f}"


def classes(rows):
    lines = ["| | workloads | in the code: uniform | affine | by a guess | varying | executed, found: uniform | affine | by a guess | varying "
             "| in fact: uniform | affine | neither | in all vectors of the run: uniform | affine | neither |", "|---|" + "---|" * 15]
    for role, name in ROLES.items():
        cells = [mean(rows, key, role)[0] for key in ("static", "found", "seen", "always")]
        lines.append(f"| {name} | {mean(rows, 'found', role)[1]} | " + " | ".join(percent(share) for cell in cells for share in cell) + " |")
    return lines


def accesses(rows):
    """Addresses by how vectors of them lie: shares of executed loads and stores."""
    lines = ["| | uniform, found | in fact | neighbours, found | in fact | of these, aligned to a vector | other strides, found | in fact | anything, found | in fact |",
             "|---|" + "---|" * 9]
    for role in ("load_addresses", "store_addresses"):
        cells = []
        for row in rows:
            counts = row.get("roles", {}).get(role)
            total = counts and sum(counts["found"])
            if total:
                found, seen, (unit, unit_seen, aligned) = counts["found"], counts["seen"], counts["unit"]
                other, other_seen = found[1] + found[2] - unit, seen[1] - unit_seen
                cells.append([x / total for x in (found[0], seen[0], unit, unit_seen, aligned, other, other_seen, found[3], seen[2])])
        means = [sum(column) / len(cells) for column in zip(*cells)]
        lines.append(f"| {ROLES[role]} | " + " | ".join(map(percent, means)) + " |")
    return lines


def table(data):
    lines = ["| workload | instructions found uniform, affine, guessed | in fact uniform, affine | branches found uniform | in fact | lanes in use |", "|---|---|---|---|---|---|"]
    for name, row in data.items():
        roles = row.get("roles", {})
        if "arithmetic" not in roles:
            lines.append(f"| `{name}` | {'failed' if 'failed' in row else 'no vector code of ours'} | | | | |")
            continue
        both = {key: [a + b for a, b in zip(*(roles.get(role, {}).get(key) or [0] * 4 for role in ("arithmetic", "loads")))] for key in ("found", "seen")}
        found, seen = part(both["found"]), part(both["seen"])
        branches = roles.get("branches")
        cells = [", ".join(map(percent, found[:3])), ", ".join(map(percent, seen[:2]))]
        cells += [percent(part(branches[key])[0]) for key in ("found", "seen")] if branches and sum(branches["found"]) else ["", ""]
        used = roles["arithmetic"]["items"] / (LANES * max(sum(roles["arithmetic"]["found"]), 1))
        lines.append(f"| `{name}` | " + " | ".join(cells) + f" | {percent(used)} |")
    return lines


def missed(data):
    lines = ["| workload | kernel | line | what | always | vectors |", "|---|---|---|---|---|---|"]
    for name, row in data.items():
        for kernel, line, role, how, vectors in row.get("missed", [])[:2]:
            lines.append(f"| `{name}` | `{kernel}` | {line} | {role.replace('_', ' ')} | {how} | {vectors:,} |")
    return lines


def wrong(data):
    found = [[name, *one] for name, row in data.items() for one in row.get("wrong", [])]
    if not found:
        return ["None."]
    lines = ["| workload | kernel | line | what | found | stride | vectors where it is not so | of |", "|---|---|---|---|---|---|---|---|"]
    return lines + [f"| `{name}` | `{kernel}` | {line} | {role} | {how} | {stride} | {bad:,} | {all_:,} |" for name, kernel, line, role, how, stride, bad, all_ in found]


def picture(rows):
    """Two bars for each role: what was found, and what is so."""
    left, width, step, top = 170, 560, 52, 46
    height = top + step * len(ROLES) + 24
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 40}" height="{height}" font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="white"/>']
    for at, (name, colour) in enumerate(COLOURS.items()):
        x = left + 120 * at
        parts.append(f'<rect x="{x}" y="10" width="12" height="12" fill="{colour}"/><text x="{x + 17}" y="20">{name}</text>')
    for at, (role, name) in enumerate(ROLES.items()):
        y = top + step * at
        parts.append(f'<text x="{left - 60}" y="{y + 22}" text-anchor="end">{name}</text>')
        found, seen = mean(rows, "found", role)[0], mean(rows, "seen", role)[0]
        for line, (label, shares) in enumerate((("found", found), ("in fact", [seen[0], seen[1], 0, seen[2]]))):
            x, below = left, y + 18 * line
            parts.append(f'<text x="{left - 6}" y="{below + 12}" text-anchor="end" fill="#555">{label}</text>')
            for share, (kind, colour) in zip(shares, COLOURS.items()):
                parts.append(f'<rect x="{x:.1f}" y="{below}" width="{share * width:.1f}" height="16" fill="{colour}"/>')
                if share > 0.04:
                    ink = "white" if kind == "uniform" else "black"
                    parts.append(f'<text x="{x + share * width / 2:.1f}" y="{below + 12}" text-anchor="middle" fill="{ink}">{percent(share)}</text>')
                x += share * width
    parts.append(f'<text x="{left}" y="{height - 8}">percent of what is executed, mean over the workloads; vectors of {LANES} items</text>')
    return "\n".join([*parts, "</svg>", ""])


def read(name):
    with open(name) as text:
        return json.load(text)


LANES = 8


def main():
    eight = read("observed.json")
    sixteen = read("observed-16.json") if os.path.exists("observed-16.json") else {}
    lines = ["Made by page.py of observed.json. All numbers are percents, means over the workloads, unless said otherwise."]
    for data, lanes in ((eight, 8), (sixteen, 16)):
        for suite, name in (("", "both suites"), ("opencl", "`opencl`"), ("fresh", "`fresh`")):
            if not data or suite and lanes == 16:
                continue
            rows = [row for row in data.values() if suite in ("", row["suite"])]
            lines += ["", f"## Vectors of {lanes} items, {name}", "", *classes(rows), "", *accesses(rows)]
    lines += ["", "## Found, and not so", "", *wrong(eight), "", "## Always so, and not found: the two that are met most often", "", *missed(eight)]
    lines += ["", "## By workload, vectors of 8 items", "", "Instructions are those with results: arithmetic and loads.", "", *table(eight)]
    with open("tables.md", "w") as out:
        out.write("\n".join(lines) + "\n")
    with open("classes.svg", "w") as out:
        out.write(picture(list(eight.values())))


if __name__ == "__main__":
    main()
