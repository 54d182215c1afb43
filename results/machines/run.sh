# Repeats results/machines for the machine that it runs on, in a file of the processor's and their number's name; see
# scripts/results.sh.
set -eu
name=$(sed -n 's/^model name.*: *//p' /proc/cpuinfo | head -n 1 | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9-]//g; s/^amd-//; s/^intel-//')
$MEASURE "$VICINITY" survey "results/machines/${name:-machine}-$(nproc).json"
