/* Pictures: textures of packed blocks and their smaller copies, light from all around for surfaces that shine, the plane that two pictures
 * share. */

__constant short2 steps_of_table[8] = {(short2)(2, 8),   (short2)(5, 17),  (short2)(9, 29),   (short2)(13, 42),
                                       (short2)(18, 60), (short2)(24, 80), (short2)(33, 106), (short2)(47, 183)};
__constant short distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};

/* Bits of a block, of which the last one is bit 0. */
int field(const ulong block, const int low, const int width)
{
    return (int)(block >> low) & ((1 << width) - 1);
}

/* Numbers of four to seven bits as of eight. */
int3 from_four(const int3 colour)
{
    return colour << 4 | colour;
}

int3 from_five(const int3 colour)
{
    return colour << 3 | colour >> 2;
}

int3 from_six_seven_six(const int3 colour)
{
    return (int3)(colour.x << 2 | colour.x >> 4, colour.y << 1 | colour.y >> 6, colour.z << 2 | colour.z >> 4);
}

/* Two halves of a block, each with a colour that is made lighter and darker. */
void paint_halves(const ulong block, const int3 first, const int3 second, int3 *pixels)
{
    const bool is_flipped = block >> 32 & 1;
    for (int i = 0; i < 16; i++) {
        const int x = i / 4, y = i % 4;
        const bool is_second = (is_flipped ? y : x) >= 2;
        const short2 pair = steps_of_table[field(block, is_second ? 34 : 37, 3)];
        const int size = block >> i & 1 ? pair.y : pair.x;
        pixels[y * 4 + x] = (is_second ? second : first) + (block >> (16 + i) & 1 ? -size : size);
    }
}

/* Four colours for all pixels. */
void paint_four(const ulong block, const int3 *paints, int3 *pixels)
{
    for (int i = 0; i < 16; i++) {
        pixels[i % 4 * 4 + i / 4] = paints[(block >> (16 + i) & 1) << 1 | (block >> i & 1)];
    }
}

/* Each item unpacks a block of four by four pixels; its colours tell which of five ways it is packed in. */
__kernel __attribute__((reqd_work_group_size(16, 4, 1)))
void etc_texture(__global const uchar8 *blocks, const int columns, const int rows, __global uchar *picture)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const ulong block = as_ulong(blocks[row * columns + column].s76543210);
    int3 pixels[16];
    if ((block >> 33 & 1) == 0) {
        const int3 first = (int3)(field(block, 60, 4), field(block, 52, 4), field(block, 44, 4));
        const int3 second = (int3)(field(block, 56, 4), field(block, 48, 4), field(block, 40, 4));
        paint_halves(block, from_four(first), from_four(second), pixels);
    } else {
        const int3 first = (int3)(field(block, 59, 5), field(block, 51, 5), field(block, 43, 5));
        const int3 change = (int3)(field(block, 56, 3), field(block, 48, 3), field(block, 40, 3));
        const int3 second = first + ((change ^ 4) - 4);
        if (second.x < 0 || second.x > 31) {
            const int3 one = from_four((int3)(field(block, 59, 2) << 2 | field(block, 56, 2), field(block, 52, 4), field(block, 48, 4)));
            const int3 other = from_four((int3)(field(block, 44, 4), field(block, 40, 4), field(block, 36, 4)));
            const int distance = distances[field(block, 34, 2) << 1 | field(block, 32, 1)];
            const int3 paints[4] = {one, other + distance, other, other - distance};
            paint_four(block, paints, pixels);
        } else if (second.y < 0 || second.y > 31) {
            const int3 one = (int3)(field(block, 59, 4), field(block, 56, 3) << 1 | field(block, 52, 1),
                                    field(block, 51, 1) << 3 | field(block, 47, 3));
            const int3 other = (int3)(field(block, 43, 4), field(block, 39, 4), field(block, 35, 4));
            const bool is_not_less = (one.x << 8 | one.y << 4 | one.z) >= (other.x << 8 | other.y << 4 | other.z);
            const int distance = distances[field(block, 34, 1) << 2 | field(block, 32, 1) << 1 | is_not_less];
            const int3 paints[4] = {from_four(one) + distance, from_four(one) - distance, from_four(other) + distance,
                                    from_four(other) - distance};
            paint_four(block, paints, pixels);
        } else if (second.z < 0 || second.z > 31) {
            const int3 origin = from_six_seven_six((int3)(field(block, 57, 6), field(block, 56, 1) << 6 | field(block, 49, 6),
                                                          field(block, 48, 1) << 5 | field(block, 43, 2) << 3 | field(block, 39, 3)));
            const int3 across = from_six_seven_six((int3)(field(block, 34, 5) << 1 | field(block, 32, 1), field(block, 25, 7),
                                                          field(block, 19, 6)));
            const int3 down = from_six_seven_six((int3)(field(block, 13, 6), field(block, 6, 7), field(block, 0, 6)));
            for (int i = 0; i < 16; i++) {
                pixels[i] = (i % 4 * (across - origin) + i / 4 * (down - origin) + 4 * origin + 2) >> 2;
            }
        } else {
            paint_halves(block, from_five(first), from_five(second), pixels);
        }
    }
    for (int y = 0; y < 4; y++) {
        uchar4 line[4];
        for (int x = 0; x < 4; x++) line[x] = (uchar4)(convert_uchar3_sat(pixels[y * 4 + x]), 255);
        vstore16((uchar16)(line[0], line[1], line[2], line[3]), (row * 4 + y) * columns + column, picture);
    }
}

