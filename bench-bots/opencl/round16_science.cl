/* Science: a front that a flow carries, singular values of many small matrices, tests of tables of counts. */

#define TILE_WIDTH 16
#define TILE_HEIGHT 8
#define HALO 3

/* The slope at the end of the third of five differences, from three guesses; where one of them meets a jump it counts little. */
double weno_slope(const double a, const double b, const double c, const double d, const double e)
{
    const double first_bend = a - 2.0 * b + c, first_tilt = a - 4.0 * b + 3.0 * c;
    const double second_bend = b - 2.0 * c + d, second_tilt = b - d;
    const double third_bend = c - 2.0 * d + e, third_tilt = 3.0 * c - 4.0 * d + e;
    const double first = 13.0 / 12.0 * first_bend * first_bend + 0.25 * first_tilt * first_tilt;
    const double second = 13.0 / 12.0 * second_bend * second_bend + 0.25 * second_tilt * second_tilt;
    const double third = 13.0 / 12.0 * third_bend * third_bend + 0.25 * third_tilt * third_tilt;
    const double small = 1.0e-6;
    const double x = 0.1 / ((first + small) * (first + small));
    const double y = 0.6 / ((second + small) * (second + small));
    const double z = 0.3 / ((third + small) * (third + small));
    return (x * (2.0 * a - 7.0 * b + 11.0 * c) + y * (-b + 5.0 * c + 2.0 * d) + z * (2.0 * c + 5.0 * d - e)) / (6.0 * (x + y + z));
}

/* The slope along a line of seven values, the middle one of which is the own one, from the side that the flow comes from. */
double upwind_slope(__local const double *line, const int apart, const double speed, const double by)
{
    if (speed > 0.0) {
        return by * weno_slope(line[-2 * apart] - line[-3 * apart], line[-apart] - line[-2 * apart], line[0] - line[-apart],
                               line[apart] - line[0], line[2 * apart] - line[apart]);
    }
    return by * weno_slope(line[3 * apart] - line[2 * apart], line[2 * apart] - line[apart], line[apart] - line[0],
                           line[0] - line[-apart], line[-apart] - line[-2 * apart]);
}

/* A stage of a step by Shu and Osher: the flow carries the values on, and the result is mixed with those at the step's start.
 * Beyond the border its values go on. */
