/* Sciences: a crystal that grows, far charges in few numbers, options by their waves. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define TILE 16
#define HALO (TILE + 2)

typedef struct {
    float spacing, time_step;
    /* of the edge: how wide, how much its direction counts, and which one */
    float width, strength, turned;
    float arms, latent, tau;
} alloy_t;

int around(const int at, const int side)
{
    return at < 0 ? at + side : at >= side ? at - side : at;
}

/* Each item finds how the edge of the crystal pulls at a cell: by its direction, as Kobayashi has
 * it. A cell is how solid it is, and how warm; what comes out is two parts of a flow, the square of
 * the edge's width, and the change that curvature makes. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void dendrite_edges(__global const float2 *cells, const int side, const alloy_t alloy,
                    __global float4 *edges)
{
    __local float solid[HALO][HALO];

    const int left = get_group_id(0) * TILE - 1, top = get_group_id(1) * TILE - 1;
    for (int i = get_local_id(1) * TILE + get_local_id(0); i < HALO * HALO; i += TILE * TILE) {
        const int x = around(min(left + i % HALO, side), side);
        const int y = around(min(top + i / HALO, side), side);
        solid[i / HALO][i % HALO] = cells[y * side + x].x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int x = get_global_id(0), y = get_global_id(1), column = get_local_id(0) + 1;
    const int row = get_local_id(1) + 1;
    if (x >= side || y >= side) return;
    const float own = solid[row][column], half_step = 0.5f / alloy.spacing;
    const float before = solid[row][column - 1], after = solid[row][column + 1];
    const float above = solid[row - 1][column], below = solid[row + 1][column];
    const float2 slope = (float2)(after - before, below - above) * half_step;
    const float corners = solid[row - 1][column - 1] + solid[row - 1][column + 1] +
        solid[row + 1][column - 1] + solid[row + 1][column + 1];
    const float bend = (2.0f * (before + after + above + below) + corners - 12.0f * own) /
        (3.0f * alloy.spacing * alloy.spacing);
    const float angle = alloy.arms * (atan2(slope.y, slope.x) - alloy.turned);
    const float width = alloy.width * (1.0f + alloy.strength * cos(angle));
    const float change = -alloy.width * alloy.arms * alloy.strength * sin(angle);
    edges[y * side + x] = (float4)(width * change * slope, width * width, width * width * bend);
}

/* Each item makes a step of time of a cell. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void dendrite_growth(__global const float2 *cells, __global const float4 *edges, const int side,
                     const alloy_t alloy, __global float2 *next)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= side || y >= side) return;
    const int left = around(x - 1, side), right = around(x + 1, side), up = around(y - 1, side);
    const int down = around(y + 1, side);
    const float2 own = cells[y * side + x];
    const float2 before = cells[y * side + left], after = cells[y * side + right];
    const float2 above = cells[up * side + x], below = cells[down * side + x];
    const float4 edge_before = edges[y * side + left], edge_after = edges[y * side + right];
    const float4 edge_above = edges[up * side + x], edge_below = edges[down * side + x];

    const float half_step = 0.5f / alloy.spacing;
    const float turning = (edge_below.x - edge_above.x - edge_after.y + edge_before.y) * half_step;
    const float2 slope = (float2)(after.x - before.x, below.x - above.x) * half_step;
    const float2 widening = (float2)(edge_after.z - edge_before.z, edge_below.z - edge_above.z) *
        half_step;
    const float drive = 0.9f * M_1_PI_F * atan(10.0f * (1.0f - own.y));
    const float local_change = own.x * (1.0f - own.x) * (own.x - 0.5f + drive);
    const float growth = alloy.time_step / alloy.tau *
        (turning + dot(widening, slope) + edges[y * side + x].w + local_change);
    const float warming = (before.y + after.y + above.y + below.y - 4.0f * own.y) /
        (alloy.spacing * alloy.spacing);
    next[y * side + x] = (float2)(own.x + growth,
                                  own.y + alloy.time_step * warming + alloy.latent * growth);
}

#define TERMS 16

float2 times(const float2 a, const float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

float2 inverse(const float2 a)
{
    return (float2)(a.x, -a.y) / dot(a, a);
}

/* Each item sums up the charges of a cell of the plane: as powers of how far they are from its
 * middle. Cells are squares of size 1. */