/* Each item mixes four pixels to one of the next smaller picture, or two or three at an odd border. */
__kernel void half_texture(__global const uchar4 *from, const int width, const int height, __global uchar4 *to)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int right = min(2 * x + 1, width - 1), below = min(2 * y + 1, height - 1);
    uint4 sum = convert_uint4(from[2 * y * width + 2 * x]) + convert_uint4(from[2 * y * width + right]);
    sum += convert_uint4(from[below * width + 2 * x]) + convert_uint4(from[below * width + right]);
    to[y * get_global_size(0) + x] = convert_uchar4((sum + 2) >> 2);
}

#define SAMPLES 64

typedef struct {
    int width, height;
} extent_t;

/* What the light is from a direction, between the four pixels of a map of all directions. */
float4 light_from(__global const float4 *map, const extent_t size, const float3 way)
{
    const float across = (atan2(way.y, way.x) * (0.5f / M_PI_F) + 0.5f) * size.width - 0.5f;
    const float down = atan2(sqrt(way.x * way.x + way.y * way.y), way.z) / M_PI_F * size.height - 0.5f;
    const float left = floor(across), top = floor(down);
    const int column = ((int)left + size.width) % size.width, next = (column + 1) % size.width;
    const int row = clamp((int)top, 0, size.height - 1) * size.width, below = clamp((int)top + 1, 0, size.height - 1) * size.width;
    const float4 upper = mix(map[row + column], map[row + next], across - left);
    const float4 lower = mix(map[below + column], map[below + next], across - left);
    return mix(upper, lower, down - top);
}

/* The bits of a number behind the point, the last one first. */
float turned_bits(uint bits)
{
    bits = bits << 16 | bits >> 16;
    bits = (bits & 0x00ff00ff) << 8 | (bits & 0xff00ff00) >> 8;
    bits = (bits & 0x0f0f0f0f) << 4 | (bits & 0xf0f0f0f0) >> 4;
    bits = (bits & 0x33333333) << 2 | (bits & 0xcccccccc) >> 2;
    bits = (bits & 0x55555555) << 1 | (bits & 0xaaaaaaaa) >> 1;
    return (bits >> 8) * 0x1p-24f;
}

/* Each item gathers the light that a surface sends to where it faces, as rough as the layer says: GGX's facets turn the light. */
__kernel __attribute__((reqd_work_group_size(32, 4, 1)))
void ggx_prefilter(__global const float4 *map, const extent_t size, const int width, const int height, __constant float *roughness,
                   __global float4 *layers)
{
    const int x = get_global_id(0), y = get_global_id(1), layer = get_global_id(2);
    if (x >= width || y >= height) return;
    float cosine, flat_cosine;
    const float flat = sincos(M_PI_F * (y + 0.5f) / height, &flat_cosine);
    const float sine = sincos(M_PI_F * (2.0f * (x + 0.5f) / width - 1.0f), &cosine);
    const float3 normal = (float3)(flat * cosine, flat * sine, flat_cosine);
    const int at = (layer * height + y) * width + x;
    const float alpha = roughness[layer] * roughness[layer];
    if (alpha == 0.0f) {
        layers[at] = light_from(map, size, normal);
        return;
    }

    const float3 other = fabs(normal.z) < 0.9f ? (float3)(0.0f, 0.0f, 1.0f) : (float3)(1.0f, 0.0f, 0.0f);
    const float3 tangent = normalize(cross(other, normal)), side = cross(normal, tangent);
    float4 sum = (float4)(0.0f);
    float weight = 0.0f;
    for (uint i = 0; i < SAMPLES; i++) {
        const float share = turned_bits(i);
        const float up = sqrt((1.0f - share) / (1.0f + (alpha * alpha - 1.0f) * share)), out = sqrt(1.0f - up * up);
        float turn_cosine;
        const float turn_sine = sincos(2.0f * M_PI_F * (i + 0.5f) / SAMPLES, &turn_cosine);
        const float3 half_way = out * turn_cosine * tangent + out * turn_sine * side + up * normal;
        const float3 way = 2.0f * dot(normal, half_way) * half_way - normal;
        const float facing = dot(normal, way);
        if (facing <= 0.0f) continue;
        sum += facing * light_from(map, size, way);
        weight += facing;
    }
    layers[at] = sum / weight;
}

#define MATCH_GROUP 64
#define UNKNOWNS 8

