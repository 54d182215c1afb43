# Repeats results/opencl-on-cpus; see scripts/results.sh. INTEL=FILE names Intel's OpenCL runtime, where that is not registered;
# PoCL is the one that is. ONLY_THESE='items groups' repeats these of calls, builds, items, chains, groups, columns,
# loops, memory, affinity.
set -eu
export INTEL="${INTEL:+$(realpath "$INTEL")}"
cd results/opencl-on-cpus
python3 measure.py ${ONLY_THESE:-}
python3 page.py
