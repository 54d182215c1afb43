"""What pages of results are written with: tables, means, and the part of a page that a script writes."""
import math


def mean(ratios):
    """Their geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def lines(head, rows):
    """A table of Markdown, and a line without text."""
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    yield from ("| " + " | ".join(row) + " |" for row in rows)
    yield ""


def rewrite(page, mark, text):
    """Lets the lines `text` follow the line `mark` of a page, in place of what follows it."""
    with open(page) as before:
        head = before.read().split(mark)[0]
    with open(page, "w") as out:
        out.write(head + mark + "\n\n" + "\n".join(text).rstrip("\n") + "\n")
