"""Writes a wheel by the standard library alone: wheel.py VERSION FOLDER OUT FILE=PATH ...

FOLDER has METADATA (without version and description), README.txt, entry_points.txt if there are commands, and the package's own
sources in a folder of their own. FILE=PATH puts the file at PATH into the wheel as FILE. The same input makes the same bytes.
"""

import base64
import hashlib
import os
import re
import sys
import zipfile

TAG = "py3-none-manylinux_2_28_x86_64"
WHEEL = f"Wheel-Version: 1.0\nGenerator: vicinity\nRoot-Is-Purelib: false\nTag: {TAG}\n"


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def sources(folder):
    """The packages in the folder: (path in the wheel, bytes)."""
    for package in sorted(os.listdir(folder)):
        if os.path.exists(os.path.join(folder, package, "__init__.py")):
            for name in sorted(os.listdir(os.path.join(folder, package))):
                if name.endswith(".py"):
                    yield f"{package}/{name}", read(folder, package, name)


def description(version, folder):
    """The files of the wheel's own folder."""
    given = read(folder, "METADATA").decode()
    metadata = f"Metadata-Version: 2.1\nVersion: {version}\n{given}Description-Content-Type: text/plain\n\n"
    yield "METADATA", metadata.encode() + read(folder, "README.txt")
    yield "WHEEL", WHEEL.encode()
    if os.path.exists(os.path.join(folder, "entry_points.txt")):
        yield "entry_points.txt", read(folder, "entry_points.txt")


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def put(wheel, name, data, mode=0o644):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100000 | mode) << 16
    wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)


def main(version, folder, out, *extra):
    os.makedirs(out, exist_ok=True)
    name = re.search("^Name: (.*)", read(folder, "METADATA").decode())[1].replace("-", "_")
    information = f"{name}-{version}.dist-info"
    path = os.path.join(out, f"{name}-{version}-{TAG}.whl")
    contents = [(file, data, 0o644) for file, data in sources(folder)]
    for file, source in (item.split("=", 1) for item in extra):
        contents.append((file, read(source), 0o755 if os.access(source, os.X_OK) else 0o644))
    contents += [(f"{information}/{file}", data, 0o644) for file, data in description(version, folder)]
    with zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, data, mode in contents:
            put(wheel, file, data, mode)
        lines = [f"{file},sha256={digest(data)},{len(data)}\n" for file, data, _ in contents]
        put(wheel, f"{information}/RECORD", "".join(lines) + f"{information}/RECORD,,\n")
    os.replace(path + ".new", path)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
