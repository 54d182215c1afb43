"""The records that measure.py wrote, and the numbers that the page and its pictures show of them: the least of the processes, because
others share the machine and can only lengthen what is measured."""
import functools
import json

OURS = "vicinity"
DRIVERS = {OURS: "Vicinity", "pocl": "PoCL", "intel": "Intel"}
# The kinds of calls that calls.c tells apart, as the page has them.
KINDS = {
    "platform": ["platform"], "device": ["device"], "context": ["context"], "queue": ["queue"], "program": ["program"], "build": ["build"], "questions": ["query"],
    "kernel": ["kernel"], "arguments": ["argument"], "buffers": ["buffer"], "transfers": ["transfer"], "launch": ["launch"], "wait": ["wait"], "event": ["event"],
    "release": ["release"], "release of the context": ["release_context"],
}
# Times the better of the others from which ours is behind.
BEHIND = 1.1


@functools.cache
def read(name):
    with open(f"{name}.json") as text:
        return json.load(text)["cases"]


def variants(name):
    """{(kernel, size): its cases, in order}"""
    found = {}
    for case in read(name):
        found.setdefault((case["kernel"], case["size"]), []).append(case)
    return found


def ms(case, driver):
    return min(case["ms"][driver])


def best(case):
    """The better of the other drivers."""
    return min(ms(case, driver) for driver in DRIVERS if driver != OURS and driver in case["ms"])


def calls_of(case, driver):
    """{kind: milliseconds}, the least of the processes for each."""
    return {kind: sum(min(case[part][driver]) for part in parts) for kind, parts in KINDS.items()}


def number(value):
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.001 else f"{value:.4f}"


def percent(share):
    return f"{100 * share:.0f}" if share >= 0.005 or share == 0 else f"{100 * share:.1f}"


def cell(case, driver):
    text = number(ms(case, driver))
    return f"**{text}**" if driver == OURS and ms(case, driver) > BEHIND * best(case) else text
