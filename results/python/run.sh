#!/bin/sh
# Repeats the measurement of wheels: two environments of Python under target/python (6 GB, most of it torch's), the tests of each wheel
# on stock and on Vicinity, and the table. PYTHON is the interpreter, python3.11 for the versions in requirements.txt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vicinity=${VICINITY:-target/dist/bin/vicinity}
environments=target/python
for kind in main torch; do
    [ -x "$environments/$kind/bin/python" ] || "${PYTHON:-python3.11}" -m venv "$environments/$kind"
    list=$here/requirements.txt
    [ $kind = main ] || list=$here/requirements-torch.txt
    "$environments/$kind/bin/python" -m pip install --quiet --disable-pip-version-check -r "$list"
done
# shellcheck disable=SC2086 # words
${MEASURE:-} python3 "$here/wheels.py" "$vicinity" "$environments" "$here/data.json"
python3 "$here/table.py" "$here/data.json" > "$here/table.md"
