/* Models: sums from which a tree learns where to split, a small network that is a field in space, rules of trade with many settings. */

#define BINS 64
#define ROWS_GROUP 128
#define FEATURES 4 /* that lie together */

/* Each item takes rows of a leaf and adds their gradients to the bins of four features; the first dimension has the fours. Gradients
 * are whole numbers: the first and the second one of each row. A work-group adds up in local memory before it tells all. */
__kernel void gradient_bins(__global const uchar4 *features, const int all_rows, __global const int *leaf, const int leaf_rows,
                            __global const short2 *gradients, volatile __global int2 *bins)
{
    __local int first[FEATURES][BINS];
    __local int second[FEATURES][BINS];

    const int four = get_global_id(0), lid = get_local_id(1);
    for (int i = lid; i < FEATURES * BINS; i += ROWS_GROUP) {
        first[i / BINS][i % BINS] = 0;
        second[i / BINS][i % BINS] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = get_global_id(1); i < leaf_rows; i += get_global_size(1)) {
        const int row = leaf[i];
        const short2 gradient = gradients[row];
        const uchar4 bin = features[four * all_rows + row];
        atomic_add(&first[0][bin.x], gradient.x);
        atomic_add(&second[0][bin.x], gradient.y);
        atomic_add(&first[1][bin.y], gradient.x);
        atomic_add(&second[1][bin.y], gradient.y);
        atomic_add(&first[2][bin.z], gradient.x);
        atomic_add(&second[2][bin.z], gradient.y);
        atomic_add(&first[3][bin.w], gradient.x);
        atomic_add(&second[3][bin.w], gradient.y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    volatile __global int *to = (volatile __global int *)(bins + four * FEATURES * BINS);
    for (int i = lid; i < FEATURES * BINS; i += ROWS_GROUP) {
        const int sum = first[i / BINS][i % BINS], weight = second[i / BINS][i % BINS];
        if (weight == 0) continue;
        atomic_add(&to[2 * i], sum);
        atomic_add(&to[2 * i + 1], weight);
    }
}

__kernel void empty_bins(__global int2 *bins)
{
    bins[get_global_id(0)] = (int2)(0);
}

typedef struct {
    int bin; /* the last one that goes to the left; -1: no split is any good */
    float gain;
    int2 left;
} split_t;

/* Each item looks for the best split by a feature. */
__kernel void best_splits(__global const int2 *bins, const float lambda, const int least_weight, __global split_t *splits)
{
    const int feature = get_global_id(0);
    __global const int2 *own = bins + feature * BINS;
    int2 all = (int2)(0), left = (int2)(0);
    for (int i = 0; i < BINS; i++) all += own[i];
    const float before = (float)all.x * (float)all.x / ((float)all.y + lambda);
    split_t best = {-1, 0.0f, (int2)(0)};
    for (int i = 0; i < BINS - 1; i++) {
        left += own[i];
        const int2 right = all - left;
        if (left.y < least_weight) continue;
        if (right.y < least_weight) break;
        const float2 sums = convert_float2((int2)(left.x, right.x)), weights = convert_float2((int2)(left.y, right.y)) + lambda;
        const float2 gains = sums * sums / weights;
        const float gain = gains.x + gains.y - before;
        if (gain > best.gain) {
            best.bin = i;
            best.gain = gain;
            best.left = left;
        }
    }
    splits[feature] = best;
}

#define FIELD_GROUP 64
#define POINTS 2 /* of an item */
#define OCTAVES 4
#define INPUTS (3 + OCTAVES * 6)
#define HIDDEN 32
#define FOURS (HIDDEN / 4)
#define WEIGHTS (INPUTS * FOURS + FOURS + HIDDEN * FOURS + FOURS + HIDDEN + 1) /* in fours */

/* A layer for all points of an item: `weights` has the bias first, then a row for each input. */
void apply_layer(__local const float4 *weights, const int inputs, float values[POINTS][HIDDEN], float4 results[POINTS][FOURS])
{
    for (int p = 0; p < POINTS; p++) {
        for (int k = 0; k < FOURS; k++) results[p][k] = weights[k];
    }
    for (int i = 0; i < inputs; i++) {
        __local const float4 *row = weights + (i + 1) * FOURS;
        for (int k = 0; k < FOURS; k++) {
            const float4 weight = row[k];
            for (int p = 0; p < POINTS; p++) results[p][k] += values[p][i] * weight;
        }
    }
}

/* Nothing below 0 goes on. */
void rectified(float4 results[POINTS][FOURS], float values[POINTS][HIDDEN])
{
    for (int p = 0; p < POINTS; p++) {
        for (int k = 0; k < FOURS; k++) vstore4(fmax(results[p][k], 0.0f), k, values[p]);
    }
}

/* Each item asks a network what two points of space look like: a colour and how dense it is there. A point is told by its place and
 * by waves of it, each twice as short as the one before. Both layers' weights are for the whole work-group. */
__kernel __attribute__((reqd_work_group_size(FIELD_GROUP, 1, 1)))
void field_mlp(__global const float *points, const int count, __global const float4 *weights, __global uchar4 *colours,
               __global float *densities)
{
    __local float4 own_weights[WEIGHTS];

    const int lid = get_local_id(0), start = get_group_id(0) * FIELD_GROUP * POINTS + lid;
    for (int i = lid; i < WEIGHTS; i += FIELD_GROUP) own_weights[i] = weights[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (start >= count) return;

    float values[POINTS][HIDDEN];
    float4 results[POINTS][FOURS];
    for (int p = 0; p < POINTS; p++) {
        const float3 place = vload3(min(start + p * FIELD_GROUP, count - 1), points);
        vstore3(place, 0, values[p]);
        float often = M_PI_F;
        for (int k = 0; k < OCTAVES; k++) {
            float3 cosines;
            const float3 sines = sincos(often * place, &cosines);
            vstore3(sines, 1 + 2 * k, values[p]);
            vstore3(cosines, 2 + 2 * k, values[p]);
            often *= 2.0f;
        }
    }
    __local const float4 *layer = own_weights;
    apply_layer(layer, INPUTS, values, results);
    rectified(results, values);
    layer += (INPUTS + 1) * FOURS;
    apply_layer(layer, HIDDEN, values, results);
    rectified(results, values);
    layer += (HIDDEN + 1) * FOURS;

    for (int p = 0; p < POINTS; p++) {
        const int id = start + p * FIELD_GROUP;
        if (id >= count) break;
        float4 sum = layer[0];
        for (int i = 0; i < HIDDEN; i++) sum += values[p][i] * layer[i + 1];
        const float3 light = 1.0f / (1.0f + exp(-sum.xyz));
        colours[id] = (uchar4)(convert_uchar3_sat_rte(255.0f * light), 255);
        densities[id] = sum.w > 15.0f ? sum.w : log1p(exp(sum.w));
    }
}

#define FAST_STEP 2
#define SLOW_STEP 5

typedef struct {
    float wealth, deepest; /* the deepest fall from the highest wealth so far, as a share */
    int trades, days;      /* days with shares */
} outcome_t;

/* Each item trades with one asset by one rule: it buys when the mean price of the last few days gets above that of more days, and sells
 * when it gets below, or when the price has fallen too far since its best. Prices are whole cents; `sums` has all before each day. */
__kernel __attribute__((reqd_work_group_size(16, 4, 1)))
void backtest_grid(__global const int *prices, __global const long *sums, const int days, const float fee, const int stop_percent,
                   __global outcome_t *outcomes)
{
    const int fast = (get_global_id(0) + 1) * FAST_STEP, slow = (get_global_id(1) + 1) * SLOW_STEP;
    const int asset = get_global_id(2);
    outcome_t outcome = {1.0f, 0.0f, 0, 0};
    __global outcome_t *to = outcomes + (asset * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    if (fast >= slow) {
        *to = outcome;
        return;
    }
    prices += asset * days;
    sums += asset * (days + 1);
    bool has_shares = false, was_above = true;
    int best_price = 0;
    float shares = 0.0f, highest = 1.0f;
    for (int day = slow - 1; day < days; day++) {
        const int price = prices[day];
        const long fast_sum = sums[day + 1] - sums[day + 1 - fast], slow_sum = sums[day + 1] - sums[day + 1 - slow];
        const bool is_above = fast_sum * slow > slow_sum * fast;
        if (has_shares) {
            best_price = max(best_price, price);
            outcome.days++;
            if (!is_above || price * 100 < best_price * (100 - stop_percent)) {
                outcome.wealth = shares * price * (1.0f - fee);
                outcome.trades++;
                has_shares = false;
            }
        } else if (is_above && !was_above) {
            shares = outcome.wealth * (1.0f - fee) / price;
            best_price = price;
            has_shares = true;
        }
        was_above = is_above;
        const float now = has_shares ? shares * price : outcome.wealth;
        highest = fmax(highest, now);
        outcome.deepest = fmax(outcome.deepest, 1.0f - now / highest);
    }
    if (has_shares) outcome.wealth = shares * prices[days - 1] * (1.0f - fee);
    *to = outcome;
}

/* Each item adds up the prices of an asset before each day. */
__kernel void running_sums(__global const int *prices, const int days, __global long *sums)
{
    const int asset = get_global_id(0);
    long sum = 0;
    for (int day = 0; day < days; day++) {
        sums[asset * (days + 1) + day] = sum;
        sum += prices[asset * days + day];
    }
    sums[asset * (days + 1) + days] = sum;
}
