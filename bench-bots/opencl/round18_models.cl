/* Models: beams of a translation, weights of three values, rows that are turned before they are rounded, clouds that are fitted to
 * points. */

#define BEAMS 5
#define SCORERS 128

/* A work-group has a beam's scores of all tokens: their logarithms of probabilities, and the best few of them. Each item keeps its
 * own best few in order; then the best of the items' first ones is taken a few times. */
__kernel __attribute__((reqd_work_group_size(SCORERS, 1, 1)))
void beam_tops(__global const float *logits, const int tokens, __global const float *totals, __global float *top_scores,
               __global int *top_tokens)
{
    __local float shared[SCORERS];
    __local int owners[SCORERS];

    const int lid = get_local_id(0), beam = get_group_id(0);
    __global const float *row = logits + (long)beam * tokens;
    float best[BEAMS];
    int best_tokens[BEAMS];
    for (int i = 0; i < BEAMS; i++) {
        best[i] = -INFINITY;
        best_tokens[i] = -1;
    }
    for (int token = lid; token < tokens; token += SCORERS) {
        float score = row[token];
        int its_token = token;
        if (score <= best[BEAMS - 1]) continue;
        for (int i = 0; i < BEAMS; i++) {
            if (score > best[i]) {
                const float worse = best[i];
                const int worse_token = best_tokens[i];
                best[i] = score;
                best_tokens[i] = its_token;
                score = worse;
                its_token = worse_token;
            }
        }
    }
    shared[lid] = best[0];
    for (int half_count = SCORERS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_count) shared[lid] = fmax(shared[lid], shared[lid + half_count]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float most = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int token = lid; token < tokens; token += SCORERS) sum += exp(row[token] - most);
    shared[lid] = sum;
    for (int half_count = SCORERS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_count) shared[lid] += shared[lid + half_count];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float base = totals[beam] - most - log(shared[0]);
    int next = 0;
    for (int k = 0; k < BEAMS; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[lid] = next < BEAMS ? best[next] : -INFINITY;
        owners[lid] = lid;
        for (int half_count = SCORERS / 2; half_count > 0; half_count /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lid < half_count && shared[lid + half_count] > shared[lid]) {
                shared[lid] = shared[lid + half_count];
                owners[lid] = owners[lid + half_count];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == owners[0]) {
            top_scores[beam * BEAMS + k] = base + best[next];
            top_tokens[beam * BEAMS + k] = best_tokens[next];
            next++;
        }
    }
}

/* The best of all beams' candidates of a sentence: longer ones are not to lose by their length alone. A beam that is at its end
 * goes on as it is. Gives (beam, token). */
__kernel void beam_step(__global const float *totals, __global const int *lengths, __global const uchar *is_at_end,
                        __global const float *top_scores, __global const int *top_tokens, const int sentences,
                        const float power, __global float *scores, __global int2 *choices)
{
    const int id = get_global_id(0);
    if (id >= sentences) return;
    uint taken = 0;
    for (int k = 0; k < BEAMS; k++) {
        float best = -INFINITY;
        int choice = 0;
        for (int i = 0; i < BEAMS * BEAMS; i++) {
            const int beam = id * BEAMS + i / BEAMS;
            if (taken >> i & 1 || (is_at_end[beam] && i % BEAMS > 0)) continue;
            const float total = is_at_end[beam] ? totals[beam] : top_scores[id * BEAMS * BEAMS + i];
            const float longer = (5.0f + lengths[beam] + (is_at_end[beam] ? 0 : 1)) / 6.0f, score = total / pow(longer, power);
            if (score > best) {
                best = score;
                choice = i;
            }
        }
        taken |= 1u << choice;
        scores[id * BEAMS + k] = best;
        const int token = is_at_end[id * BEAMS + choice / BEAMS] ? -1 : top_tokens[id * BEAMS * BEAMS + choice];
        choices[id * BEAMS + k] = (int2)(choice / BEAMS, token);
    }
}

#define TILE_BYTES 32
#define DIGITS 5

/* Weights of -1, 0 and 1, five in a byte, which is a fraction of 256 whose first digits to the base 3 they are; a byte of all
 * rows is side by side. Four tokens at once. */
