/* Models: trees that vote, a word's attention to all before it, what a price says of the future. */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define LEAF (-1)
#define IS_SET 0x4000      /* of a feature: it is a category, and the tree asks whether it is in a set */
#define MISSING_LEFT 0x2000
#define FEATURE_MASK 0x1fff

typedef struct {
    float value;  /* a threshold, or what a leaf adds */
    short feature;
    ushort left;  /* the right child comes after it; or the set's number */
    ushort set_left;
    ushort unused;
} tree_node;

inline bool in_set(__global const uint *sets, const uint set, const int category)
{
    if (category < 0 || category >= 64) return false;
    return (sets[set * 2 + category / 32] >> (category % 32)) & 1;
}

/* Boosted decision trees: each row goes down each tree. Features are stored one after the other, so that items read rows side by
 * side; some are categories, some are missing. */
__kernel void boosted_trees(__global const float *features, const uint rows, __global const tree_node *nodes,
                            __global const uint *roots, const uint trees, __global const uint *sets, const float base,
                            __global float *probability, __global ushort *last_leaf)
{
    for (uint row = get_global_id(0); row < rows; row += get_global_size(0)) {
        float score = base;
        uint at = 0;
        for (uint t = 0; t < trees; ++t) {
            __global const tree_node *tree = nodes + roots[t];
            at = 0;
            while (tree[at].feature != LEAF) {
                const tree_node n = tree[at];
                const float v = features[(size_t)(n.feature & FEATURE_MASK) * rows + row];
                bool left;
                if (isnan(v)) {
                    left = n.feature & MISSING_LEFT;
                } else if (n.feature & IS_SET) {
                    left = in_set(sets, n.left, (int)v);
                } else {
                    left = v < n.value;
                }
                const uint child = (n.feature & IS_SET) ? n.set_left : n.left;
                at = left ? child : child + 1;
            }
            score += tree[at].value;
        }
        probability[row] = 1.0f / (1.0f + exp(-score));
        last_leaf[row] = at;
    }
}

#define HEAD 64 /* numbers a head, and items of a group */
#define PAGE 16 /* tokens a page of the cache */
#define MAX_TOKENS 1024

float group_max(__local float *part, const float value)
{
    const int lid = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    part[lid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = HEAD / 2; stride > 0; stride /= 2) {
        if (lid < stride) part[lid] = fmax(part[lid], part[lid + stride]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return part[0];
}

float group_sum(__local float *part, const float value)
{
    const int lid = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    part[lid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = HEAD / 2; stride > 0; stride /= 2) {
        if (lid < stride) part[lid] += part[lid + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return part[0];
}

/* One new token of each sequence looks at all before it. Keys and values are bytes with a scale a token and head, in pages that
 * lie anywhere; several heads of the query share a head of the keys. A group has a head of a sequence. */
__kernel __attribute__((reqd_work_group_size(HEAD, 1, 1)))
void paged_decode(__global const float *query, __global const char *keys, __global const char *values,
                  __global const float2 *scales, __global const int *pages, __global const int *lengths, const int max_pages,
                  const int kv_heads, __global float *out)
{
    __local float logits[MAX_TOKENS];
    __local float part[HEAD];
    __local char q8[HEAD];

    const int lid = get_local_id(0);
    const int head = get_group_id(0);
    const int heads = get_num_groups(0);
    const int seq = get_group_id(1);
    const int kv_head = head / (heads / kv_heads);
    const int tokens = lengths[seq];
    const size_t row = (size_t)seq * heads + head;
    __global const int *page = pages + seq * max_pages;

    const float q = query[row * HEAD + lid];
    const float q_scale = group_max(part, fabs(q)) / 127.0f;
    q8[lid] = convert_char_sat_rte(q / q_scale);
    barrier(CLK_LOCAL_MEM_FENCE);

    float best = -INFINITY;
    for (int t = lid; t < tokens; t += HEAD) {
        const size_t at = ((size_t)page[t / PAGE] * PAGE + t % PAGE) * kv_heads + kv_head;
        int4 sum = (int4)(0);
        for (int i = 0; i < HEAD / 4; i++) {
            sum += convert_int4(vload4(i, keys + at * HEAD)) * convert_int4(vload4(i, q8));
        }
        const float logit = (sum.x + sum.y + sum.z + sum.w) * q_scale * scales[at].x * rsqrt((float)HEAD);
        logits[t] = logit;
        best = fmax(best, logit);
    }
    best = group_max(part, best);

    float total = 0.0f;
    for (int t = lid; t < tokens; t += HEAD) {
        const size_t at = ((size_t)page[t / PAGE] * PAGE + t % PAGE) * kv_heads + kv_head;
        const float e = native_exp(logits[t] - best);
        total += e;
        logits[t] = e * scales[at].y;
    }
    total = group_sum(part, total);

    float mean = 0.0f;
    for (int t = 0; t < tokens; t++) {
        const size_t at = ((size_t)page[t / PAGE] * PAGE + t % PAGE) * kv_heads + kv_head;
        mean += logits[t] * values[at * HEAD + lid];
    }
    out[row * HEAD + lid] = mean / total;
}

typedef struct {
    double spot, strike, years, rate, price;
    int is_call, padding;
} quote_t;

inline double normal_cdf(const double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

inline double normal_density(const double x) { return 0.39894228040143267794 * exp(-0.5 * x * x); }

/* The price by Black, Scholes and Merton, and how much it grows with the volatility. */
double model_price(const quote_t *q, const double volatility, double *vega)
{
    const double spread = volatility * sqrt(q->years);
    const double d1 = (log(q->spot / q->strike) + q->rate * q->years) / spread + 0.5 * spread;
    const double d2 = d1 - spread;
    const double discounted = q->strike * exp(-q->rate * q->years);
    *vega = q->spot * normal_density(d1) * sqrt(q->years);
    if (q->is_call) return q->spot * normal_cdf(d1) - discounted * normal_cdf(d2);
    return discounted * normal_cdf(-d2) - q->spot * normal_cdf(-d1);
}

/* The volatility that explains a price, by Newton's steps, halved where they lead out of the bracket. The status is the number of
 * steps, or -1 where no volatility does. */
__kernel void implied_volatility(__global const quote_t *quotes, const int count, const double tolerance,
                                 __global double *volatility, __global int *status)
{
    const int i = get_global_id(0);
    if (i >= count) return;

    const quote_t q = quotes[i];
    double low = 1e-4, high = 5.0, vega;
    if (q.price <= model_price(&q, low, &vega) || q.price >= model_price(&q, high, &vega)) {
        volatility[i] = NAN;
        status[i] = -1;
        return;
    }
    const double forward = q.spot * exp(q.rate * q.years);
    double sigma = clamp(sqrt(2.0 * fabs(log(forward / q.strike)) / q.years), 0.1, 2.0);
    int step = 0;
    for (; step < 100; step++) {
        const double miss = model_price(&q, sigma, &vega) - q.price;
        if (fabs(miss) < tolerance * q.spot) break;
        if (miss > 0.0) high = sigma;
        else low = sigma;
        const double next = sigma - miss / vega;
        sigma = next > low && next < high ? next : 0.5 * (low + high);
    }
    volatility[i] = sigma;
    status[i] = step;
}
