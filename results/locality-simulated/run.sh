# Repeats results/locality-simulated; see scripts/results.sh.
set -eu
cargo run --release --package vicinity-sim --example figures -- results/locality-simulated
