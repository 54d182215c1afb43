/* Pictures: how alike two are to the eye, the seed that is nearest to each pixel, the colours of a sky. */

#define SIDE 16
#define REACH 5
#define TILE (SIDE + 2 * REACH)

/* How alike the surroundings of each pixel are in two pictures: means, variances and the covariance under a bell of 11 by 11
 * pixels, rows first. Beyond the border its pixels go on. Each work-group adds its pixels up, too. */
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void ssim_windows(__global const uchar *firsts, __global const uchar *seconds, const int width, const int height,
                  __constant float *bell, __global float *map, __global float *parts)
{
    __local float2 tile[TILE][TILE];
    __local float4 moments[TILE][SIDE];
    __local float products[TILE][SIDE];
    __local float sums[SIDE * SIDE];

    const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * SIDE + lx;
    const int x = get_global_id(0), y = get_global_id(1);
    const int left = get_group_id(0) * SIDE - REACH, top = get_group_id(1) * SIDE - REACH;
    for (int i = lid; i < TILE * TILE; i += SIDE * SIDE) {
        const int column = clamp(left + i % TILE, 0, width - 1), row = clamp(top + i / TILE, 0, height - 1);
        const int at = row * width + column;
        tile[i / TILE][i % TILE] = (float2)(firsts[at], seconds[at]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int row = ly; row < TILE; row += SIDE) {
        float4 moment = (float4)(0.0f);
        float product = 0.0f;
        for (int k = 0; k <= 2 * REACH; k++) {
            const float2 pixel = tile[row][lx + k];
            moment += bell[k] * (float4)(pixel, pixel * pixel);
            product += bell[k] * pixel.x * pixel.y;
        }
        moments[row][lx] = moment;
        products[row][lx] = product;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float alike = 0.0f;
    if (x < width && y < height) {
        const float c1 = 0.01f * 255.0f * 0.01f * 255.0f, c2 = 0.03f * 255.0f * 0.03f * 255.0f;
        float4 moment = (float4)(0.0f);
        float product = 0.0f;
        for (int k = 0; k <= 2 * REACH; k++) {
            moment += bell[k] * moments[ly + k][lx];
            product += bell[k] * products[ly + k][lx];
        }
        const float2 mean = moment.xy, variance = moment.zw - mean * mean;
        const float covariance = product - mean.x * mean.y;
        alike = (2.0f * mean.x * mean.y + c1) * (2.0f * covariance + c2) /
                ((dot(mean, mean) + c1) * (variance.x + variance.y + c2));
        map[y * width + x] = alike;
    }
    sums[lid] = alike;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = SIDE * SIDE / 2; step > 0; step >>= 1) {
        if (lid < step) sums[lid] += sums[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) parts[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = sums[0];
}

/* No pixel knows a seed. */
__kernel void forget_seeds(__global short2 *nearest, const int pixels)
{
    const int id = get_global_id(0);
    if (id < pixels) nearest[id] = (short2)(-1);
}

__kernel void plant_seeds(__global const short2 *seeds, const int count, const int width, __global short2 *nearest)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const short2 seed = seeds[id];
    nearest[seed.y * width + seed.x] = seed;
}

/* Each pixel asks itself and eight others, some steps away, for the seed that they know, and keeps the nearest. */
__kernel void flood_step(__global const short2 *before, const int width, const int height, const int step,
                         __global short2 *after)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    short2 best = before[y * width + x];
    int least = INT_MAX;
    if (best.x >= 0) {
        const int dx = best.x - x, dy = best.y - y;
        least = dx * dx + dy * dy;
    }
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            const int column = x + i * step, row = y + j * step;
            if (column < 0 || column >= width || row < 0 || row >= height) continue;
            const short2 seed = before[row * width + column];
            if (seed.x < 0) continue;
            const int dx = seed.x - x, dy = seed.y - y, square = dx * dx + dy * dy;
            if (square < least) {
                least = square;
                best = seed;
            }
        }
    }
    after[y * width + x] = best;
}

