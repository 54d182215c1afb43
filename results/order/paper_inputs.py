#!/usr/bin/env python3
"""Writes small inputs for the programs of Parboil and Rodinia that paper.py measures: paper_inputs.py FOLDER.

Their own data sets are larger than what valgrind simulates in a minute. Random numbers begin with the same seed.
"""
import math
import random
import struct
import sys
from pathlib import Path

DRAW = random.Random(15)


def floats(count, low=-1.0, high=1.0):
    return struct.pack(f"<{count}f", *(DRAW.uniform(low, high) for _ in range(count)))


def graph(nodes=20000, most=12):
    """Both suites' bfs: where each node's edges begin and how many it has, the first node, the edges."""
    degrees = [DRAW.randint(1, most) for _ in range(nodes)]
    lines, begin = [str(nodes)], 0
    for degree in degrees:
        lines.append(f"{begin} {degree}")
        begin += degree
    lines += ["", "0", "", str(begin)]
    lines += [f"{DRAW.randrange(nodes)} {DRAW.randint(1, 10)}" for _ in range(begin)]
    return "\n".join(lines) + "\n"


def atoms(count=400, side=16.0):
    """cutcp: a cube of atoms."""
    row = "ATOM  {} O UNK 1 {:.3f} {:.3f} {:.3f} {:.3f}"
    place = lambda: DRAW.uniform(0, side)
    return "\n".join(row.format(i + 1, place(), place(), place(), DRAW.uniform(-1, 1)) for i in range(count)) + "\n"


def histogram(width=1024, height=256, columns=1024, rows=256):
    """histo: numbers of bins, most of them near the middle. It looks at an eighth of them first, at least one for each of
    32,768 items."""
    draw, most = random.Random(16), columns * rows - 1
    bins = [min(max(int(draw.gauss(most / 2, most / 30)), 0), most) for _ in range(width * height)]
    return struct.pack(f"<4I{len(bins)}I", width, height, columns, rows, *bins)


def gridding(samples=4000, side=32):
    """mri-gridding: parameters, and samples (value, place, density)."""
    triple = f"{side} {side} {side}"
    text = [f"aquisition.numsamples={samples}", "aquisition.kmax=4.0 4.0 4.0", f"aquisition.matrixSize={triple}"]
    text += [f"reconstruction.matrixSize={triple}", f"gridding.matrixSize={triple}", "gridding.oversampling=1.25"]
    text += ["kernel.width=4.0", "kernel.useLUT=0"]
    data = b"".join(floats(2) + floats(3, -3.0, 3.0) + floats(1, 0.1, 1.0) for _ in range(samples))
    return "\n".join(text) + "\n", data


def trajectory(samples=1024, voxels=4096):
    """mri-q: places of samples and voxels, and what was measured."""
    return struct.pack("<2i", samples, voxels) + floats(3 * samples) + floats(3 * voxels) + floats(2 * samples)


def frame(width=80, height=64):
    """sad: a picture of noise."""
    return struct.pack("<2H", width, height) + b"".join(struct.pack("<H", DRAW.randrange(256)) for _ in range(width * height))


def matrix(rows=256, columns=256):
    """sgemm: the sizes, then numbers, column after column."""
    return f"{rows} {columns}\n" + " ".join(f"{DRAW.uniform(-1, 1):.4f}" for _ in range(rows * columns)) + "\n"


def sparse(rows=6000, most=24):
    """spmv: one triangle of a symmetric matrix with its diagonal."""
    found = []
    for row in range(1, rows + 1):
        columns = {row} | {DRAW.randint(max(1, row - 600), row) for _ in range(DRAW.randint(0, most))}
        found += [f"{row} {column} {DRAW.uniform(-1, 1):.5f}" for column in sorted(columns)]
    return f"%%MatrixMarket matrix coordinate real symmetric\n{rows} {rows} {len(found)}\n" + "\n".join(found) + "\n", floats(rows)


def sky(points=512):
    """tpacf: right ascensions and declinations."""
    return "".join(f"{DRAW.uniform(0, 60):.5f} {DRAW.uniform(-30, 30):.5f}\n" for _ in range(points))


def points(count=8192, features=34):
    """Rodinia's kmeans: a number and the features of each point."""
    return "".join(f"{i} " + " ".join(f"{DRAW.uniform(0, 100):.2f}" for _ in range(features)) + "\n" for i in range(count))


def film(width, height, draw, frames=3):
    """heartwall and leukocyte: an uncompressed film of grey pictures, draw(x, y, frame)."""
    chunk = lambda name, body: name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)
    grouped = lambda name, body: chunk(b"LIST", name + body)
    pictures = [bytes(draw(x, y, at) for y in range(height) for x in range(width)) for at in range(frames)]
    avih = struct.pack("<14I", 40000, 0, 0, 0x10, frames, 0, 1, 0, width, height, 0, 0, 0, 0)
    strh = b"vids" + b"Y8  " + struct.pack("<10I", 0, 0, 0, 1, 25, 0, frames, 0, 0, 0) + struct.pack("<4H", 0, 0, width, height)
    strf = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0, width * height, 0, 0, 0, 0)
    streams = chunk(b"avih", avih) + grouped(b"strl", chunk(b"strh", strh) + chunk(b"strf", strf))
    body, index, place = b"", b"", 4
    for picture in pictures:
        index += b"00db" + struct.pack("<3I", 0x10, place, len(picture))
        body += chunk(b"00db", picture)
        place += 8 + len(picture)
    return chunk(b"RIFF", b"AVI " + grouped(b"hdrl", streams) + grouped(b"movi", body) + chunk(b"idx1", index))


def wall(width=200, height=200):
    """heartwall: what to follow, on two rings."""
    ring = lambda radius, count: [(int(100 + radius * math.cos(6.283 * i / count)), int(100 + radius * math.sin(6.283 * i / count)))
                                  for i in range(count)]
    inner, outer = ring(30, 20), ring(45, 31)
    text = ["12 20 5 0.87", f"{len(inner)} {len(outer)}"]
    for some in (inner, outer):
        text += [" ".join(str(point[side]) for point in some) for side in (0, 1)]
    noise = random.Random(7)
    shade = [noise.randrange(256) for _ in range(width * height)]
    return "\n".join(text) + "\n", film(width, height, lambda x, y, at: shade[y * width + (x + at) % width])


def cells(width=320, height=400):
    """leukocyte: dark discs on a bright ground, within the rows that the program looks at."""
    centres = [(60 + 80 * i, 140 + 75 * k) for i in range(3) for k in range(3)]

    def shade(x, y, at):
        near = min((x - cx - at) ** 2 + (height - 1 - y - cy) ** 2 for cx, cy in centres)
        return 60 if near < 100 else 180 if near < 196 else 120

    return film(width, height, shade)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    files = {"graph.txt": graph(), "atoms.pqr": atoms(), "histogram.bin": histogram(), "trajectory.bin": trajectory()}
    files |= {"frame.bin": frame(), "reference.bin": frame(), "points.txt": points(), "cells.avi": cells()}
    files |= {f"{name}.txt": matrix() for name in ("a", "b", "bt")} | {f"sky{i}.txt": sky() for i in range(4)}
    files["gridding.uks"], files["gridding.uks.data"] = gridding()
    files["matrix.mtx"], files["vector.bin"] = sparse()
    files["wall.txt"], files["wall.avi"] = wall()
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    main()
