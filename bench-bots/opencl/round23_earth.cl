/* The earth: columns of air where it rains, where water on a terrain runs to, how the level of the sea follows its gravity. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define LEVELS 48
#define HEAT 1004.6f    /* of a kilogram of air */
#define LATENT 2.5e6f   /* heat of a kilogram of vapour */
#define MOST_STEPS 40

typedef struct {
    float pressure, density;
    float factor; /* by which rain falls faster than at the ground */
    float depth;
} level_t;

/* How much vapour air can hold. */
float saturation(const float temperature, const float pressure)
{
    const float vapour_pressure = 611.2f * exp(17.67f * (temperature - 273.15f) / (temperature - 29.65f));
    return 0.622f * vapour_pressure / (pressure - vapour_pressure);
}

float fall_speed(const level_t level, const float rain)
{
    return 36.34f * level.factor * powr(0.001f * level.density * rain, 0.1364f);
}

/* Each item lets a column's rain fall, in as many steps as its speed needs, then turns cloud into rain, vapour into cloud, and rain into
 * vapour, as Kessler has it. A level's values of all columns lie together. */
__kernel void rain_columns(__constant level_t *levels, const int columns, const float step, __global const float *temperatures,
                           __global const float *vapours, __global const float *clouds, __global const float *rains,
                           __global float4 *next, __global float *fallen)
{
    const int id = get_global_id(0);
    if (id >= columns) return;
    float rain[LEVELS];
    float fastest = 0.0f;
    for (int k = 0; k < LEVELS; k++) {
        rain[k] = rains[k * columns + id];
        if (rain[k] > 0.0f) fastest = fmax(fastest, fall_speed(levels[k], rain[k]) / levels[k].depth);
    }

    float sum = 0.0f;
    if (fastest > 0.0f) {
        const int steps = min(1 + (int)(step * fastest), MOST_STEPS);
        const float part = step / steps;
        for (int i = 0; i < steps; i++) {
            float below = levels[0].density * rain[0] * fall_speed(levels[0], rain[0]);
            sum += part * below;
            for (int k = 0; k < LEVELS; k++) {
                float above = 0.0f;
                if (k + 1 < LEVELS && rain[k + 1] > 0.0f) {
                    above = levels[k + 1].density * rain[k + 1] * fall_speed(levels[k + 1], rain[k + 1]);
                }
                rain[k] = fmax(rain[k] + part * (above - below) / (levels[k].density * levels[k].depth), 0.0f);
                below = above;
            }
        }
    }
    fallen[id] = sum;

    for (int k = 0; k < LEVELS; k++) {
        const int at = k * columns + id;
        const level_t level = levels[k];
        float temperature = temperatures[at], vapour = vapours[at], cloud = clouds[at];
        if (cloud > 0.0f) {
            float change = step * 0.001f * fmax(cloud - 0.001f, 0.0f);
            change = fmin(change + step * 2.2f * cloud * powr(rain[k], 0.875f), cloud);
            cloud -= change;
            rain[k] += change;
        }
        const float most = saturation(temperature, level.pressure);
        const float slope = 1.0f + LATENT * LATENT * most / (HEAT * 461.5f * temperature * temperature);
        const float condensed = fmax((vapour - most) / slope, -cloud);
        float dried = 0.0f;
        if (vapour < most && rain[k] > 0.0f) {
            const float wet = level.density * rain[k];
            const float wind = 1.6f + 30.39f * powr(wet, 0.2046f);
            const float rate = wind * powr(wet, 0.525f) * (1.0f - vapour / most) / (2.03e4f + 9.584e6f / (level.pressure * most));
            dried = fmin(fmin(step * rate / level.density, rain[k]), fmax((most - vapour) / slope + condensed, 0.0f));
        }
        vapour += dried - condensed;
        cloud += condensed;
        temperature += LATENT / HEAT * (condensed - dried);
        next[at] = (float4)(temperature, vapour, cloud, rain[k] - dried);
    }
}

__constant int2 ways[8] = {(int2)(1, 0),  (int2)(1, 1),   (int2)(0, 1),  (int2)(-1, 1),
                           (int2)(-1, 0), (int2)(-1, -1), (int2)(0, -1), (int2)(1, -1)};