__kernel __attribute__((reqd_work_group_size(TILE_WIDTH, TILE_HEIGHT, 1)))
void weno_advect(__global const double *start, __global const double *now, __global const double2 *flow, const int width,
                 const int height, const double by, const double time, const double share, __global double *next)
{
    __local double tile[TILE_HEIGHT + 2 * HALO][TILE_WIDTH + 2 * HALO];

    const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    const int left = get_group_id(0) * TILE_WIDTH - HALO, top = get_group_id(1) * TILE_HEIGHT - HALO;
    for (int row = ly; row < TILE_HEIGHT + 2 * HALO; row += TILE_HEIGHT) {
        for (int column = lx; column < TILE_WIDTH + 2 * HALO; column += TILE_WIDTH) {
            tile[row][column] = now[clamp(top + row, 0, height - 1) * width + clamp(left + column, 0, width - 1)];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height) return;

    const int at = y * width + x;
    const double2 speed = flow[at];
    __local const double *own = &tile[ly + HALO][lx + HALO];
    const double across = upwind_slope(own, 1, speed.x, by), along = upwind_slope(own, TILE_WIDTH + 2 * HALO, speed.y, by);
    const double carried = *own - time * (speed.x * across + speed.y * along);
    next[at] = (1.0 - share) * start[at] + share * carried;
}

#define ROWS 24
#define COLUMNS 16
#define LANES 8
#define PAIRS (COLUMNS / 2)
#define SMALL 4.0e-6f

/* Singular values and vectors of a matrix for each work-group, by Hestenes: pairs of columns are turned until all of them are at
 * right angles. In a round each column is in one pair; after all rounds of a sweep it has met each other one. */
__kernel __attribute__((reqd_work_group_size(LANES, PAIRS, 1)))
void jacobi_svd(__global const float *matrices, const int most, __global float *values, __global float *lefts,
                __global float *rights, __global int *sweeps)
{
    __local float columns[COLUMNS][ROWS], turns[COLUMNS][COLUMNS];
    __local float4 sums[PAIRS][LANES];
    __local int turned;

    const int lane = get_local_id(0), pair = get_local_id(1), lid = pair * LANES + lane, id = get_group_id(0);
    for (int i = lid; i < ROWS * COLUMNS; i += LANES * PAIRS) {
        columns[i % COLUMNS][i / COLUMNS] = matrices[id * ROWS * COLUMNS + i];
    }
    for (int i = lid; i < COLUMNS * COLUMNS; i += LANES * PAIRS) turns[i / COLUMNS][i % COLUMNS] = i % (COLUMNS + 1) == 0;

    int sweep = 0;
    while (sweep < most) {
        if (lid == 0) turned = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int round = 0; round < COLUMNS - 1; round++) {
            const int p = pair == 0 ? COLUMNS - 1 : (round + pair) % (COLUMNS - 1);
            const int q = (round - pair + COLUMNS - 1) % (COLUMNS - 1);
            float4 sum = (float4)(0.0f);
            for (int i = lane; i < ROWS; i += LANES) {
                const float one = columns[p][i], other = columns[q][i];
                sum += (float4)(one * one, other * other, one * other, 0.0f);
            }
            sums[pair][lane] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int step = LANES / 2; step > 0; step >>= 1) {
                if (lane < step) sums[pair][lane] += sums[pair][lane + step];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            const float4 all = sums[pair][0];
            if (fabs(all.z) > SMALL * sqrt(all.x * all.y)) {
                const float ratio = (all.y - all.x) / (2.0f * all.z);
                const float tangent = copysign(1.0f, ratio) / (fabs(ratio) + sqrt(1.0f + ratio * ratio));
                const float cosine = rsqrt(1.0f + tangent * tangent), sine = cosine * tangent;
                for (int i = lane; i < ROWS; i += LANES) {
                    const float one = columns[p][i], other = columns[q][i];
                    columns[p][i] = cosine * one - sine * other;
                    columns[q][i] = sine * one + cosine * other;
                }
                for (int i = lane; i < COLUMNS; i += LANES) {
                    const float one = turns[p][i], other = turns[q][i];
                    turns[p][i] = cosine * one - sine * other;
                    turns[q][i] = sine * one + cosine * other;
                }
                if (lane == 0) atomic_inc(&turned);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        sweep++;
        const bool is_done = turned == 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_done) break;
    }

    for (int column = lid; column < COLUMNS; column += LANES * PAIRS) {
        float square = 0.0f;
        for (int i = 0; i < ROWS; i++) square += columns[column][i] * columns[column][i];
        const float value = sqrt(square);
        values[id * COLUMNS + column] = value;
        for (int i = 0; i < ROWS; i++) lefts[(id * COLUMNS + column) * ROWS + i] = columns[column][i] / value;
    }
    for (int i = lid; i < COLUMNS * COLUMNS; i += LANES * PAIRS) {
        rights[id * COLUMNS * COLUMNS + i] = turns[i / COLUMNS][i % COLUMNS];
    }
    if (lid == 0) sweeps[id] = sweep;
}

#define ENOUGH 1.0e-7f
#define MOST_TERMS 200

/* The upper part of the gamma function's integral as a share of it all: by a series up to a place, by a fraction beyond it. */
float gamma_tail(const float a, const float x)
{
    if (x <= 0.0f) return 1.0f;
    const float front = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1.0f) {
        float term = 1.0f / a, sum = term;
        for (int i = 1; i < MOST_TERMS && term > sum * ENOUGH; i++) {
            term *= x / (a + i);
            sum += term;
        }
        return 1.0f - front * sum;
    }
    float b = x + 1.0f - a, c = 1.0e30f, d = 1.0f / b, fraction = d, change = 0.0f;
    for (int i = 1; i < MOST_TERMS && fabs(change - 1.0f) > ENOUGH; i++) {
        const float by = -i * (i - a);
        b += 2.0f;
        d = 1.0f / (by * d + b);
        c = b + by / c;
        change = c * d;
        fraction *= change;
    }
    return front * fraction;
}

/* Whether cases and controls differ in what kinds they have: Pearson's statistic of each table, the degrees of freedom, and how
 * likely as much or more is by chance. The kinds that nobody has do not count. */
__kernel void chi_square(__global const ushort2 *counts, __global const int *starts, const int tables, __global float2 *results,
                         __global uchar *freedoms)
{
    const int id = get_global_id(0);
    if (id >= tables) return;
    const int first = starts[id], last = starts[id + 1];
    uint cases = 0, controls = 0;
    for (int i = first; i < last; i++) {
        cases += counts[i].x;
        controls += counts[i].y;
    }
    const float case_share = (float)cases / (cases + controls);
    float statistic = 0.0f;
    int kinds = 0;
    for (int i = first; i < last; i++) {
        const uint2 count = convert_uint2(counts[i]);
        const uint both = count.x + count.y;
        if (both == 0) continue;
        const float expected = both * case_share, off = count.x - expected;
        statistic += off * off / expected + off * off / (both - expected);
        kinds++;
    }
    results[id] = (float2)(statistic, kinds > 1 ? gamma_tail((kinds - 1) * 0.5f, statistic * 0.5f) : 1.0f);
    freedoms[id] = kinds > 1 ? kinds - 1 : 0;
}
