"""What the programs are made of, as CycloneDX 1.5: sbom.py < metadata of cargo.

Components are the packages of Cargo.lock that the workspace is built from, without those that only tests or builds of it need. The
time and the serial number, which the format leaves to choice, are left out: the same source makes the same bytes.
"""

import json
import sys


def component(package):
    made = {
        "type": "library",
        "bom-ref": package["id"],
        "name": package["name"],
        "version": package["version"],
        "purl": f"pkg:cargo/{package['name']}@{package['version']}",
    }
    if package["license"]:
        made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return made


def needed(nodes, begin):
    """The packages that these need when they run, and those that they need."""
    found, rest = set(), list(begin)
    while rest:
        one = rest.pop()
        if one not in found:
            found.add(one)
            for dependency in nodes[one]["deps"]:
                kinds = [kind["kind"] for kind in dependency["dep_kinds"] if kind["target"] != "cfg(loom)"]
                rest += [dependency["pkg"]] if None in kinds else []
    return found


def main():
    metadata = json.load(sys.stdin)
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    own = [package for package in metadata["packages"] if package["id"] in set(metadata["workspace_members"])]
    found = needed(nodes, [package["id"] for package in own if "/tests/" not in package["manifest_path"]])
    packages = sorted((package for package in metadata["packages"] if package["id"] in found), key=lambda one: (one["name"], one["version"]))
    # Paths of this machine are nobody's business.
    text = json.dumps({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "vicinity", "version": own[0]["version"]}},
        "components": [component(package) for package in packages],
        "dependencies": [
            {"ref": one["id"], "dependsOn": sorted(set(nodes[one["id"]]["dependencies"]) & found)} for one in packages
        ],
    }, indent=1)
    print(text.replace("path+file://" + metadata["workspace_root"], "vicinity:"))


if __name__ == "__main__":
    main()