__kernel void ternary_product(__global const uchar *weights, __global const float *scales, const int rows, const int bytes,
                              __global const char4 *tokens, const float4 token_scales, __global float4 *out)
{
    __local char4 tile[TILE_BYTES * DIGITS];

    const int lid = get_local_id(0), row = get_global_id(0);
    int4 sums = (int4)(0);
    for (int first = 0; first < bytes; first += TILE_BYTES) {
        const int count = min(TILE_BYTES, bytes - first);
        for (int i = lid; i < count * DIGITS; i += get_local_size(0)) tile[i] = tokens[first * DIGITS + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; row < rows && i < count; i++) {
            uint fraction = weights[(first + i) * rows + row];
            for (int k = 0; k < DIGITS; k++) {
                fraction *= 3;
                sums += ((int)(fraction >> 8) - 1) * convert_int4(tile[i * DIGITS + k]);
                fraction &= 0xff;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < rows) out[row] = convert_float4(sums) * token_scales * scales[row];
}

#define HIDDEN 512
#define TURNERS 128

/* Turns a row by a Hadamard matrix, whose columns have signs, so that no number sticks out; then 4 bits are enough for a number,
 * and two are in a byte. */
__kernel __attribute__((reqd_work_group_size(TURNERS, 1, 1)))
void hadamard_rows(__global const float *rows, __global const uint *signs, __global uchar *packed, __global float *scales)
{
    __local float row[HIDDEN];
    __local float most[TURNERS];

    const int lid = get_local_id(0), id = get_group_id(0);
    for (int i = lid; i < HIDDEN; i += TURNERS) {
        const float number = rows[id * HIDDEN + i];
        row[i] = signs[i / 32] >> (i % 32) & 1 ? -number : number;
    }
    for (int apart = 1; apart < HIDDEN; apart *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int pair = lid; pair < HIDDEN / 2; pair += TURNERS) {
            const int at = 2 * pair - (pair & (apart - 1));
            const float a = row[at], b = row[at + apart];
            row[at] = a + b;
            row[at + apart] = a - b;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float own = 0.0f;
    for (int i = lid; i < HIDDEN; i += TURNERS) own = fmax(own, fabs(row[i]));
    most[lid] = own;
    for (int half_count = TURNERS / 2; half_count > 0; half_count >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_count) most[lid] = fmax(most[lid], most[lid + half_count]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float step = most[0] / 7.0f;
    if (lid == 0) scales[id] = step * rsqrt((float)HIDDEN);
    for (int i = lid; i < HIDDEN / 2; i += TURNERS) {
        const int low = convert_int_rte(row[2 * i] / step), high = convert_int_rte(row[2 * i + 1] / step);
        packed[id * (HIDDEN / 2) + i] = (uchar)((low & 15) | (high & 15) << 4);
    }
}

#define CLOUDS 6
#define FITTERS 64

typedef struct {
    float4 centre, precision; /* the latter is one over the variance */
    float log_share; /* with the factor of the density */
} cloud_t;

/* To which share each point belongs to each cloud, and how likely the points are. */
__kernel void point_shares(__global const float4 *points, const int count, __global const cloud_t *clouds,
                           __global float *shares, __global float *likely)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    float logs[CLOUDS], most = -INFINITY, sum = 0.0f;
    const float4 point = points[id];
    for (int i = 0; i < CLOUDS; i++) {
        const float4 off = point - clouds[i].centre;
        logs[i] = clouds[i].log_share - 0.5f * dot(off * off, clouds[i].precision);
        most = fmax(most, logs[i]);
    }
    for (int i = 0; i < CLOUDS; i++) sum += exp(logs[i] - most);
    const float all = most + log(sum);
    for (int i = 0; i < CLOUDS; i++) shares[i * count + id] = exp(logs[i] - all);
    likely[id] = all;
}

/* Sums of a part of the points for a cloud, which is the second dimension: weights, places, squares. */
__kernel __attribute__((reqd_work_group_size(FITTERS, 1, 1)))
void cloud_sums(__global const float4 *points, const int count, __global const float *shares, __global float4 *sums)
{
    __local float4 places[FITTERS], squares[FITTERS];
    __local float weights[FITTERS];

    const int lid = get_local_id(0), cloud = get_global_id(1);
    float4 place = (float4)(0.0f), squared = (float4)(0.0f);
    float weight = 0.0f;
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        const float share = shares[cloud * count + i];
        if (share < 1e-6f) continue;
        const float4 part = share * points[i];
        weight += share;
        place += part;
        squared += part * points[i];
    }
    places[lid] = place;
    squares[lid] = squared;
    weights[lid] = weight;
    for (int half_count = FITTERS / 2; half_count > 0; half_count >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_count) {
            places[lid] += places[lid + half_count];
            squares[lid] += squares[lid + half_count];
            weights[lid] += weights[lid + half_count];
        }
    }
    if (lid < 3) {
        const float4 sum = lid == 0 ? (float4)(weights[0]) : lid == 1 ? places[0] : squares[0];
        sums[(cloud * get_num_groups(0) + get_group_id(0)) * 3 + lid] = sum;
    }
}

/* The clouds that fit better. */
__kernel void fit_clouds(__global const float4 *sums, const int parts, const int count, __global cloud_t *clouds)
{
    const int id = get_global_id(0);
    float4 all[3];
    for (int k = 0; k < 3; k++) {
        all[k] = (float4)(0.0f);
        for (int i = 0; i < parts; i++) all[k] += sums[(id * parts + i) * 3 + k];
    }
    const float weight = all[0].x;
    cloud_t cloud;
    cloud.centre = all[1] / weight;
    const float4 variance = max(all[2] / weight - cloud.centre * cloud.centre, 1e-3f);
    cloud.precision = 1.0f / variance;
    cloud.log_share = log(weight / count) - 0.5f * log(variance.x * variance.y * variance.z * variance.w);
    clouds[id] = cloud;
}
