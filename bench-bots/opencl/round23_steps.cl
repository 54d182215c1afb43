/* Steps in time: hair that hangs and blows, options that are worth more when they are kept, the best ways of a robot that may slip. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define KNOTS 32
#define HAIR_GROUP 64

typedef struct {
    float4 head; /* its middle and radius */
    float4 wind;
    float step, kept, bend;
    int rounds, steps;
} hair_t;

/* Moves two knots until they are as far apart as they were at rest. Their last numbers tell how easily they move. */
void hold_together(__local float4 *first, __local float4 *second, const float rest)
{
    const float total = first->w + second->w;
    if (total == 0.0f) return;
    const float3 off = second->xyz - first->xyz;
    const float away = length(off);
    const float3 push = (away - rest) / (away * total) * off;
    first->xyz += first->w * push;
    second->xyz -= second->w * push;
}

/* Each item has a knot of a hair; a work-group has two hairs. After each step, edges take turns, even and odd ones. */
__kernel __attribute__((reqd_work_group_size(HAIR_GROUP, 1, 1)))
void hair_strands(__global const float4 *places, __global const float4 *last_places, __global const float *rests, const hair_t hair,
                  const int strands, __global float4 *next, __global float4 *next_last)
{
    __local float4 knots[HAIR_GROUP];

    const int id = get_global_id(0), lid = get_local_id(0);
    const int strand = id / KNOTS, knot = lid % KNOTS;
    const bool is_there = strand < strands;
    float4 own = (float4)(0.0f), last = (float4)(0.0f);
    float rest = 1.0f;
    if (is_there) {
        own = places[id];
        last = last_places[id];
        rest = rests[strand];
    }
    const bool is_free = own.w > 0.0f;
    for (int step = 0; step < hair.steps; step++) {
        if (is_free) {
            const float gust = 0.5f + 0.5f * sin(3.0f * own.x + 2.0f * own.z + 0.7f * step);
            const float3 pull = hair.wind.xyz * gust + (float3)(0.0f, -9.81f, 0.0f);
            const float3 moved = own.xyz + hair.kept * (own.xyz - last.xyz) + hair.step * hair.step * pull;
            last = own;
            own.xyz = moved;
        }
        knots[lid] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int round = 0; round < hair.rounds; round++) {
            for (int odd = 0; odd < 2; odd++) {
                if (is_there && knot % 2 == odd && knot + 1 < KNOTS) hold_together(&knots[lid], &knots[lid + 1], rest);
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            own = knots[lid];
            if (is_free) {
                if (knot >= 2) own.xyz = mix(own.xyz, 2.0f * knots[lid - 1].xyz - knots[lid - 2].xyz, hair.bend);
                const float3 out = own.xyz - hair.head.xyz;
                const float away = length(out);
                if (away < hair.head.w) own.xyz = hair.head.xyz + hair.head.w / away * out;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            knots[lid] = own;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    if (is_there) {
        next[id] = own;
        next_last[id] = last;
    }
}

/* Each item finds where hair points to at a knot, as a renderer wants it. */
__kernel void hair_tangents(__global const float4 *places, __global char4 *tangents)
{
    const size_t knot = get_global_id(0), first = get_global_id(1) * KNOTS;
    const size_t before = first + (knot > 0 ? knot - 1 : 0), behind = first + min(knot + 1, (size_t)KNOTS - 1);
    const float3 way = normalize(places[behind].xyz - places[before].xyz);
    tangents[first + knot] = convert_char4_sat_rte(127.0f * (float4)(way, 0.0f));
}

#define REGRESS_GROUP 128
#define PARTS 32

typedef struct {
    double spot, strike, rate, volatility, period;
    int steps;
    uint seed;
} option_t;

uint mixed(uint word)
{
    word = (word ^ word >> 16) * 0x7feb352du;
    word = (word ^ word >> 15) * 0x846ca68bu;
    return word ^ word >> 16;
}

/* Each item follows the price of a path; of two steps both chances come from two words. */
__kernel void price_paths(const option_t option, const int paths, __global double *prices, __global double *cash)
{
    const int id = get_global_id(0);
    if (id >= paths) return;
    const double drift = (option.rate - 0.5 * option.volatility * option.volatility) * option.period;
    const double spread = option.volatility * sqrt(option.period);
    double price = option.spot, later = 0.0;
    for (int step = 0; step < option.steps; step++) {
        double chance = later;
        if (step % 2 == 0) {
            const uint word = mixed(id * 0x9e3779b9u + step + option.seed);
            const double first = (word + 0.5) * 0x1p-32, second = mixed(word ^ 0x5bd1e995u) * 0x1p-32;
            const double size = sqrt(-2.0 * log(first));
            double cosine;
            later = size * sincos(2.0 * M_PI * second, &cosine);
            chance = size * cosine;
        }
        price *= exp(drift + spread * chance);
        prices[step * paths + id] = price;
    }
    cash[id] = fmax(option.strike - price, 0.0);
}

/* Sums over the paths on which an option is worth something: powers of the price, and products with what it brings later. */
__kernel __attribute__((reqd_work_group_size(REGRESS_GROUP, 1, 1)))
void regress_sums(__global const double *prices, __global const double *cash, const option_t option, const int paths, const int step,
                  __global double8 *sums)
{
    __local double8 parts[REGRESS_GROUP];

    const int lid = get_local_id(0);
    const double discount = exp(-option.rate * option.period);
    double8 sum = (double8)(0.0);
    for (int id = get_global_id(0); id < paths; id += get_global_size(0)) {
        const double price = prices[step * paths + id];
        if (price >= option.strike) continue;
        const double x = price / option.strike, y = discount * cash[id], square = x * x;
        sum += (double8)(1.0, x, square, square * x, square * square, y, x * y, square * y);
    }
    parts[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = REGRESS_GROUP / 2; half_size > 0; half_size >>= 1) {
        if (lid < half_size) parts[lid] += parts[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) sums[get_group_id(0)] = parts[0];
}

double determinant(const double4 a, const double4 b, const double4 c)
{
    return dot(a, cross(b, c));
}

/* One work-group adds up, and fits a parabola. */
__kernel __attribute__((reqd_work_group_size(PARTS, 1, 1)))
void fit_parabola(__global const double8 *sums, __global double4 *parabola)
{
    __local double8 parts[PARTS];

    const int lid = get_local_id(0);
    parts[lid] = sums[lid];
    for (int half_size = PARTS / 2; half_size > 0; half_size >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size) parts[lid] += parts[lid + half_size];
    }
    if (lid != 0) return;
    const double8 sum = parts[0];
    const double4 a = (double4)(sum.s012, 0.0), b = (double4)(sum.s123, 0.0), c = (double4)(sum.s234, 0.0);
    const double4 right = (double4)(sum.s567, 0.0);
    const double below = determinant(a, b, c);
    double4 result = (double4)(0.0, 0.0, 0.0, -1.0);
    if (sum.s0 > 10.0) {
        result = (double4)(determinant(right, b, c), determinant(a, right, c), determinant(a, b, right), 0.0) / below;
        result.w = sum.s0;
    }
    *parabola = result;
}

/* Each item decides on a path: the option is used where that brings more than what it may bring later. */
__kernel void use_options(__global const double *prices, const option_t option, const int paths, const int step,
                          __global const double4 *parabola, __global double *cash)
{
    const int id = get_global_id(0);
    if (id >= paths) return;
    const double4 fit = *parabola;
    const double gain = option.strike - prices[step * paths + id];
    double own = cash[id] * exp(-option.rate * option.period);
    if (gain > 0.0 && fit.w > 0.0) {
        const double x = prices[step * paths + id] / option.strike;
        if (gain > fit.x + x * (fit.y + x * fit.z)) own = gain;
    }
    cash[id] = own;
}

#define HEADINGS 8
#define WALL 255
#define ACTIONS 5
#define STAY 8
#define MOST 1000.0f

typedef struct {
    int width, height;
    float slip, turn_cost, bump;
} world_t;

__constant char2 ways[HEADINGS] = {(char2)(1, 0),  (char2)(1, 1),   (char2)(0, 1),  (char2)(-1, 1),
                                   (char2)(-1, 0), (char2)(-1, -1), (char2)(0, -1), (char2)(1, -1)};

/* What is still to pay from a place on, to which the robot drifts a little to a side; who would bump into something stays where he is
 * and pays for it. */
float after(const world_t world, __global const uchar *ground, __global const float *values, const int4 from, const int drift,
            const int turn)
{
    int x = from.x, y = from.y;
    if (drift != STAY) {
        const char2 way = ways[(from.z + drift) & (HEADINGS - 1)];
        x += way.x;
        y += way.y;
    }
    float price = 0.0f;
    if (x < 0 || y < 0 || x >= world.width || y >= world.height || ground[y * world.width + x] == WALL) {
        x = from.x;
        y = from.y;
        price = world.bump;
    }
    const int heading = (from.z + turn) & (HEADINGS - 1);
    return price + values[(heading * world.height + y) * world.width + x];
}

/* What an action costs on the whole, as likely as it goes well, or drifts to the left or right, or does not turn. */
float action_cost(const world_t world, __global const uchar *ground, __global const float *values, const int4 from, const int action)
{
    const float length = from.z & 1 ? M_SQRT2_F : 1.0f, rough = ground[from.y * world.width + from.x];
    const float well = 1.0f - world.slip;
    switch (action) {
    case 0:
        return length * rough + (well - world.slip) * after(world, ground, values, from, 0, 0) +
               world.slip * (after(world, ground, values, from, 1, 0) + after(world, ground, values, from, -1, 0));
    case 1:
    case 2: {
        const int turn = action == 1 ? 1 : -1;
        return 1.1f * length * rough + well * after(world, ground, values, from, 0, turn) +
               world.slip * after(world, ground, values, from, 0, 0);
    }
    default: {
        const int turn = action == 3 ? 1 : -1;
        return world.turn_cost + well * after(world, ground, values, from, STAY, turn) +
               world.slip * after(world, ground, values, from, STAY, 0);
    }
    }
}

/* Goals have a ground of 0. */
__kernel void no_plan(__global const uchar *ground, const int cells, __global float *values, __global int *changes)
{
    const int id = get_global_id(0), heading = get_global_id(1);
    if (id >= cells) return;
    values[heading * cells + id] = ground[id] == 0 ? 0.0f : MOST;
    if (heading == 0 && id < 64) changes[id] = 0;
}

/* Each item finds the least that is still to pay from a place and a heading, if what the last sweep says of the others is true. */
__kernel __attribute__((reqd_work_group_size(8, 8, 4)))
void value_iteration(__global const uchar *ground, const world_t world, __global const float *values, const int sweep,
                     __global float *next, __global int *changes)
{
    __local int change;

    const int x = get_global_id(0), y = get_global_id(1), heading = get_global_id(2);
    const bool is_first = get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0;
    if (is_first) change = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < world.width && y < world.height) {
        const int at = (heading * world.height + y) * world.width + x;
        const uchar own = ground[y * world.width + x];
        float best = values[at];
        if (own != 0 && own != WALL) {
            best = MOST;
            for (int action = 0; action < ACTIONS; action++) {
                best = fmin(best, action_cost(world, ground, values, (int4)(x, y, heading, 0), action));
            }
            atomic_max(&change, as_int(fabs(best - values[at])));
        }
        next[at] = best;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_first) atomic_max(&changes[sweep], change);
}

/* Each item tells the best action of a place and a heading. */
__kernel void best_actions(__global const uchar *ground, const world_t world, __global const float *values, __global uchar *actions)
{
    const int x = get_global_id(0), y = get_global_id(1), heading = get_global_id(2);
    const uchar own = ground[y * world.width + x];
    uchar best_action = ACTIONS;
    if (own != 0 && own != WALL) {
        float best = INFINITY;
        for (int action = 0; action < ACTIONS; action++) {
            const float cost = action_cost(world, ground, values, (int4)(x, y, heading, 0), action);
            if (cost < best) {
                best = cost;
                best_action = action;
            }
        }
    }
    actions[(heading * world.height + y) * world.width + x] = best_action;
}
