/* Worlds: an operator on curved elements, particles that go through matter in some directions, rain that digs valleys, light that finds
 * its way between balls. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define NODES 8 /* of an element, along each side */
#define FACTORS 7

/* Each work-group applies Helmholtz's operator to an element: slopes in three directions, what the element's shape makes of these, and
 * slopes of that. Each item has a column of nodes; a layer after the other is in local memory. Of the factors of a node six are of its
 * shape, which is the same both ways, and one is its mass. */
__kernel __attribute__((reqd_work_group_size(NODES, NODES, 1)))
void spectral_ax(__global const double *values, __global const double *factors, __constant double *slopes, const double lambda,
                 __global double *results)
{
    __local double own_slopes[NODES][NODES];
    __local double layer[NODES][NODES];
    __local double flux_x[NODES][NODES];
    __local double flux_y[NODES][NODES];

    const int x = get_local_id(0), y = get_local_id(1), element = get_group_id(0);
    const int start = element * NODES * NODES * NODES + y * NODES + x;
    double column[NODES], sums[NODES];
    own_slopes[y][x] = slopes[y * NODES + x];
    for (int z = 0; z < NODES; z++) {
        column[z] = values[start + z * NODES * NODES];
        sums[z] = 0.0;
    }
    for (int z = 0; z < NODES; z++) {
        layer[y][x] = column[z];
        barrier(CLK_LOCAL_MEM_FENCE);
        double slope_x = 0.0, slope_y = 0.0, slope_z = 0.0;
        for (int k = 0; k < NODES; k++) {
            slope_x += own_slopes[x][k] * layer[y][k];
            slope_y += own_slopes[y][k] * layer[k][x];
            slope_z += own_slopes[z][k] * column[k];
        }
        __global const double *factor = factors + (size_t)element * FACTORS * NODES * NODES * NODES + (z * NODES + y) * NODES + x;
        const double xx = factor[0], xy = factor[512], xz = factor[1024], yy = factor[1536], yz = factor[2048], zz = factor[2560];
        flux_x[y][x] = xx * slope_x + xy * slope_y + xz * slope_z;
        flux_y[y][x] = xy * slope_x + yy * slope_y + yz * slope_z;
        const double flux_z = xz * slope_x + yz * slope_y + zz * slope_z;
        barrier(CLK_LOCAL_MEM_FENCE);
        double sum = lambda * factor[3072] * column[z];
        for (int k = 0; k < NODES; k++) {
            sum += own_slopes[k][x] * flux_x[y][k] + own_slopes[k][y] * flux_y[k][x];
            sums[k] += own_slopes[z][k] * flux_z;
        }
        sums[z] += sum;
    }
    for (int z = 0; z < NODES; z++) results[start + z * NODES * NODES] = sums[z];
}

#define ANGLES 8
#define CELLS_GROUP 4

/* Each item takes particles of one direction through a cell: those that come in on three sides and those that begin there leave on the
 * other three, or are caught. Cells of a diagonal plane don't need each other; the third dimension has the corners from which directions
 * come. Where fewer than none would leave a side, none do, and the rest is found again. */
