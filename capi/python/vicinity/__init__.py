"""Vicinity in Python: one OpenMP runtime in a process, whatever its packages bring.

    python -m vicinity run script.py        for a process and all that it starts: nothing is out of reach
    import vicinity; vicinity.use()         in a program, before the first import of a package with OpenMP

Packages bring runtimes under names of their own, as libgomp-a34b3233.so.1.0.0. `run` has the loader replace them all
(rtld-audit). In a process that runs already that is not possible; `use` loads Vicinity for all later libraries to bind to, and
takes the names that it finds in sys.path, so that the loader does not map what has them.
"""

import ctypes
import glob
import os
import re
import sys
import tempfile

__all__ = ["TooLate", "environment", "use"]

_LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
LIBRARY = os.path.join(_LIB, "omp", "libgomp-libvicinity.so.1")
AUDITOR = os.path.join(_LIB, "libvicinity-audit.so")
_ALIAS = os.path.join(_LIB, "alias.so")

_RUNTIME = re.compile(r"^lib(gomp|i?omp)[0-9]*(-[0-9a-f]+)?\.so[.0-9]*$")
_PLAIN_NAMES = ("libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so")


class TooLate(RuntimeError):
    """Another OpenMP runtime is in the process already, and packages are bound to it."""


def environment(variables=None):
    """The variables of a process that is to run on Vicinity, made from these (default: this process's own)."""
    made = dict(os.environ if variables is None else variables)
    old = [path for path in made.get("LD_AUDIT", "").split(":") if path and path != AUDITOR]
    made["LD_AUDIT"] = ":".join([AUDITOR] + old)
    made.setdefault("VICINITY_TOP", "on")
    return made


def _mapped():
    """The OpenMP runtimes in this process that are not Vicinity."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(None, 5)[5].rstrip("\n") for line in maps if "/" in line}
    return sorted(path for path in paths if _RUNTIME.match(os.path.basename(path)))


def _names():
    """The names by which packages on sys.path will ask for a runtime."""
    found = set(_PLAIN_NAMES)
    for folder in sys.path:
        copies = glob.glob(os.path.join(glob.escape(folder or "."), "*.libs", "lib*omp*"))
        found.update(name for name in map(os.path.basename, copies) if _RUNTIME.match(name))
    return sorted(found)


def _take(names):
    """Loads, for each name, a library that has it as its soname and is otherwise empty: the loader takes it for the runtime."""
    with open(_ALIAS, "rb") as file:
        template = file.read()
    place = b"X" * 128
    with tempfile.TemporaryDirectory(prefix="vicinity-") as folder:
        for name in names:
            path = os.path.join(folder, "alias-" + name)
            with open(path, "wb") as file:
                file.write(template.replace(place, os.fsencode(name).ljust(128, b"\0"), 1))
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)


def use():
    """Gives Vicinity to all packages that this process and its children load from now on.

    Raises TooLate where another OpenMP runtime is in the process: what was bound to it stays so. Call it before the first
    import of such a package, or start the program by `python -m vicinity run`.
    """
    present = _mapped()
    if AUDITOR in os.environ.get("LD_AUDIT", "").split(":") and not present:
        return
    if present:
        raise TooLate(
            f"vicinity.use() comes too late: {', '.join(present)} was loaded before it; call it before the first import of "
            f"a package with OpenMP, or run `{os.path.basename(sys.executable)} -m vicinity run {sys.argv[0] or '...'}`"
        )
    ctypes.CDLL(LIBRARY, mode=ctypes.RTLD_GLOBAL)
    _take(_names())
    os.environ.update(environment())
