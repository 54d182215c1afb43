"""The code that the translator makes of a source, for scripts that compare the orders of loops."""
import json, os, re, subprocess


def translated(translator, source, order, folder):
    """{kernel: its instructions, without operands}, {kernel: its loops}"""
    environment = {**os.environ, "VICINITY_ORDER": order, "VICINITY_EFFORT": "full"}
    command = [translator, "build", "--output-dir", folder, source, "--"]
    subprocess.run(command, env=environment, check=True)
    with open(f"{folder}/program.json") as text:
        kernels = json.load(text)["kernels"]
    listing = ["objdump", "-d", "--no-show-raw-insn", f"{folder}/program.so"]
    functions = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split("\n\n")
    code = {}
    for function in functions:
        name = re.match(r"\s*[0-9a-f]+ <(\w+)>:", function)
        if name:
            code[name[1]] = re.findall(r"^\s*[0-9a-f]+:\t(\w+)", function, re.M)
    return {one["name"]: code[one["symbol"]] for one in kernels}, {one["name"]: one["loops"] for one in kernels}
