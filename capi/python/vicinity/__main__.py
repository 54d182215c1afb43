"""`python -m vicinity run [--why] SCRIPT|PROGRAM ARGS`: becomes the program, on Vicinity."""

import argparse
import os
import shutil
import sys

from . import environment


def main():
    parser = argparse.ArgumentParser(prog="vicinity", description="Runs OpenMP programs where their data lives.")
    actions = parser.add_subparsers(required=True, metavar="COMMAND")
    run = actions.add_parser("run", help="run a Python script or a program, and all that it starts, on Vicinity")
    run.add_argument("--why", action="store_true", help="say of each OpenMP runtime whether it was replaced, and why not")
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="SCRIPT|PROGRAM ARGS")
    given = parser.parse_args()
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        run.error("which program?")
    variables = environment()
    if given.why:
        variables["VICINITY_WHY"] = "1"
    # Python's own files, and its options as in `run -c ...` and `run -m ...`.
    if command[0].endswith((".py", ".pyc")) or command[0].startswith("-"):
        command.insert(0, sys.executable)
    program = shutil.which(command[0])
    if program is None:
        print(f"vicinity: {command[0]}: not found", file=sys.stderr)
        return 127
    try:
        os.execve(program, command, variables)
    except OSError as error:
        print(f"vicinity: cannot start {program}: {error.strerror}", file=sys.stderr)
        return 126


if __name__ == "__main__":
    sys.exit(main())
