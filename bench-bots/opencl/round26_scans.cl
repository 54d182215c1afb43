/* Scans: what a radio telescope sees on a grid, rays through slices of a body, how well two scans of a head fit each other. */

#define SUPPORT 8 /* cells along either side that a visibility counts for */
#define FRACTIONS 8
#define BATCH 32

/* An addition that no other item disturbs. */
void add_float(volatile __global float *to, const float more)
{
    union {
        uint bits;
        float value;
    } old, sum;
    do {
        old.value = *to;
        sum.value = old.value + more;
    } while (atomic_cmpxchg((volatile __global uint *)to, old.bits, sum.bits) != old.bits);
}

void add_all(volatile __global float *cell, const float4 sum)
{
    add_float(cell, sum.x);
    add_float(cell + 1, sum.y);
    add_float(cell + 2, sum.z);
    add_float(cell + 3, sum.w);
}

/* A work-group puts the visibilities of two antennas on a grid, both polarisations. As the earth turns, these go a path over the grid.
 * Each item has the cells of which it is the only one within reach, whatever the place of a visibility: it adds up as long as that is the
 * same cell, and tells the grid before it goes to the next one. Kernels depend on how far the antennas are out of the plane. */
__kernel __attribute__((reqd_work_group_size(SUPPORT, SUPPORT, 1)))
void romein_grid(__global const float4 *tracks, __global const float4 *visibilities, const int times, __global const float2 *kernels,
                 const int planes, const int side, volatile __global float *grid)
{
    __local int4 places[BATCH];
    __local float4 seen[BATCH];

    const int x = get_local_id(0), y = get_local_id(1), lid = y * SUPPORT + x, pair = get_global_id(0) / SUPPORT;
    int2 own = (int2)(-1);
    float4 sum = (float4)(0.0f);
    for (int start = 0; start < times; start += BATCH) {
        const int here = min(BATCH, times - start);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < here) {
            const float4 track = tracks[pair * times + start + lid];
            const float2 corner = floor(track.xy);
            const int2 fraction = convert_int2((track.xy - corner) * FRACTIONS);
            const int plane = min((int)fabs(track.z), planes - 1);
            const int kernel_number = (plane * FRACTIONS + fraction.y) * FRACTIONS + fraction.x;
            places[lid] = (int4)(convert_int2(corner) - SUPPORT / 2, kernel_number, track.z < 0.0f);
            seen[lid] = visibilities[pair * times + start + lid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < here; k++) {
            const int4 place = places[k];
            const int2 within = ((int2)(x, y) - place.xy) & (SUPPORT - 1), cell = place.xy + within;
            if (cell.x != own.x || cell.y != own.y) {
                if (own.x >= 0) add_all(grid + 4 * (own.y * side + own.x), sum);
                own = cell;
                sum = (float4)(0.0f);
            }
            float2 weight = kernels[(place.z * SUPPORT + within.y) * SUPPORT + within.x];
            if (place.w) weight.y = -weight.y;
            const float4 value = seen[k];
            sum += weight.x * value + weight.y * (float4)(-value.y, value.x, -value.w, value.z);
        }
    }
    if (own.x >= 0) add_all(grid + 4 * (own.y * side + own.x), sum);
}

__kernel void empty_grid(__global float4 *grid)
{
    grid[get_global_id(0)] = (float4)(0.0f);
}

/* How far along the ray from `from` to `to` the planes of an axis begin and end; a ray in their direction is between them or never. */
float2 within_planes(const float from, const float way, const float end)
{
    if (fabs(way) < 1e-6f) return from >= 0.0f && from < end ? (float2)(-FLT_MAX, FLT_MAX) : (float2)(FLT_MAX, -FLT_MAX);
    const float first = -from / way, second = (end - from) / way;
    return (float2)(fmin(first, second), fmax(first, second));
}

/* Each item follows a ray from the tube to a cell of the detector, through four slices of a body at a time, as Siddon has it: how much it
 * meets is the sum of what each pixel has, times how long the ray is in it. The second dimension is where the tube is. */
