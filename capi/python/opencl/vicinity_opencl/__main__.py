"""`python -m vicinity_opencl PROGRAM ARGS`: becomes the program, with Vicinity as its OpenCL platform."""

import os
import shutil
import sys

from . import environment


def main():
    command = sys.argv[1:]
    if not command or command[0] in ("-h", "--help"):
        print("usage: python -m vicinity_opencl PROGRAM ARGS")
        return 0 if command else 2
    program = shutil.which(command[0])
    if program is None:
        print(f"vicinity_opencl: {command[0]}: not found", file=sys.stderr)
        return 127
    try:
        os.execve(program, command, environment())
    except OSError as error:
        print(f"vicinity_opencl: cannot start {program}: {error.strerror}", file=sys.stderr)
        return 126


if __name__ == "__main__":
    sys.exit(main())