__kernel __attribute__((reqd_work_group_size(ANGLES, CELLS_GROUP, 1)))
void sn_sweep(__global const uchar4 *cells, const int first, const int count, const int side, __constant float4 *directions,
              __constant float2 *materials, __global const uchar *kinds, __global float *edges, __global float *fluxes)
{
    __local float parts[CELLS_GROUP][ANGLES];

    const int angle = get_local_id(0), row = get_local_id(1), corner = get_global_id(2), at = get_global_id(1);
    const bool is_cell = at < count;
    int place = 0;
    parts[row][angle] = 0.0f;
    if (is_cell) {
        const uchar4 cell = cells[first + at];
        const int3 turned = select((int3)(cell.x, cell.y, cell.z), side - 1 - (int3)(cell.x, cell.y, cell.z),
                                   -((int3)(corner, corner >> 1, corner >> 2) & 1));
        place = (turned.z * side + turned.y) * side + turned.x;
        const int plane = side * side;
        __global float *edge = edges + (corner * 3 * plane) * ANGLES + angle;
        __global float *edge_x = edge + (cell.z * side + cell.y) * ANGLES, *edge_y = edge + (plane + cell.z * side + cell.x) * ANGLES;
        __global float *edge_z = edge + (2 * plane + cell.y * side + cell.x) * ANGLES;
        const float4 direction = directions[angle];
        const float2 material = materials[kinds[place]]; /* how much is caught, how much begins there */
        const float3 in = (float3)(*edge_x, *edge_y, *edge_z), ways = 2.0f * direction.xyz;
        float3 share = (float3)(1.0f), out;
        float mean;
        for (int turn = 0; turn < 4; turn++) {
            const float below = material.x + dot(ways, share);
            mean = (material.y + dot(direction.xyz, in * (1.0f + share))) / below;
            out = share * (2.0f * mean - in);
            const int3 negative = out < (float3)(0.0f);
            if (!any(negative)) break;
            share = select(share, (float3)(0.0f), negative);
        }
        out = fmax(out, 0.0f);
        *edge_x = out.x;
        *edge_y = out.y;
        *edge_z = out.z;
        parts[row][angle] = direction.w * mean;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (angle > 0 || !is_cell) return;
    float sum = 0.0f;
    for (int k = 0; k < ANGLES; k++) sum += parts[row][k];
    fluxes[corner * side * side * side + place] = sum;
}

__kernel void enter_edges(__global float *edges, const float flux)
{
    edges[get_global_id(0)] = flux;
}

/* Each item adds up what came to a cell from all corners. */
__kernel void all_corners(__global const float *fluxes, __global float *sums)
{
    const int id = get_global_id(0), cells = get_global_size(0);
    float sum = 0.0f;
    for (int corner = 0; corner < 8; corner++) sum += fluxes[corner * cells + id];
    sums[id] = sum;
}

typedef struct {
    float step, rain, pull; /* seconds; metres a second; how fast water gets going between cells */
    float carries, digs, drops, dries;
} weather_t;

/* Land has (ground, water, soil in the water, nothing). */
__kernel void first_land(__global const float *heights, __global float4 *land, __global float4 *flows)
{
    const int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    land[at] = (float4)(heights[at], 0.0f, 0.0f, 0.0f);
    flows[at] = (float4)(0.0f);
}

/* Each item finds how much water leaves a cell to the left, the right, up and down. It is never more than there is. */
__kernel void water_flows(__global const float4 *land, const weather_t weather, __global float4 *flows)
{
    const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1), at = y * width + x;
    const float4 own = land[at];
    const float level = own.x + own.y + weather.rain * weather.step;
    float4 falls = (float4)(0.0f);
    if (x > 0) falls.x = level - land[at - 1].x - land[at - 1].y;
    if (x < width - 1) falls.y = level - land[at + 1].x - land[at + 1].y;
    if (y > 0) falls.z = level - land[at - width].x - land[at - width].y;
    if (y < height - 1) falls.w = level - land[at + width].x - land[at + width].y;
    float4 flow = fmax(flows[at] + weather.step * weather.pull * falls, 0.0f);
    if (x == 0) flow.x = 0.0f;
    if (x == width - 1) flow.y = 0.0f;
    if (y == 0) flow.z = 0.0f;
    if (y == height - 1) flow.w = 0.0f;
    const float leaves = dot(flow, (float4)(weather.step)), there = own.y + weather.rain * weather.step;
    if (leaves > there) flow *= there / leaves;
    flows[at] = flow;
}

/* Each item finds how deep the water of a cell is then and how fast it goes. Fast water on a slope digs, slow one drops what it has. */
__kernel void move_water(__global const float4 *land, __global const float4 *flows, const weather_t weather, __global float4 *next_land,
                         __global float2 *speeds)
{
    const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1), at = y * width + x;
    const int left = x > 0 ? at - 1 : at, right = x < width - 1 ? at + 1 : at, above = y > 0 ? at - width : at;
    const int below = y < height - 1 ? at + width : at;
    const float4 flow = flows[at];
    const float4 comes = (float4)(x > 0 ? flows[left].y : 0.0f, x < width - 1 ? flows[right].x : 0.0f, y > 0 ? flows[above].w : 0.0f,
                                  y < height - 1 ? flows[below].z : 0.0f);
    float4 own = land[at];
    const float before = own.y + weather.rain * weather.step;
    own.y = fmax(before + weather.step * dot(comes - flow, (float4)(1.0f)), 0.0f);
    const float depth = 0.5f * (before + own.y);
    float2 speed = (float2)(comes.x - flow.x + flow.y - comes.y, comes.z - flow.z + flow.w - comes.w) * 0.5f;
    speed = depth > 1e-4f ? speed / depth : (float2)(0.0f);
    const float fast = length(speed);
    if (fast > 1.0f) speed /= fast;

    const float2 slope = 0.5f * (float2)(land[right].x - land[left].x, land[below].x - land[above].x);
    const float steep = sqrt(dot(slope, slope) / (1.0f + dot(slope, slope)));
    const float most = weather.carries * fmax(steep, 0.05f) * fmin(fast, 1.0f);
    const float change = own.z < most ? weather.digs * (most - own.z) : weather.drops * (most - own.z);
    own.x -= weather.step * change;
    own.z += weather.step * change;
    own.y *= 1.0f - weather.dries * weather.step;
    next_land[at] = own;
    speeds[at] = speed;
}