__kernel void cell_moments(__global const float4 *charges, __global const int *starts,
                           const int side, __global float2 *moments)
{
    const int x = get_global_id(0), y = get_global_id(1), cell = y * side + x;
    const float2 middle = (float2)(x + 0.5f, y + 0.5f);
    float2 sums[TERMS];
    for (int k = 0; k < TERMS; k++) sums[k] = (float2)(0.0f);
    for (int i = starts[cell]; i < starts[cell + 1]; i++) {
        const float4 charge = charges[i];
        const float2 off = charge.xy - middle;
        float2 power = off;
        sums[0].x += charge.z;
        for (int k = 1; k < TERMS; k++) {
            sums[k] -= charge.z / k * power;
            power = times(power, off);
        }
    }
    for (int k = 0; k < TERMS; k++) moments[cell * TERMS + k] = sums[k];
}

/* A work-group makes the moments of cells that are well apart a series around the middle of its own
 * cell: the step of the fast multipole method that costs most. Each item has a term of it. Those
 * cells are the children of the parent's neighbours that do not touch. */
__kernel __attribute__((reqd_work_group_size(TERMS, 1, 1)))
void multipole_shift(__global const float2 *moments, __constant float *binomials, const int side,
                     __global float2 *series)
{
    __local float2 far[TERMS];

    const int term = get_local_id(0), x = get_group_id(0), y = get_global_id(1);
    const int first_x = max((x / 2 - 1) * 2, 0), last_x = min((x / 2 + 1) * 2 + 1, side - 1);
    const int first_y = max((y / 2 - 1) * 2, 0), last_y = min((y / 2 + 1) * 2 + 1, side - 1);
    float2 sum = (float2)(0.0f);
    for (int other_y = first_y; other_y <= last_y; other_y++) {
        for (int other_x = first_x; other_x <= last_x; other_x++) {
            if (abs(other_x - x) <= 1 && abs(other_y - y) <= 1) continue;
            barrier(CLK_LOCAL_MEM_FENCE);
            far[term] = moments[(other_y * side + other_x) * TERMS + term];
            barrier(CLK_LOCAL_MEM_FENCE);
            const float2 way = (float2)(other_x - x, other_y - y), back = -inverse(way);
            float2 inner = (float2)(0.0f), power = back;
            for (int k = 1; k < TERMS; k++) {
                inner += binomials[(k - 1) * TERMS + term] * times(far[k], power);
                power = times(power, back);
            }
            if (term == 0) {
                sum += inner + (float2)(far[0].x * log(length(way)), 0.0f);
                continue;
            }
            float2 outer = -back;
            for (int k = 1; k < term; k++) outer = times(outer, -back);
            sum += times(outer, inner - (float2)(far[0].x / term, 0.0f));
        }
    }
    series[(y * side + x) * TERMS + term] = sum;
}

/* Each item finds the potential of the far charges where a charge is. */
__kernel void far_potential(__global const float4 *charges, const int count, const int side,
                            __global const float2 *series, __global float *potentials)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const float2 place = charges[id].xy, corner = floor(place), off = place - corner - 0.5f;
    __global const float2 *own = series + ((int)corner.y * side + (int)corner.x) * TERMS;
    float2 value = own[TERMS - 1];
    for (int k = TERMS - 2; k >= 0; k--) value = times(value, off) + own[k];
    potentials[id] = value.x;
}

#define WAVES 128 /* as many as strikes */
#define REACH 12.0

typedef struct {
    /* variance now, how it returns, to what, how wild it is, its link to the price */
    double start, back, mean, wild, linked;
} heston_t;