uint next_word(uint *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Twice the area of a triangle. */
float area_of(const float2 a, const float2 b, const float2 c)
{
    return fabs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
}

bool are_spread(const float2 a, const float2 b, const float2 c, const float2 d)
{
    return fmin(fmin(area_of(a, b, c), area_of(a, b, d)), fmin(area_of(a, c, d), area_of(b, c, d))) > 0.05f;
}

/* Gauss's elimination, each time by the row whose first number is the greatest. Where none is great enough, there is no solution. */
bool solve(float rows[UNKNOWNS][UNKNOWNS + 1], float *solution)
{
    for (int k = 0; k < UNKNOWNS; k++) {
        int best = k;
        for (int i = k + 1; i < UNKNOWNS; i++) {
            if (fabs(rows[i][k]) > fabs(rows[best][k])) best = i;
        }
        if (fabs(rows[best][k]) < 1e-4f) return false;
        for (int j = k; j <= UNKNOWNS; j++) {
            const float kept = rows[k][j];
            rows[k][j] = rows[best][j];
            rows[best][j] = kept;
        }
        for (int i = k + 1; i < UNKNOWNS; i++) {
            const float factor = rows[i][k] / rows[k][k];
            for (int j = k; j <= UNKNOWNS; j++) rows[i][j] -= factor * rows[k][j];
        }
    }
    for (int k = UNKNOWNS - 1; k >= 0; k--) {
        float sum = rows[k][UNKNOWNS];
        for (int j = k + 1; j < UNKNOWNS; j++) sum -= rows[k][j] * solution[j];
        solution[k] = sum / rows[k][k];
    }
    return true;
}

/* How far a match is from where a homography has it, squared. */
float square_error(const float *h, const float4 match)
{
    const float below = h[6] * match.x + h[7] * match.y + 1.0f;
    const float2 to = (float2)(h[0] * match.x + h[1] * match.y + h[2], h[3] * match.x + h[4] * match.y + h[5]) / below;
    const float2 off = to - match.zw;
    return dot(off, off);
}

/* Each item takes four matches by chance, finds the homography that has them all, and counts the matches that agree. */
__kernel __attribute__((reqd_work_group_size(MATCH_GROUP, 1, 1)))
void ransac_homography(__global const float4 *matches, const int count, const uint seed, const float tolerance, const int tries,
                       __global int4 *chosen, __global float8 *models, __global int *agreeing, __global uint *best)
{
    __local float4 tile[MATCH_GROUP];

    const int id = get_global_id(0), lid = get_local_id(0);
    float model[UNKNOWNS];
    uint state = (id + 1) * 0x9e3779b9u ^ seed;
    int picks[4];
    for (int k = 0; k < 4;) {
        picks[k] = next_word(&state) % count;
        bool is_new = true;
        for (int i = 0; i < k; i++) is_new = is_new && picks[i] != picks[k];
        if (is_new) k++;
    }
    const float4 a = matches[picks[0]], b = matches[picks[1]], c = matches[picks[2]], d = matches[picks[3]];
    bool is_good = id < tries && are_spread(a.xy, b.xy, c.xy, d.xy) && are_spread(a.zw, b.zw, c.zw, d.zw);
    if (is_good) {
        float rows[UNKNOWNS][UNKNOWNS + 1];
        for (int k = 0; k < 4; k++) {
            const float4 match = matches[picks[k]];
            const float upper[UNKNOWNS + 1] = {match.x, match.y, 1.0f, 0.0f, 0.0f, 0.0f, -match.x * match.z, -match.y * match.z, match.z};
            const float lower[UNKNOWNS + 1] = {0.0f, 0.0f, 0.0f, match.x, match.y, 1.0f, -match.x * match.w, -match.y * match.w, match.w};
            for (int j = 0; j <= UNKNOWNS; j++) {
                rows[2 * k][j] = upper[j];
                rows[2 * k + 1][j] = lower[j];
            }
        }
        is_good = solve(rows, model);
    }
    int agree = 0;
    for (int begin = 0; begin < count; begin += MATCH_GROUP) {
        const int here = min(count - begin, MATCH_GROUP);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < here) tile[lid] = matches[begin + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!is_good) continue;
        for (int i = 0; i < here; i++) {
            if (square_error(model, tile[i]) < tolerance * tolerance) agree++;
        }
    }
    if (id >= tries) return;
    chosen[id] = vload4(0, picks);
    agreeing[id] = is_good ? agree : -1;
    if (is_good) {
        models[id] = vload8(0, model);
        atomic_max(best, (uint)agree << 20 | id);
    }
}

__kernel void none_agree(__global uint *best, __global int *kept)
{
    *best = 0;
    *kept = 0;
}

/* Lists the matches that the best model has. */
__kernel void keep_matches(__global const float4 *matches, const int count, const float tolerance, __global const float8 *models,
                           __global const uint *best, __global int *list, __global int *kept)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    float model[UNKNOWNS];
    vstore8(models[*best & 0xfffff], 0, model);
    if (square_error(model, matches[id]) < tolerance * tolerance) list[atomic_inc(kept)] = id;
}