__kernel void siddon_rays(__global const float4 *slices, const int side, __constant float2 *ways, const float distance, const float spacing,
                          __global float4 *sums)
{
    const int cell = get_global_id(0), view = get_global_id(1), cells = get_global_size(0);
    const float2 way = ways[view], across = (float2)(-way.y, way.x);
    const float2 from = 0.5f * side - distance * way;
    const float2 ray = 2.0f * distance * way + (cell - 0.5f * (cells - 1)) * spacing * across;
    const float2 columns = within_planes(from.x, ray.x, side), rows = within_planes(from.y, ray.y, side);
    const float last = fmin(columns.y, rows.y);
    float now = fmax(columns.x, rows.x);
    float4 sum = (float4)(0.0f);
    if (now < last) {
        const float2 apart = 1.0f / fabs(ray), start = from + now * ray;
        int x = clamp((int)floor(start.x), 0, side - 1), y = clamp((int)floor(start.y), 0, side - 1);
        const int step_x = ray.x < 0.0f ? -1 : 1, step_y = ray.y < 0.0f ? -1 : 1;
        float next_x = fabs(ray.x) < 1e-6f ? FLT_MAX : (x + (step_x > 0) - from.x) / ray.x;
        float next_y = fabs(ray.y) < 1e-6f ? FLT_MAX : (y + (step_y > 0) - from.y) / ray.y;
        while (x >= 0 && x < side && y >= 0 && y < side) {
            const float until = fmin(fmin(next_x, next_y), last);
            sum += (until - now) * slices[y * side + x];
            now = until;
            if (now >= last) break;
            if (next_x < next_y) {
                x += step_x;
                next_x += apart.x;
            } else {
                y += step_y;
                next_y += apart.y;
            }
        }
    }
    sums[view * cells + cell] = length(ray) * sum;
}

#define SHADES 32
#define DEPTH 8 /* voxels of an item */
#define HEAD_GROUP 64

/* Each item looks where some voxels of a scan are in another one, which is turned and moved, and how bright that is there, between eight
 * voxels. A work-group counts which shades come together. */
__kernel __attribute__((reqd_work_group_size(8, 4, 2)))
void joint_bins(__global const short *fixed_scan, __global const short *moving, const int4 extents, __constant float4 *turn,
                const int2 lowest, const float2 scales, volatile __global uint *counts)
{
    __local uint own_counts[SHADES * SHADES];

    const int lid = (get_local_id(2) * 4 + get_local_id(1)) * 8 + get_local_id(0);
    const int x = get_global_id(0), y = get_global_id(1), row = extents.x, plane = extents.x * extents.y;
    for (int i = lid; i < SHADES * SHADES; i += HEAD_GROUP) own_counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < extents.x && y < extents.y) {
        const int first = get_global_id(2) * DEPTH;
        for (int z = first; z < min(first + DEPTH, extents.z); z++) {
            const float4 place = (float4)(x, y, z, 1.0f);
            const float3 other = (float3)(dot(turn[0], place), dot(turn[1], place), dot(turn[2], place));
            const int3 corner = convert_int3_rtn(other);
            if (any(corner < (int3)(0)) || any(corner >= extents.xyz - 1)) continue;
            const float3 part = other - convert_float3(corner);
            __global const short *at = moving + corner.z * plane + corner.y * row + corner.x;
            const float2 front = mix(convert_float2(vload2(0, at)), convert_float2(vload2(0, at + row)), part.y);
            at += plane;
            const float2 back = mix(convert_float2(vload2(0, at)), convert_float2(vload2(0, at + row)), part.y);
            const float2 between = mix(front, back, part.z);
            const int shade = (fixed_scan[z * plane + y * row + x] - lowest.x) * scales.x;
            const int other_shade = (mix(between.x, between.y, part.x) - lowest.y) * scales.y;
            atomic_inc(&own_counts[clamp(shade, 0, SHADES - 1) * SHADES + clamp(other_shade, 0, SHADES - 1)]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < SHADES * SHADES; i += HEAD_GROUP) {
        if (own_counts[i] > 0) atomic_add(&counts[i], own_counts[i]);
    }
}

__kernel void no_counts(__global uint *counts)
{
    counts[get_global_id(0)] = 0;
}

float bits_of(const uint count, const float all)
{
    const float share = count / all;
    return count > 0 ? -share * log2(share) : 0.0f;
}

/* One work-group finds how many bits the shades of a scan tell of those of the other one: what both have, less what they have together.
 * Each item has a row of the counts, and a column. */
__kernel __attribute__((reqd_work_group_size(SHADES, 1, 1)))
void mutual_bits(__global const uint *counts, __global float *bits)
{
    __local uint totals[SHADES];
    __local float parts[SHADES];

    const int lid = get_local_id(0);
    uint row = 0, column = 0, all = 0;
    for (int i = 0; i < SHADES; i++) {
        row += counts[lid * SHADES + i];
        column += counts[i * SHADES + lid];
    }
    totals[lid] = row;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < SHADES; i++) all += totals[i];
    float own = bits_of(row, all) + bits_of(column, all);
    for (int i = 0; i < SHADES; i++) own -= bits_of(counts[i * SHADES + lid], all);
    parts[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid > 0) return;
    float sum = 0.0f;
    for (int i = 0; i < SHADES; i++) sum += parts[i];
    bits[0] = sum;
    bits[1] = all;
}
