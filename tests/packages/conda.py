"""The recipe for conda, built by rattler-build, and environments made of its packages: conda.py RECIPES SOURCE SCRATCH

Conda's own channels are not asked. A channel of this test's own has packages of the names that the recipe asks for: they are
empty, so what the build needs is found in the system, but cargo, which is a script that calls the one of whoever runs this.
"""

import asyncio
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import rattler
import rattler_build

EMPTY = ["gcc_linux-64", "make", "pkg-config", "python", "libhwloc"]
PLATFORM = "linux-64"
PROGRAM = """
#include <stdio.h>
#include <string.h>
int main(void)
{
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    count++;
    char line[4096], files[4096] = "";
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, " r-xp ") && (strstr(line, "gomp") || strstr(line, "libvicinity.so")))
            strcat(files, strrchr(line, '/') + 1);
    printf("%d threads, %s", count, files);
    return 0;
}
"""


def package(channel, name, version="1.0", build="0", files=None, **more):
    """A package with these files: path -> text, or the path to copy."""
    staged = channel.parent / "staged" / f"{name}-{build}"
    (staged / "share").mkdir(parents=True)
    (staged / "share" / name).write_text("")
    for path, content in (files or {}).items():
        target = staged / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copy(content, target)
        elif content.startswith("->"):
            target.symlink_to(content[2:])
        else:
            target.write_text(content)
            target.chmod(0o755)
    folder = channel / PLATFORM
    folder.mkdir(parents=True, exist_ok=True)
    rattler_build.assemble_package(name, version, PLATFORM, build, folder, files_dir=staged, **more)


def stand_ins(channel):
    for name in EMPTY:
        package(channel, name)
    settings = {"CARGO_HOME": os.path.expanduser("~/.cargo"), "RUSTUP_HOME": os.path.expanduser("~/.rustup")}
    settings.update((name, value) for name, value in os.environ.items() if name.startswith(("CARGO_", "RUSTUP_")))
    settings.pop("CARGO_TARGET_DIR", None)
    lines = [f"export {name}={shlex.quote(value)}" for name, value in settings.items()]
    tools = {f"bin/{tool}": "\n".join(["#!/bin/sh", *lines, f'exec {shutil.which(tool)} "$@"', ""]) for tool in ("cargo", "rustc")}
    package(channel, "rust_linux-64", files=tools)
    # conda-forge's default, with this system's library.
    library = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True).stdout
    package(channel, "libgomp", files={"lib/libgomp.so.1.0.0": Path(library.strip()).resolve()})
    package(channel, "_openmp_mutex", "4.5", "2_gnu", {"lib/libgomp.so.1": "->libgomp.so.1.0.0"}, depends=["libgomp"], build_number=2)


def program(channel):
    """A package of conda-forge that was built by gcc: it finds the environment's lib/libgomp.so.1."""
    built = channel.parent / "program"
    command = ["gcc", "-fopenmp", "-x", "c", "-", "-o", built, "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib"]
    subprocess.run(command, input=PROGRAM, text=True, check=True)
    package(channel, "program", files={"bin/program": built}, depends=["_openmp_mutex >=4.5"])


async def environment(channel, folder, *specs):
    """Solves and installs as conda does; the names and builds of what was chosen."""
    await rattler.index.index_fs(channel, force=True)
    gateway = rattler.Gateway(cache_dir=folder.parent / "cache")
    records = await rattler.solve([channel.as_uri()], [*specs], platforms=[PLATFORM, "noarch"], gateway=gateway,
                                  virtual_packages=rattler.VirtualPackage.detect())
    await rattler.install(records, folder, cache_dir=folder.parent / "packages", show_progress=False)
    return {record.name.normalized: str(record.build) for record in records}


def says(*command):
    made = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "OMP_", "VICINITY_"))}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=made).stdout


async def build(recipes, source, scratch, channel):
    """Builds the recipe, in a copy of the tree without what was built there."""
    await rattler.index.index_fs(channel)
    tree = scratch / "tree"
    listed = ["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\0")
    for file in filter(None, files):
        if (source / file).is_file():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / file, tree / file)
    recipe = rattler_build.Stage0Recipe.from_file(tree / recipes.relative_to(source) / "recipe.yaml")
    tools = rattler_build.ToolConfiguration(test_strategy="native")
    for variant in recipe.render():
        result = variant.run_build(tool_config=tools, output_dir=channel, channels=[channel.as_uri()])
        print("conda: built", ", ".join(path.name for path in result.packages))


async def try_environments(scratch, channel):
    default = scratch / "default"
    chosen = await environment(channel, default, "program")
    assert chosen["_openmp_mutex"] == "2_gnu" and "vicinity-openmp" not in chosen, chosen
    assert says(default / "bin/program") == "3 threads, libgomp.so.1.0.0\n"

    # One file, however it is reached, and under a name that threadpoolctl knows.
    ours = scratch / "ours"
    chosen = await environment(channel, ours, "program", "_openmp_mutex * *_vicinity")
    assert chosen["_openmp_mutex"] == "100_vicinity" and "libgomp" not in chosen, chosen
    assert says(ours / "bin/program") == "3 threads, libgomp-libvicinity.so.1\n"
    assert says(ours / "bin/vicinity", "run", ours / "bin/program") == "3 threads, libgomp-libvicinity.so.1\n"

    both = scratch / "both"
    chosen = await environment(channel, both, "program", "vicinity-openmp", "_openmp_mutex * *_gnu")
    assert says(both / "bin/program") == "3 threads, libgomp.so.1.0.0\n", chosen
    assert says(both / "bin/vicinity", "run", both / "bin/program") == "3 threads, libgomp-libvicinity.so.1\n"


async def main():
    recipes, source, scratch = (Path(path).resolve() for path in sys.argv[1:])
    channel = scratch / "channel"
    stand_ins(channel)
    program(channel)
    await build(recipes, source, scratch, channel)
    await try_environments(scratch, channel)
    print("conda: passed")


if __name__ == "__main__":
    asyncio.run(main())