/* Each item finds where the water of a cell came from, and takes the soil that was there. */
__kernel void carry_soil(__global const float4 *land, __global const float2 *speeds, const weather_t weather, __global float4 *next_land)
{
    const int width = get_global_size(0), height = get_global_size(1), at = get_global_id(1) * width + get_global_id(0);
    const float2 most = (float2)(width - 1, height - 1);
    const float2 from = clamp((float2)(get_global_id(0), get_global_id(1)) - weather.step * speeds[at], (float2)(0.0f), most);
    const int2 corner = min(convert_int2(from), (int2)(width - 2, height - 2));
    const float2 part = from - convert_float2(corner);
    __global const float4 *cell = land + corner.y * width + corner.x;
    float4 own = land[at];
    own.z = mix(mix(cell[0].z, cell[1].z, part.x), mix(cell[width].z, cell[width + 1].z, part.x), part.y);
    next_land[at] = own;
}

#define MOST_BOUNCES 6
#define NOTHING -1
#define TINY 1e-3f

enum kind { MATT, MIRROR, GLASS };

typedef struct {
    float4 ball; /* place and radius */
    float4 light; /* that it sends out; and its kind */
    float4 colour;
} ball_t;

/* A number from 0 up to 1, and the next state. */
float chance(uint *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (*state >> 8) * 0x1p-24f;
}

uint seed_of(uint word)
{
    word = (word ^ word >> 16) * 0x7feb352du;
    word = (word ^ word >> 15) * 0x846ca68bu;
    word ^= word >> 16;
    return word == 0 ? 1 : word;
}

/* The nearest ball on a way, and how far it is. */
int meet(__constant ball_t *balls, const int count, const float3 from, const float3 way, float *distance)
{
    int nearest = NOTHING;
    *distance = FLT_MAX;
    for (int i = 0; i < count; i++) {
        const float3 apart = balls[i].ball.xyz - from;
        const float along = dot(apart, way), radius = balls[i].ball.w;
        const float3 aside = apart - along * way;
        const float square = radius * radius - dot(aside, aside);
        if (square < 0.0f) continue;
        const float half_chord = sqrt(square), near_side = along - half_chord, far_side = along + half_chord;
        const float side = near_side > TINY ? near_side : far_side;
        if (side > TINY && side < *distance) {
            *distance = side;
            nearest = i;
        }
    }
    return nearest;
}

/* A way from a matt surface, more likely a steep one. */
float3 scattered(const float3 normal, uint *state)
{
    const float angle = 2.0f * M_PI_F * chance(state), share = chance(state), flat = sqrt(share);
    const float3 other = fabs(normal.x) > 0.5f ? (float3)(0.0f, 1.0f, 0.0f) : (float3)(1.0f, 0.0f, 0.0f);
    const float3 u = normalize(cross(other, normal)), v = cross(normal, u);
    float cosine;
    const float sine = sincos(angle, &cosine);
    return normalize(flat * cosine * u + flat * sine * v + sqrt(1.0f - share) * normal);
}

/* Each item follows some rays of a pixel from ball to ball until they are lost, and adds up what light they find. */
__kernel void path_spheres(__constant ball_t *balls, const int count, const int width, const int height, const int samples,
                           __global float *picture)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    uint state = seed_of(y * width + x + 1);
    float3 sum = (float3)(0.0f);
    for (int sample = 0; sample < samples; sample++) {
        const float right = (x + chance(&state) - 0.5f * width) / height, up = (0.5f * height - y - chance(&state)) / height;
        float3 from = (float3)(0.0f, 1.0f, 5.0f), way = normalize((float3)(right, up, -1.1f)), share = (float3)(1.0f);
        for (int bounce = 0; bounce < MOST_BOUNCES; bounce++) {
            float distance;
            const int met = meet(balls, count, from, way, &distance);
            if (met == NOTHING) {
                sum += share * mix((float3)(0.9f, 0.85f, 0.8f), (float3)(0.3f, 0.5f, 0.9f), 0.5f + 0.5f * way.y) * 0.4f;
                break;
            }
            const ball_t ball = balls[met];
            sum += share * ball.light.xyz;
            from += distance * way;
            const float3 normal = (from - ball.ball.xyz) / ball.ball.w;
            const bool is_inside = dot(normal, way) > 0.0f;
            const float3 facing = is_inside ? -normal : normal;
            if (bounce > 2) {
                const float most = fmax(share.x, fmax(share.y, share.z));
                if (chance(&state) >= most) break;
                share /= most;
            }
            share *= ball.colour.xyz;
            switch ((int)ball.light.w) {
            case MATT:
                way = scattered(facing, &state);
                break;
            case MIRROR:
                way -= 2.0f * dot(way, normal) * normal;
                break;
            case GLASS: {
                const float ratio = is_inside ? 1.5f : 1.0f / 1.5f, cosine = -dot(way, facing);
                const float square = 1.0f - ratio * ratio * (1.0f - cosine * cosine);
                const float clear = is_inside ? sqrt(fmax(square, 0.0f)) : cosine;
                const float reflected = 0.04f + 0.96f * pown(1.0f - clear, 5);
                if (square < 0.0f || chance(&state) < reflected) way += 2.0f * cosine * facing;
                else way = normalize(ratio * way + (ratio * cosine - sqrt(square)) * facing);
                break;
            }
            }
        }
    }
    vstore3(sum / samples, y * width + x, picture);
}