/* How far each pixel is from its seed, and whether the pixel at the right or that below has another one. */
__kernel void cell_distances(__global const short2 *nearest, const int width, const int height, __global float *distances,
                             __global uchar *borders)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const int at = y * width + x;
    const short2 own = nearest[at];
    distances[at] = length(convert_float2(own) - (float2)(x, y));
    const bool right = x + 1 < width && any(nearest[at + 1] != own);
    const bool below = y + 1 < height && any(nearest[at + width] != own);
    borders[at] = right || below ? 255 : 0;
}

#define GROUND 6360.0f /* km */
#define TOP 6420.0f
#define VIEW_STEPS 16
#define LIGHT_STEPS 8

/* How far it is along a ray to where it leaves a sphere around the middle of the earth, from inside. */
float way_out(const float3 from, const float3 along, const float radius)
{
    const float b = dot(from, along);
    return sqrt(b * b - dot(from, from) + radius * radius) - b;
}

/* A ray that goes down far enough to meet the ground. */
bool meets_ground(const float3 from, const float3 along)
{
    const float b = dot(from, along);
    return b < 0.0f && dot(from, from) - b * b < GROUND * GROUND;
}

/* How much air and haze there are at a place, as parts of those at the ground. */
float2 density(const float3 place)
{
    const float height = length(place) - GROUND;
    return (float2)(exp(-height / 8.0f), exp(-height / 1.2f));
}

/* The sky as a lens sees it that looks straight up: light that air and haze scatter once. */
__kernel void sky_scatter(const int width, const int height, const float4 sun, const float haze, __global uchar4 *out)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height) return;
    const float2 lens = (float2)(2.0f * column + 1.0f - width, 2.0f * row + 1.0f - height) / min(width, height);
    const float square = dot(lens, lens);
    if (square >= 1.0f) {
        out[row * width + column] = (uchar4)(0, 0, 0, 255);
        return;
    }

    const float3 air_part = (float3)(5.8e-3f, 13.5e-3f, 33.1e-3f);
    const float haze_part = 4.0e-3f * haze;
    const float3 along = (float3)(lens.x, sqrt(1.0f - square), lens.y), eye = (float3)(0.0f, GROUND + 0.2f, 0.0f);
    const float step = way_out(eye, along, TOP) / VIEW_STEPS;
    float2 depth = (float2)(0.0f);
    float3 air = (float3)(0.0f), dust = (float3)(0.0f);
    for (int i = 0; i < VIEW_STEPS; i++) {
        const float3 place = eye + along * (step * (i + 0.5f));
        const float2 here = density(place) * step;
        depth += here;
        if (meets_ground(place, sun.xyz)) continue;
        const float light_step = way_out(place, sun.xyz, TOP) / LIGHT_STEPS;
        float2 light_depth = (float2)(0.0f);
        for (int k = 0; k < LIGHT_STEPS; k++) light_depth += density(place + sun.xyz * (light_step * (k + 0.5f)));
        const float2 all = depth + light_depth * light_step;
        const float3 left = exp(-(air_part * all.x + 1.1f * haze_part * all.y));
        air += left * here.x;
        dust += left * here.y;
    }

    const float cosine = dot(along, sun.xyz), g = 0.76f;
    const float air_phase = 3.0f / (16.0f * M_PI_F) * (1.0f + cosine * cosine);
    const float haze_phase = 3.0f / (8.0f * M_PI_F) * (1.0f - g * g) * (1.0f + cosine * cosine) /
                             ((2.0f + g * g) * pow(1.0f + g * g - 2.0f * g * cosine, 1.5f));
    const float3 light = sun.w * (air * air_part * air_phase + dust * haze_part * haze_phase);
    const float3 shown = pow(1.0f - exp(-light), (float3)(1.0f / 2.2f));
    out[row * width + column] = (uchar4)(convert_uchar3_sat_rte(shown * 255.0f), 255);
}
