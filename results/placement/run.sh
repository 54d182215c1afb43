# Repeats results/placement; see scripts/results.sh.
set -eu
cargo test --release --package vicinity-alloc --test costs --no-run
$MEASURE cargo test --release --package vicinity-alloc --test costs -- --ignored --nocapture --test-threads 1 \
    > results/placement/costs.txt
