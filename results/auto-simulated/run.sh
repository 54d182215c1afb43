# Repeats results/auto-simulated; see scripts/results.sh.
set -eu
cargo run --release --package vicinity-sim --example auto > results/auto-simulated/table.md
