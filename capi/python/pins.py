"""Which versions of glibc's symbols a library asks for, and which older ones it can ask for instead.

    pins.py LIBRARY ...       lines `symbol symbol@VERSION` for objcopy --redefine-syms, for what is newer than glibc 2.28
    pins.py --check LIBRARY   fails, and says why, if the library asks for anything newer
"""

import re
import subprocess
import sys

NEWEST = (2, 28)
C_LIBRARIES = ("libc.so.6", "libm.so.6")
# capi/python/older.c has these.
OWN = {
    "stat64", "fstat64", "lstat64", "gettid", "_dl_find_object",
    "posix_spawn_file_actions_addchdir_np", "posix_spawn_file_actions_addclosefrom_np",
}
SYMBOL = re.compile(r"\(?GLIBC_([0-9.]+)\)?\s+(\w+)$")


def number(version):
    return tuple(int(part) for part in version.split("."))


def symbols(path, wanted):
    """(symbol, version) of a library's undefined symbols, or of those that it defines."""
    lines = subprocess.run(["objdump", "-T", path], check=True, capture_output=True, text=True).stdout.splitlines()
    matches = (SYMBOL.search(line) for line in lines if ("*UND*" in line) == (wanted == "undefined"))
    return [(match[2], match[1]) for match in matches if match]


def newer(library):
    return [(name, version) for name, version in symbols(library, "undefined") if number(version) > NEWEST]


def pins(libraries):
    defined = {}
    for path in C_LIBRARIES:
        found = subprocess.run(["cc", f"-print-file-name={path}"], check=True, capture_output=True, text=True)
        for name, version in symbols(found.stdout.strip(), "defined"):
            if number(version) <= NEWEST:
                defined.setdefault(name, []).append(version)
    for name, version in sorted({symbol for library in libraries for symbol in newer(library)}):
        if name in OWN:
            continue
        if name not in defined:
            sys.exit(f"pins: {name}@GLIBC_{version} has no version for glibc 2.28: write it in capi/python/older.c")
        yield f"{name} {name}@GLIBC_{max(defined[name], key=number)}"


def main(*arguments):
    if arguments[0] == "--check":
        asked = newer(arguments[1])
        if asked:
            sys.exit(f"pins: {arguments[1]} asks for " + ", ".join(f"{name}@GLIBC_{version}" for name, version in asked))
        return
    print("\n".join(pins(arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
