"""Writes the wheel `vicinity-openmp`, by the standard library alone: wheel.py VERSION FOLDER OUT FILE=PATH ...

FILE=PATH puts the file at PATH into the wheel as vicinity/FILE; the package's own sources stand in FOLDER. The same input
makes the same bytes.
"""

import base64
import hashlib
import os
import sys
import zipfile

NAME = "vicinity_openmp"
TAG = "py3-none-manylinux_2_28_x86_64"
METADATA = """\
Metadata-Version: 2.1
Name: vicinity-openmp
Version: {version}
Summary: One OpenMP runtime for all packages of a process: python -m vicinity run script.py
License: Apache-2.0 OR MIT
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/plain

{description}"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: vicinity\nRoot-Is-Purelib: false\nTag: {TAG}\n"
COMMANDS = "[console_scripts]\nvicinity = vicinity.__main__:main\n"


def contents(version, folder, extra):
    """(path in the wheel, bytes)."""
    sources = sorted(name for name in os.listdir(os.path.join(folder, "vicinity")) if name.endswith(".py"))
    for name in sources:
        with open(os.path.join(folder, "vicinity", name), "rb") as file:
            yield f"vicinity/{name}", file.read()
    for name, path in extra:
        with open(path, "rb") as file:
            yield f"vicinity/{name}", file.read()
    with open(os.path.join(folder, "README.txt")) as file:
        described = METADATA.format(version=version, description=file.read())
    for name, text in [("METADATA", described), ("WHEEL", WHEEL), ("entry_points.txt", COMMANDS)]:
        yield f"{NAME}-{version}.dist-info/{name}", text.encode()


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main(version, folder, out, *extra):
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, f"{NAME}-{version}-{TAG}.whl")
    record = f"{NAME}-{version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in contents(version, folder, [item.split("=", 1) for item in extra]):
            wheel.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
            lines.append(f"{name},sha256={digest(data)},{len(data)}\n")
        lines.append(f"{record},,\n")
        wheel.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)), "".join(lines), zipfile.ZIP_DEFLATED)
    os.replace(path + ".new", path)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
