"""Manual pages of a command and of each of its commands, from their help: command-pages.py VERSION DATE PROGRAM FOLDER."""

import os
import re
import subprocess
import sys

HEAD = """\
.TH {title} 1 {date} "vicinity {version}" "User commands"
.SH NAME
{name} \\- {summary}
"""
# An option or a command, and what is said of it.
ENTRY = re.compile(r"^  ( *\S(?:.*?\S)?)  +(\S.*)$")


def escaped(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line[:1] in (".", "'") else line


def help_of(program, *commands):
    return subprocess.run([program, *commands, "--help"], check=True, capture_output=True, text=True).stdout


def body(text):
    """The help as sections; text that stands at the margin is about the section before it no more."""
    inside = False
    for line in text.splitlines():
        usage = re.match(r"Usage: (.*)", line)
        entry = ENTRY.match(line)
        if usage:
            yield f".SH SYNOPSIS\n.B {escaped(usage[1])}"
        elif re.match(r"\S.*:$", line):
            inside = True
            yield f".SH {line[:-1].upper()}"
        elif entry:
            yield f".TP\n.B {escaped(entry[1].strip())}\n{escaped(entry[2])}"
        elif line.strip():
            if inside and not line.startswith(" "):
                inside = False
                yield ".SH NOTES"
            yield escaped(line.strip())


def write(folder, name, version, date, text):
    summary, rest = text.split("\n", 1)
    with open(os.path.join(folder, f"{name}.1"), "w") as page:
        page.write(HEAD.format(title=name.upper(), name=name.replace("-", "\\-"), date=date, version=version, summary=escaped(summary)))
        page.write("\n".join(body(rest)) + "\n")
        if name != "vicinity":
            page.write(".SH SEE ALSO\n.BR vicinity (1)\n")


def main(version, date, program, folder):
    os.makedirs(folder, exist_ok=True)
    text = help_of(program)
    write(folder, "vicinity", version, date, text)
    commands = re.findall(r"^  (\w+) ", text.split("Commands:")[1].split("Options:")[0], flags=re.MULTILINE)
    for command in commands:
        if command != "help":
            write(folder, f"vicinity-{command}", version, date, help_of(program, command))


if __name__ == "__main__":
    main(*sys.argv[1:])
