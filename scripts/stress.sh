#!/bin/sh
# Random kernels, random tasks and the whole programs of the tests, round after round: stress.sh [MINUTES [SEED]].
# Needs `make`'s output. The seed (default: the clock's) fixes what is made, not how threads meet. The first failure ends it,
# with the command that repeats the step.
set -eu

minutes=${1:-10}
seed=${2:-$(date +%s)}
for number in "$minutes" "$seed"; do
    case $number in
    '' | *[!0-9]*) echo "stress: '$number' is not a number; usage: stress.sh [MINUTES [SEED]]" >&2; exit 2 ;;
    esac
done
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# step VARIABLES -- COMMAND: says what it runs, keeps what it prints to itself unless it fails.
step() {
    echo "stress: $*"
    if ! env "$@" >"$log" 2>&1; then
        cat "$log"
        echo "stress: failed; to repeat it: $*" >&2
        exit 1
    fi
}

kernels=8
end=$(($(date +%s) + minutes * 60))
round=0
while :; do
    first=$((seed + round * kernels))
    step VICINITY_SEEDS=$first..$((first + kernels)) cargo test --package vicinity-translator --test kernels random
    step VICINITY_SEED=$first VICINITY_STRESS_SECONDS=20 cargo test --release --package vicinity-runtime --test stress
    step VICINITY_SEED=$first cargo test --package vicinity-tests --test abi --test opencl --test opencl_driver
    round=$((round + 1))
    [ "$(date +%s)" -lt "$end" ] || break
done
echo "stress: $round rounds from seed $seed, nothing failed"
