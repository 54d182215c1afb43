/* Learning: near neighbours by walks through a graph, a mixture of bells that fits points, attention
 * to few others. */

#define WIDTH 20 /* how many nodes a walk keeps in mind */
#define SIZE 32
#define SEEN 0x80000000u

int distance_to(__global const char *row, const char16 low, const char16 high)
{
    const int16 a = convert_int16(vload16(0, row)) - convert_int16(low);
    const int16 b = convert_int16(vload16(1, row)) - convert_int16(high);
    const int16 squares = a * a + b * b;
    const int8 eight = squares.lo + squares.hi;
    const int4 four = eight.lo + eight.hi;
    return four.x + four.y + four.z + four.w;
}

/* Puts a node behind all that are not farther; those that no longer fit are forgotten. */
void remember(const uint node, const int distance, uint *nodes, int *distances, int *known)
{
    if (*known == WIDTH && distance >= distances[WIDTH - 1]) return;
    for (int i = 0; i < *known; i++) {
        if ((nodes[i] & ~SEEN) == node) return;
    }
    int at = *known < WIDTH ? (*known)++ : WIDTH - 1;
    while (at > 0 && distances[at - 1] > distance) {
        nodes[at] = nodes[at - 1];
        distances[at] = distances[at - 1];
        at--;
    }
    nodes[at] = node;
    distances[at] = distance;
}

/* Each item looks for the nodes that are nearest to a question: of the nearest ones known, it asks
 * the first not asked yet for its neighbours, until all were asked. */
__kernel void graph_walk(__global const char *rows, __global const uint *links, const int degree,
                         __global const char *questions, const int asked, const uint entry,
                         __global uint4 *nearest, __global int4 *distances_of, __global int *turns)
{
    const int id = get_global_id(0);
    if (id >= asked) return;
    const char16 low = vload16(2 * id, questions), high = vload16(2 * id + 1, questions);
    uint nodes[WIDTH];
    int distances[WIDTH], known = 0, at = 0, turn = 0;
    remember(entry, distance_to(rows + entry * SIZE, low, high), nodes, distances, &known);
    while (at < known) {
        const uint node = nodes[at];
        nodes[at] |= SEEN;
        for (int i = 0; i < degree; i++) {
            const uint other = links[node * degree + i];
            remember(other, distance_to(rows + other * SIZE, low, high), nodes, distances, &known);
        }
        for (at = 0; at < known && (nodes[at] & SEEN); at++) {}
        turn++;
    }
    nearest[id] = vload4(0, nodes) & ~SEEN;
    distances_of[id] = vload4(0, distances);
    turns[id] = turn;
}

#define MIXES 6
#define FITTERS 64 /* of a work-group */

typedef struct {
    float8 mean;   /* or a sum of points */
    float8 sharp;  /* 1 over the variance, or a sum of squares */
    float height;  /* the logarithm in the middle, or a sum of shares */
} bell_t;

float sum_of(const float8 v)
{
    const float4 half_sum = v.lo + v.hi;
    return dot(half_sum, (float4)(1.0f));
}

/* Items say which shares of points are of which bell, and work-groups add up the points by them:
 * the first half of a step of Dempster, Laird and Rubin. */
