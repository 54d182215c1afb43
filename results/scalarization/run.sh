# Repeats results/scalarization; see scripts/results.sh. What is counted does not depend on what else the machine does.
set -eu
cd results/scalarization
python3 observe.py
python3 observe.py --lanes 16 --out observed-16.json
python3 page.py
