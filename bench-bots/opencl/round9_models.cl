/* Models: a step of training with clipped gradients, attention along the edges of a graph, how well volatilities fit returns. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define ITEMS 256

/* The sum of all items' values, in each of them. */
inline float group_total(__local float *work, const float value)
{
    const int lid = get_local_id(0);
    work[lid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step) work[lid] += work[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return work[0];
}

/* Squares of gradients, a sum a group. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void norm_parts(__global const float *gradients, const uint count, __global float *parts)
{
    __local float work[ITEMS];

    const uint fours = count / 4;
    float4 sum = (float4)(0.0f);
    for (uint i = get_global_id(0); i < fours; i += get_global_size(0)) {
        const float4 g = vload4(i, gradients);
        sum += g * g;
    }
    float mine = sum.x + sum.y + sum.z + sum.w;
    const uint tail = fours * 4 + get_global_id(0);
    if (tail < count) mine += gradients[tail] * gradients[tail];

    const float total = group_total(work, mine);
    if (get_local_id(0) == 0) parts[get_group_id(0)] = total;
}

/* By what to multiply the gradients, so that they are not longer than `limit`. One group. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void clip_scale(__global const float *parts, const int count, const float limit, __global float *scale)
{
    __local float work[ITEMS];

    float sum = 0.0f;
    for (int i = get_local_id(0); i < count; i += ITEMS) sum += parts[i];
    const float norm = sqrt(group_total(work, sum));
    if (get_local_id(0) == 0) scale[0] = norm > limit ? limit / norm : 1.0f;
}

/* Adam with decoupled weight decay. */
__kernel void adam_step(__global float *weights, __global const float *gradients, __global float *firsts,
                        __global float *seconds, const uint count, __global const float *scale, const float rate,
                        const float beta1, const float beta2, const float correct1, const float correct2, const float decay)
{
    const float clip = scale[0];
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        const float g = gradients[i] * clip;
        const float first = beta1 * firsts[i] + (1.0f - beta1) * g;
        const float second = beta2 * seconds[i] + (1.0f - beta2) * g * g;
        firsts[i] = first;
        seconds[i] = second;
        const float move = first * correct1 / (sqrt(second * correct2) + 1e-8f);
        weights[i] -= rate * (move + decay * weights[i]);
    }
}

#define LANES 64 /* features of a node, items of a group */
#define HEADS 4

inline float4 leaky(const float4 x) { return fmax(x, 0.2f * x); }

/* A layer of graph attention, a group a node: softmax over its edges for each head, then the sum of the neighbours' features. */
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void graph_attention(__global const int *starts, __global const int *neighbours, __global const float4 *from_scores,
                     __global const float4 *to_scores, __global const float *features, __global float *out)
{
    __local float4 work[LANES];
    __local int who[LANES];

    const int node = get_group_id(0), lid = get_local_id(0);
    const int first = starts[node], last = starts[node + 1];
    if (first == last) {
        out[node * LANES + lid] = 0.0f;
        return;
    }

    const float4 mine = to_scores[node];
    float4 high = (float4)(-INFINITY);
    for (int e = first + lid; e < last; e += LANES) high = fmax(high, leaky(from_scores[neighbours[e]] + mine));
    work[lid] = high;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = LANES / 2; step > 0; step /= 2) {
        if (lid < step) work[lid] = fmax(work[lid], work[lid + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    high = work[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float4 total = (float4)(0.0f);
    for (int e = first + lid; e < last; e += LANES) total += exp(leaky(from_scores[neighbours[e]] + mine) - high);
    work[lid] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = LANES / 2; step > 0; step /= 2) {
        if (lid < step) work[lid] += work[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    total = work[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    const int head = lid / (LANES / HEADS);
    float sum = 0.0f;
    for (int chunk = first; chunk < last; chunk += LANES) {
        if (chunk + lid < last) {
            who[lid] = neighbours[chunk + lid];
            work[lid] = exp(leaky(from_scores[who[lid]] + mine) - high) / total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int count = min(LANES, last - chunk);
        __local const float *weights = (__local const float *)work;
        for (int i = 0; i < count; i++) sum += weights[i * HEADS + head] * features[who[i] * LANES + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[node * LANES + lid] = sum > 0.0f ? sum : expm1(sum);
}

/* How likely returns are with a volatility that remembers: GARCH(1, 1), whose long-run variance is the sample's. An item has one
 * pair of parameters and one asset. */
__kernel void garch_grid(__global const double *returns, const int days, __global const double *variances, const int alphas,
                         const double alpha_step, const double beta_start, const double beta_step,
                         __global double *likelihoods)
{
    const int pair = get_global_id(0), asset = get_global_id(1);
    const double alpha = (pair % alphas + 1) * alpha_step;
    const double beta = beta_start + pair / alphas * beta_step;
    __global double *out = likelihoods + asset * get_global_size(0) + pair;
    if (alpha + beta >= 0.999) {
        *out = -INFINITY;
        return;
    }

    const double usual = variances[asset];
    const double omega = usual * (1.0 - alpha - beta);
    double variance = usual, sum = 0.0;
    for (int day = 0; day < days; day++) {
        const double r = returns[asset * days + day];
        const double square = r * r;
        sum += log(variance) + square / variance;
        variance = omega + alpha * square + beta * variance;
    }
    *out = -0.5 * (sum + days * log(2.0 * M_PI));
}

#define SEARCHERS 128

/* The best pair of each asset, a group an asset; of equal ones the first. */
__kernel __attribute__((reqd_work_group_size(SEARCHERS, 1, 1)))
void garch_best(__global const double *likelihoods, const int pairs, __global int *best)
{
    __local double values[SEARCHERS];
    __local int places[SEARCHERS];

    const int lid = get_local_id(0), asset = get_group_id(0);
    double value = -INFINITY;
    int place = pairs;
    for (int i = lid; i < pairs; i += SEARCHERS) {
        const double other = likelihoods[asset * pairs + i];
        if (other > value) {
            value = other;
            place = i;
        }
    }
    values[lid] = value;
    places[lid] = place;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = SEARCHERS / 2; step > 0; step /= 2) {
        if (lid < step) {
            const double other = values[lid + step];
            const int there = places[lid + step];
            if (other > values[lid] || (other == values[lid] && there < places[lid])) {
                values[lid] = other;
                places[lid] = there;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) best[asset] = places[0];
}
