# Repeats results/trace-overhead; see scripts/results.sh.
set -eu
$MEASURE sh results/trace-overhead/repeat.sh > results/trace-overhead/data.txt