__kernel __attribute__((reqd_work_group_size(FITTERS, 1, 1)))
void mixture_step(__global const float8 *points, const int count, __constant bell_t *bells,
                  __global bell_t *sums, __global float *likelihoods)
{
    __local float8 middles[FITTERS], squares[FITTERS];
    __local float2 shares[FITTERS];

    const int lid = get_local_id(0), group = get_group_id(0);
    float8 own_middles[MIXES], own_squares[MIXES];
    float own_shares[MIXES], likelihood = 0.0f;
    for (int k = 0; k < MIXES; k++) {
        own_middles[k] = own_squares[k] = (float8)(0.0f);
        own_shares[k] = 0.0f;
    }
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        const float8 point = points[i];
        float logs[MIXES], most = -INFINITY, all = 0.0f;
        for (int k = 0; k < MIXES; k++) {
            const float8 way = point - bells[k].mean;
            logs[k] = bells[k].height - 0.5f * sum_of(way * way * bells[k].sharp);
            most = fmax(most, logs[k]);
        }
        for (int k = 0; k < MIXES; k++) all += logs[k] = exp(logs[k] - most);
        likelihood += most + log(all);
        for (int k = 0; k < MIXES; k++) {
            const float share = logs[k] / all;
            own_shares[k] += share;
            own_middles[k] += share * point;
            own_squares[k] += share * point * point;
        }
    }
    for (int k = 0; k < MIXES; k++) {
        middles[lid] = own_middles[k];
        squares[lid] = own_squares[k];
        shares[lid] = (float2)(own_shares[k], likelihood);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int apart = FITTERS / 2; apart > 0; apart /= 2) {
            if (lid < apart) {
                middles[lid] += middles[lid + apart];
                squares[lid] += squares[lid + apart];
                shares[lid] += shares[lid + apart];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid == 0) {
            __global bell_t *sum = sums + group * MIXES + k;
            sum->mean = middles[0];
            sum->sharp = squares[0];
            sum->height = shares[0].x;
            likelihoods[group] = shares[0].y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Each item makes a bell of what work-groups have added up: the other half. */
__kernel void mixture_bells(__global const bell_t *sums, const int groups, const int count,
                            __global bell_t *bells)
{
    const int k = get_global_id(0);
    float8 middle = (float8)(0.0f), square = (float8)(0.0f);
    float share = 0.0f;
    for (int i = 0; i < groups; i++) {
        __global const bell_t *sum = &sums[i * MIXES + k];
        middle += sum->mean;
        square += sum->sharp;
        share += sum->height;
    }
    middle /= share;
    const float8 spread = fmax(square / share - middle * middle, 1e-4f);
    bells[k].mean = middle;
    bells[k].sharp = 1.0f / spread;
    bells[k].height = log(share / count) - 0.5f * sum_of(log(2.0f * M_PI_F * spread));
}

#define LANES 64 /* of a work-group, in a column */
#define DEEP 48

/* The sum or the largest of all lanes' numbers. */
float of_all(__local float *numbers, const int lane, const float own, const bool is_sum)
{
    numbers[lane] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = LANES / 2; apart > 0; apart >>= 1) {
        if (lane < apart) {
            const float other = numbers[lane + apart];
            numbers[lane] = is_sum ? numbers[lane] + other : fmax(numbers[lane], other);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float result = numbers[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

/* Each work-group makes a row of attention to the few others that a sparse matrix names: products
 * with their keys, softmax, and the mean of their values. Numbers have 16 bits. */
__kernel __attribute__((reqd_work_group_size(1, LANES, 1)))
void sparse_attend(__global const int *starts, __global const int *columns,
                   __global const half *queries, __global const half *keys,
                   __global const half *values, const float scale, __global float *weights,
                   __global half *out)
{
    __local float query[DEEP], numbers[LANES];

    const int row = get_global_id(0), lane = get_local_id(1);
    const int start = starts[row], end = starts[row + 1];
    if (lane < DEEP) query[lane] = scale * vload_half(row * DEEP + lane, queries);
    barrier(CLK_LOCAL_MEM_FENCE);
    float most = -INFINITY, all = 0.0f;
    for (int i = start + lane; i < end; i += LANES) {
        __global const half *key = keys + columns[i] * DEEP;
        float sum = 0.0f;
        for (int k = 0; k < DEEP; k += 4) {
            const float4 four = vload_half4(0, key + k);
            sum += query[k] * four.x + query[k + 1] * four.y + query[k + 2] * four.z + query[k + 3] * four.w;
        }
        weights[i] = sum;
        most = fmax(most, sum);
    }
    most = of_all(numbers, lane, most, false);
    for (int i = start + lane; i < end; i += LANES) {
        weights[i] = native_exp(weights[i] - most);
        all += weights[i];
    }
    all = of_all(numbers, lane, all, true);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (lane >= DEEP) return;
    float sum = 0.0f;
    for (int i = start; i < end; i++) {
        sum += weights[i] * vload_half(columns[i] * DEEP + lane, values);
    }
    vstore_half(end > start ? sum / all : 0.0f, row * DEEP + lane, out);
}
