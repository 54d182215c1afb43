/* Choices: shares of which most are nothing, what swaps are worth and on which rates that depends, where robots ought to go next. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define ROW_GROUP 48
#define EACH 5

/* The sum of all items of a work-group, however many these are. */
float2 sum_of_group(const float2 own, __local float2 *parts)
{
    const int lid = get_local_id(0);
    parts[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int size = get_local_size(0); size > 1;) {
        const int rest = (size + 1) / 2;
        if (lid < size - rest) parts[lid] += parts[lid + rest];
        barrier(CLK_LOCAL_MEM_FENCE);
        size = rest;
    }
    const float2 sum = parts[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

/* A work-group finds the shares of a row that are nearest to its values and 1 together, where softmax would leave something to all. What
 * is below the threshold goes, which makes the threshold higher, until all that is left may stay. */
__kernel __attribute__((reqd_work_group_size(ROW_GROUP, 1, 1)))
void sparsemax_rows(__global const half *values, const int columns, const float scale, __global half *shares, __global float *thresholds)
{
    __local float2 parts[ROW_GROUP];

    const int lid = get_local_id(0), row = get_group_id(0);
    float own[EACH], threshold, before = 0.0f;
    float2 sum = (float2)(0.0f); /* of values, and how many they are */
    uint kept = 0;
    for (int k = 0; k < EACH; k++) {
        const int column = lid + k * ROW_GROUP;
        if (column >= columns) continue;
        own[k] = scale * vload_half(row * columns + column, values);
        sum += (float2)(own[k], 1.0f);
        kept |= 1u << k;
    }
    for (;;) {
        const float2 all = sum_of_group(sum, parts);
        threshold = (all.x - 1.0f) / all.y;
        if (all.y == before) break;
        before = all.y;
        sum = (float2)(0.0f);
        for (int k = 0; k < EACH; k++) {
            if (!(kept >> k & 1)) continue;
            if (own[k] > threshold) sum += (float2)(own[k], 1.0f);
            else kept &= ~(1u << k);
        }
    }
    for (int k = 0; k < EACH; k++) {
        const int column = lid + k * ROW_GROUP;
        if (column < columns) vstore_half(kept >> k & 1 ? own[k] - threshold : 0.0f, row * columns + column, shares);
    }
    if (lid == 0) thresholds[row] = threshold;
}

#define TENORS 12
#define YEARS 30

__constant int tenors[TENORS] = {1, 2, 3, 4, 5, 7, 10, 12, 15, 20, 25, 30};

typedef struct {
    int start, end;
    double rate, amount;
} swap_t;

/* Each item makes a curve of discount factors from the rates of a day, one after the other: between the years that are quoted they fall
 * evenly, by a factor that Newton's steps find. In each row of items but the first one of the rates is a little higher. The result is
 * what a book of swaps is worth then. */
__kernel void swap_curves(__global const double *rates, const int days, __constant swap_t *swaps, const int count, const double more,
                          __global double *values)
{
    const int id = get_global_id(0), raised = (int)get_global_id(1) - 1;
    if (id >= days) return;
    double factors[YEARS + 1], annuities[YEARS + 1];
    factors[0] = 1.0;
    annuities[0] = 0.0;
    int year = 0;
    for (int k = 0; k < TENORS; k++) {
        const double rate = rates[k * days + id] + (k == raised ? more : 0.0), before = factors[year], annuity = annuities[year];
        const int gap = tenors[k] - year;
        double factor = (1.0 - rate * annuity) / (1.0 + rate) / before;
        if (gap > 1) {
            factor = 1.0 / (1.0 + rate);
            for (int turn = 0; turn < 20; turn++) {
                double sum = 0.0, slope = 0.0, power = 1.0;
                for (int i = 1; i <= gap; i++) {
                    slope += i * power;
                    power *= factor;
                    sum += power;
                    if (i == gap) slope = rate * slope + i * power / factor;
                }
                const double step = (rate * (annuity + before * sum) + before * power - 1.0) / (before * slope);
                factor -= step;
                if (fabs(step) < 1e-13) break;
            }
        }
        for (; year < tenors[k]; year++) {
            factors[year + 1] = factors[year] * factor;
            annuities[year + 1] = annuities[year] + factors[year + 1];
        }
    }
    double value = 0.0;
    for (int i = 0; i < count; i++) {
        const swap_t swap = swaps[i];
        const double floating = factors[swap.start] - factors[swap.end];
        value += swap.amount * (floating - swap.rate * (annuities[swap.end] - annuities[swap.start]));
    }
    values[get_global_id(1) * days + id] = value;
}

#define SPEEDS 33
#define TURNS 21
#define SPEEDS_GROUP 11
#define TURNS_GROUP 7
#define STEPS 30
#define LIMIT 200.0f

typedef struct {
    float2 place, goal;
    float heading, speed, turn, fastest;
} robot_t;

/* How near something is at a place, between four cells. */
float cost_at(__global const uchar *costs, const int2 cells, const float2 place)
{
    const float2 inside = clamp(place - 0.5f, (float2)(0.0f), convert_float2(cells) - 1.001f), corner = floor(inside), part = inside - corner;
    __global const uchar *cell = costs + (int)corner.y * cells.x + (int)corner.x;
    return mix(mix((float)cell[0], (float)cell[1], part.x), mix((float)cell[cells.x], (float)cell[cells.x + 1], part.x), part.y);
}

/* Each item drives a robot for three seconds, at one of the speeds and turns that it can have by then, and tells how good that is: away
 * from all that is in the way, towards the goal, fast. The best of all is kept, with its number below. */
__kernel __attribute__((reqd_work_group_size(SPEEDS_GROUP, TURNS_GROUP, 1)))
void window_paths(__global const robot_t *robots, __global const uchar *costs, const int2 cells, const float step,
                  volatile __global uint *bests)
{
    __local uint scores[SPEEDS_GROUP * TURNS_GROUP];

    const int column = get_global_id(0), row = get_global_id(1), lid = get_local_id(1) * SPEEDS_GROUP + get_local_id(0);
    const robot_t robot = robots[get_global_id(2)];
    const float speed = clamp(robot.speed + (column - SPEEDS / 2) * 0.125f, 0.0f, robot.fastest);
    const float turn = robot.turn + (row - TURNS / 2) * 0.08f;
    float2 place = robot.place;
    float heading = robot.heading, worst = 0.0f;
    for (int i = 0; i < STEPS; i++) {
        float cosine;
        const float sine = sincos(heading, &cosine);
        place += speed * step * (float2)(cosine, sine);
        heading += turn * step;
        worst = fmax(worst, cost_at(costs, cells, place));
        if (worst >= LIMIT) break;
    }
    float score = 0.0f;
    if (worst < LIMIT) {
        const float2 way = robot.goal - place;
        const float distance_left = length(way) + 0.01f;
        const float facing = 0.5f + 0.5f * (way.x * cos(heading) + way.y * sin(heading)) / distance_left;
        score = (1.0f - worst / LIMIT) * (0.4f * facing + 0.4f / (1.0f + 0.1f * distance_left) + 0.2f * speed / robot.fastest);
    }
    scores[lid] = (uint)(score * 4194303.0f) << 10 | (row * SPEEDS + column);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int size = SPEEDS_GROUP * TURNS_GROUP; size > 1;) {
        const int rest = (size + 1) / 2;
        if (lid < size - rest) scores[lid] = max(scores[lid], scores[lid + rest]);
        barrier(CLK_LOCAL_MEM_FENCE);
        size = rest;
    }
    if (lid == 0) atomic_max(&bests[get_global_id(2)], scores[0]);
}

__kernel void no_bests(__global uint *bests)
{
    bests[get_global_id(0)] = 0;
}
