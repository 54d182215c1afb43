"""The pictures of the page: where the time of a process goes, and the time of a launch by the work in an item."""
import math

from records import DRIVERS, calls_of, ms, read, variants

COLOURS = {"vicinity": "#0072b2", "pocl": "#009e73", "intel": "#cc79a7"}
# Kinds of calls that have a colour together.
PARTS = {
    "platform, device, context, queue": (("platform", "device", "context", "queue", "release of the context"), "#0072b2"),
    "program, build": (("program", "build"), "#e69f00"),
    "kernels, arguments, questions": (("kernel", "arguments", "questions", "event"), "#f0e442"),
    "buffers, transfers, release": (("buffers", "transfers", "release"), "#56b4e9"),
    "launch, wait": (("launch", "wait"), "#009e73"),
}


def start(width, height):
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">'
    yield '<rect width="100%" height="100%" fill="white"/>'


def bars():
    """A bar for each driver and state of its cache: mean milliseconds in calls, by their kinds."""
    left, width, step, top = 110, 560, 26, 60
    rows = {}
    for driver in DRIVERS:
        for state in ("cold", "warm"):
            found = [calls_of(case, driver) for case in read("calls") if case["cache"] == state]
            rows[f"{DRIVERS[driver]}, {state}"] = {part: sum(each[kind] for each in found for kind in kinds) / len(found) for part, (kinds, _) in PARTS.items()}
    most = max(sum(row.values()) for row in rows.values())
    yield from start(left + width + 60, top + step * len(rows) + 26)
    for at, (part, (_, colour)) in enumerate(PARTS.items()):
        x, y = left + 200 * (at % 3), 12 + 18 * (at // 3)
        yield f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour}"/><text x="{x + 17}" y="{y + 10}">{part}</text>'
    for at, (name, row) in enumerate(rows.items()):
        x, y = left, top + step * at
        yield f'<text x="{left - 6}" y="{y + 14}" text-anchor="end">{name}</text>'
        for part, value in row.items():
            yield f'<rect x="{x:.1f}" y="{y}" width="{value / most * width:.1f}" height="18" fill="{PARTS[part][1]}"/>'
            x += value / most * width
        yield f'<text x="{x + 5:.1f}" y="{y + 14}">{sum(row.values()):.0f}</text>'
    yield f'<text x="{left}" y="{top + step * len(rows) + 16}">milliseconds in calls, mean of the programs</text>'
    yield "</svg>"


def curves():
    """For each kernel, largest size but one, the time of a launch by the work in an item, beside the best of all."""
    chosen = [("square", "1000000"), ("vector_add", "1100000"), ("phases", "32768"), ("potential", "512 x 64")]
    wide, high, gap, top, most = 190, 190, 50, 40, 64.0
    yield from start(gap + len(chosen) * (wide + gap), top + high + 50)
    for at, (driver, colour) in enumerate(COLOURS.items()):
        yield f'<circle cx="{gap + 100 * at}" cy="13" r="4.5" fill="{colour}"/><text x="{gap + 100 * at + 9}" y="17">{DRIVERS[driver]}</text>'
    for at, key in enumerate(chosen):
        cases = variants("items")[key]
        left = gap + at * (wide + gap)
        least = min(ms(case, driver) for case in cases for driver in DRIVERS)
        place = lambda value: top + high * (1 - math.log2(min(value / least, most)) / math.log2(most))
        along = lambda index: left + wide * index / (len(cases) - 1)
        for power in range(0, 7):
            y = place(least * 2**power)
            yield f'<line x1="{left}" y1="{y:.1f}" x2="{left + wide}" y2="{y:.1f}" stroke="#ddd"/><text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end">{2**power}</text>'
        for driver, colour in COLOURS.items():
            points = [(along(index), place(ms(case, driver))) for index, case in enumerate(cases)]
            yield f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{colour}" stroke-width="2"/>'
            yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points)
        for index, case in enumerate(cases):
            word = "plain" if case["variant"] == "0" else case["variant"]
            yield f'<text x="{along(index):.1f}" y="{top + high + 16}" text-anchor="middle">{word}</text>'
        yield f'<text x="{left + wide / 2}" y="{top + high + 36}" text-anchor="middle">{key[0]}, {key[1]}: work in an item</text>'
    yield "</svg>"