double2 product(const double2 a, const double2 b)
{
    return (double2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

double2 quotient(const double2 a, const double2 b)
{
    return (double2)(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y) / dot(b, b);
}

double2 root(const double2 a)
{
    const double size = length(a);
    return (double2)(sqrt(0.5 * (size + a.x)), copysign(sqrt(0.5 * fmax(size - a.x, 0.0)), a.y));
}

double2 power_of_e(const double2 a)
{
    double cosine;
    const double sine = sincos(a.y, &cosine);
    return exp(a.x) * (double2)(cosine, sine);
}

/* The characteristic function of the logarithm of what a price grows by, less interest. */
double2 heston_wave(const heston_t model, const double time, const double often)
{
    const double square = model.wild * model.wild;
    const double2 one = (double2)(1.0, 0.0);
    const double2 pulled = (double2)(model.back, -model.linked * model.wild * often);
    const double2 bend = root(product(pulled, pulled) + square * (double2)(often * often, often));
    const double2 less = pulled - bend, ratio = quotient(less, pulled + bend);
    const double2 fade = power_of_e(-time * bend);
    const double2 rest = one - product(ratio, fade);
    const double2 grown = quotient(rest, one - ratio);
    const double2 logarithm = (double2)(log(length(grown)), atan2(grown.y, grown.x));
    const double2 by_start = product(quotient(one - fade, rest), less) * (model.start / square);
    const double2 by_mean = (time * less - 2.0 * logarithm) * (model.back * model.mean / square);
    return power_of_e(by_start + by_mean);
}

/* A work-group values the calls of a time under a model whose variance wanders, and says how far
 * they are from the market: the cosine method of Fang and Oosterlee. Its items first find a wave
 * each, and then have a strike each. Dimensions are strikes, times, models. */
__kernel __attribute__((reqd_work_group_size(WAVES, 1, 1)))
void fourier_options(__constant double *strikes, __constant double *times_left,
                     __global const heston_t *models, const double interest,
                     __global const double *market, __global double *values,
                     __global double *errors)
{
    __local double waves[WAVES];
    __local double squares[WAVES];

    const int lid = get_local_id(0), time_number = get_global_id(1), surface = get_global_id(2);
    const heston_t model = models[surface];
    const double time = times_left[time_number], fade = exp(-model.back * time);
    const double drift = (interest - 0.5 * model.mean) * time +
        (1.0 - fade) * (model.mean - model.start) / (2.0 * model.back);
    const double spread = REACH * sqrt(fmax(model.mean, model.start) * time * (1.0 + model.wild));
    const double low = drift - spread, span = 2.0 * spread, pitch = M_PI / span;
    const double2 shift = power_of_e((double2)(0.0, lid * pitch * (interest * time - low)));
    waves[lid] = product(heston_wave(model, time, lid * pitch), shift).x;
    barrier(CLK_LOCAL_MEM_FENCE);

    /* A put first: what it pays has an end. The price is 1 now. */
    const double strike = strikes[lid], wide = log(strike) - low, least = exp(low);
    const double2 turn = power_of_e((double2)(0.0, pitch * wide));
    double2 phase = turn;
    double sum = 0.5 * waves[0] * (strike * wide - strike + least);
    for (int k = 1; k < WAVES; k++) {
        const double often = k * pitch;
        const double of_price = (strike * (phase.x + often * phase.y) - least) /
            (1.0 + often * often);
        sum += waves[k] * (strike * phase.y / often - of_price);
        phase = product(phase, turn);
    }
    const double discount = exp(-interest * time);
    const double value = 2.0 / span * discount * sum + 1.0 - discount * strike;
    const int number = (surface * get_global_size(1) + time_number) * WAVES + lid;
    values[number] = value;
    const double off = value - market[time_number * WAVES + lid];
    squares[lid] = off * off;
    for (int half_size = WAVES / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size) squares[lid] += squares[lid + half_size];
    }
    if (lid == 0) errors[surface * get_global_size(1) + time_number] = sqrt(squares[0] / WAVES);
}