/* Each item finds the neighbour to which water runs, by the steepest way down, or the cell itself where it stays. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void steepest_ways(__global const ushort *heights, const int width, const int height, __global int *targets, __global int *drained)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const int id = y * width + x, own = heights[id];
    int best = 0, target = id;
    for (int k = 0; k < 8; k++) {
        const int column = x + ways[k].x, row = y + ways[k].y;
        if (column < 0 || row < 0 || column >= width || row >= height) continue;
        const int drop = (own - heights[row * width + column]) * (k % 2 == 0 ? 99 : 70);
        if (drop > best) {
            best = drop;
            target = row * width + column;
        }
    }
    targets[id] = target;
    drained[id] = 1;
}

__kernel void keep_drained(__global const int *drained, const int cells, __global int *next_drained)
{
    const int id = get_global_id(0);
    if (id < cells) next_drained[id] = drained[id];
}

/* Each item hands what its cell drains so far to the cell that is twice as far down as in the round before. */
__kernel void drain_basins(__global const int *targets, __global const int *drained, const int cells, __global int *next_targets,
                           __global int *next_drained)
{
    const int id = get_global_id(0);
    if (id >= cells) return;
    const int target = targets[id];
    if (target < 0) {
        next_targets[id] = -1;
        return;
    }
    const int next = targets[target];
    /* A cell that stays is its own target, and the end of a way. */
    const bool is_end = target == id;
    if (!is_end) atomic_add(&next_drained[target], drained[id]);
    next_targets[id] = is_end || next == target ? -1 : next;
}

/* A work-group counts the streams of a column of the map, from its top to its bottom, and their water. */
__kernel __attribute__((reqd_work_group_size(1, 64, 1)))
void stream_columns(__global const int *drained, const int width, const int height, const int least, __global int2 *columns)
{
    __local int2 parts[64];

    const int x = get_global_id(0), lid = get_local_id(1);
    int2 sum = (int2)(0);
    for (int y = lid; y < height; y += 64) {
        const int water = drained[y * width + x];
        if (water >= least) sum += (int2)(1, water);
    }
    parts[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 32; half_size > 0; half_size >>= 1) {
        if (lid < half_size) parts[lid] += parts[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) columns[x] = parts[0];
}

#define DEGREE 60

typedef struct {
    double radius, mass; /* of the ellipsoid's greater axis; with the constant of gravity */
    double gravity;
} planet_t;

/* Each item adds up the harmonics at a place: an order after the other, and in each its degrees upwards. The functions of Legendre are
 * fully normalised; `up` has the two factors of their recursion. */
__kernel void geoid_heights(__global const double4 *places, __global const double2 *coefficients, __global const double2 *up,
                            const planet_t planet, __global double2 *results)
{
    const int id = get_global_id(0);
    const double4 place = places[id]; /* sine and cosine of the latitude, the longitude, the radius */
    const double sine = place.x, cosine = place.y;
    const double ratio = planet.radius / place.w;
    double turn_cosine;
    const double turn_sine = sincos(place.z, &turn_cosine);

    double diagonal = 1.0, power = 1.0;
    double2 turn = (double2)(1.0, 0.0);
    double height = 0.0, pull = 0.0;
    int at = 0;
    for (int order = 0; order <= DEGREE; order++) {
        if (order > 0) {
            diagonal *= cosine * sqrt(order == 1 ? 3.0 : (2.0 * order + 1.0) / (2.0 * order));
            power *= ratio;
            turn = (double2)(turn.x * turn_cosine - turn.y * turn_sine, turn.y * turn_cosine + turn.x * turn_sine);
        }
        double before = 0.0, legendre = diagonal, scale = power;
        for (int degree = order; degree <= DEGREE; degree++, at++) {
            if (degree > order) {
                const double next = up[at].x * sine * legendre - up[at].y * before;
                before = legendre;
                legendre = next;
                scale *= ratio;
            }
            const double term = scale * legendre * dot(coefficients[at], turn);
            height += term;
            pull += (degree - 1) * term;
        }
    }
    const double potential = planet.mass / place.w;
    results[id] = (double2)(potential * height / planet.gravity, potential / place.w * pull * 1e5);
}
