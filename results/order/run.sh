# Repeats results/order; see scripts/results.sh.
set -eu
cd results/order
python3 same.py "$(dirname "$VICINITY")/vicinity-translate"
export VICINITY_SPECIALIZE=always VICINITY_EFFORT=full
for suite in opencl fresh; do
    programs=$(python3 -c '
import json, sys
same, listed = json.load(open("same.json")), sys.stdin.read().split()
print(",".join(name for name in listed if len(same.get(name, {"same": [0, 0]})["same"]) < 2))' <<END
$(grep -o 'WORKLOAD([a-z0-9_]*, [a-z0-9_]*' ../../bench-bots/opencl/*.c | if [ $suite = fresh ]; then grep 'WORKLOAD(round'; else grep -v 'WORKLOAD(round'; fi | sed 's/.*, //')
END
)
    $MEASURE "$VICINITY" bench --suite $suite --threads 1 --repeat 7 --class small --clock cpu \
        --against vicinity-opencl,vicinity-dfo,vicinity-bfo --programs "$programs" --json $suite.json > /dev/null
done
cc -O2 -o rules rules.c -lOpenCL
OCL_ICD_VENDORS=$(dirname "$VICINITY")/../lib/libvicinity_cl.so $MEASURE python3 rules.py ./rules > rules.txt
rm rules
python3 page.py
