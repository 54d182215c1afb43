# Repeats results/task-overhead; see scripts/results.sh.
set -eu
cd results/task-overhead
$MEASURE "$VICINITY" bench --suite all --threads 1,2 --repeat 5 --json data.json --picture picture.svg > table.txt
$MEASURE "$VICINITY" bench --oversubscribe --repeat 5 --json oversubscribed.json > oversubscribed.txt
$MEASURE "$VICINITY" bench --suite loops --threads 2,4 --repeat 3 --json loops.json > loops.txt
