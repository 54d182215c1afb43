# Repeats results/regions-simulated; see scripts/results.sh.
set -eu
folder=results/regions-simulated
for machine in opteron6172 xeon-snc4 epyc-nps4 arm-4node; do
    "$VICINITY" simulate --machine $machine --constructs
    echo
done > $folder/growth.txt
for gap in 0 50 1000 5000; do
    "$VICINITY" simulate --machine epyc-nps4 --threads 128 --constructs --wait learned,active,passive --gap $gap
    echo
done > $folder/waiting.txt
