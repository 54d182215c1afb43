/* Shapes: frames of a game that are mixed with those before, the voxels that a mesh goes through, letters as fields of distances. */

#define TILE 16
#define PADDED (TILE + 2)

/* Brightness, orange against blue, green against purple. */
float3 split_colour(const float3 colour)
{
    return (float3)(0.25f * colour.x + 0.5f * colour.y + 0.25f * colour.z, 0.5f * colour.x - 0.5f * colour.z,
                    0.5f * colour.y - 0.25f * colour.x - 0.25f * colour.z);
}

float3 joined_colour(const float3 parts)
{
    const float less = parts.x - parts.z;
    return (float3)(less + parts.y, parts.x + parts.z, less - parts.y);
}

/* The colour at a place between pixels, by cubics of Catmull and Rom. */
float3 history_at(__global const half *history, const int width, const int height, const float2 place)
{
    const float2 whole = floor(place - 0.5f), part = place - 0.5f - whole;
    const float2 square = part * part, cube = square * part;
    float2 weights[4];
    weights[0] = -0.5f * cube + square - 0.5f * part;
    weights[1] = 1.5f * cube - 2.5f * square + 1.0f;
    weights[2] = -1.5f * cube + 2.0f * square + 0.5f * part;
    weights[3] = 0.5f * cube - 0.5f * square;
    float3 sum = (float3)(0.0f);
    for (int y = 0; y < 4; y++) {
        const int row = clamp((int)whole.y + y - 1, 0, height - 1);
        float3 line = (float3)(0.0f);
        for (int x = 0; x < 4; x++) {
            const int column = clamp((int)whole.x + x - 1, 0, width - 1);
            line += weights[x].x * vload_half4(row * width + column, history).xyz;
        }
        sum += weights[y].y * line;
    }
    return sum;
}

/* Each item mixes a pixel of the new frame with the old frames' one, from where it came. What is too unlike the pixels around it now is
 * made more like them. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void temporal_resolve(__global const uchar4 *frame, __global const float *depths, __global const char2 *motions,
                      __global const half *history, const int width, const int height, const float share, __global half *result)
{
    __local float4 colours[PADDED][PADDED]; /* with depths */

    const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    for (int i = ly * TILE + lx; i < PADDED * PADDED; i += TILE * TILE) {
        const int column = clamp((int)get_group_id(0) * TILE + i % PADDED - 1, 0, width - 1);
        const int row = clamp((int)get_group_id(1) * TILE + i / PADDED - 1, 0, height - 1);
        const float4 colour = convert_float4(frame[row * width + column]) / 255.0f;
        colours[i / PADDED][i % PADDED] = (float4)(split_colour(colour.xyz), depths[row * width + column]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height) return;

    float3 sum = (float3)(0.0f), squares = (float3)(0.0f);
    float nearest = FLT_MAX;
    int2 off = (int2)(0);
    for (int k = 0; k < 9; k++) {
        const float4 other = colours[ly + k / 3][lx + k % 3];
        sum += other.xyz;
        squares += other.xyz * other.xyz;
        if (other.w < nearest) {
            nearest = other.w;
            off = (int2)(k % 3 - 1, k / 3 - 1);
        }
    }
    const float3 own = colours[ly + 1][lx + 1].xyz, mean = sum / 9.0f;
    const float3 spread = sqrt(fmax(squares / 9.0f - mean * mean, 0.0f)) * 1.25f + 0.005f;
    const int2 from = clamp((int2)(x, y) + off, (int2)(0), (int2)(width - 1, height - 1));
    const float2 place = (float2)(x + 0.5f, y + 0.5f) - convert_float2(motions[from.y * width + from.x]) / 8.0f;
    float3 mixed = own;
    if (place.x >= 0.0f && place.y >= 0.0f && place.x <= width && place.y <= height) {
        const float3 old = split_colour(history_at(history, width, height, place));
        const float3 away = fabs(old - mean) / spread;
        const float most = fmax(fmax(away.x, away.y), fmax(away.z, 1.0f));
        const float3 likely = mean + (old - mean) / most;
        const float own_weight = share / (1.0f + own.x), old_weight = (1.0f - share) / (1.0f + fmax(likely.x, 0.0f));
        mixed = (own * own_weight + likely * old_weight) / (own_weight + old_weight);
    }
    vstore_half4((float4)(joined_colour(mixed), 1.0f), y * width + x, result);
}

__kernel void no_voxels(__global uint *voxels, const int words)
{
    const int id = get_global_id(0);
    if (id < words) voxels[id] = 0;
}

/* Whether a side of a triangle, as it is seen along an axis, has a square of side 1 before it. */
bool side_has(const float2 from, const float2 to, const float sign, const float2 corner)
{
    const float2 along = to - from, normal = sign * (float2)(-along.y, along.x);
    const float reach = dot(fmax(normal, 0.0f), (float2)(1.0f)) - dot(normal, from);
    return dot(normal, corner) + reach >= 0.0f;
}

bool outline_has(const float2 a, const float2 b, const float2 c, const float sign, const float2 corner)
{
    return side_has(a, b, sign, corner) && side_has(b, c, sign, corner) && side_has(c, a, sign, corner);
}

/* Each item marks the voxels that a triangle touches. A voxel is a bit. */
__kernel void voxel_shell(__global const float *vertices, __global const int *triangles, const int count, const int4 grid,
                          volatile __global uint *voxels)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int3 corners = vload3(id, triangles);
    const float3 a = vload3(corners.x, vertices), b = vload3(corners.y, vertices), c = vload3(corners.z, vertices);
    const int3 first = max(convert_int3(floor(fmin(a, fmin(b, c)))), (int3)(0));
    const int3 last = min(convert_int3(floor(fmax(a, fmax(b, c)))), grid.xyz - 1);
    const float3 normal = cross(b - a, c - a);
    const float3 far_corner = convert_float3(normal > 0.0f ? (int3)(1) : (int3)(0));
    const float high = dot(normal, far_corner - a), low = dot(normal, 1.0f - far_corner - a);
    const float sign_x = normal.x < 0.0f ? -1.0f : 1.0f, sign_y = normal.y < 0.0f ? -1.0f : 1.0f, sign_z = normal.z < 0.0f ? -1.0f : 1.0f;

    for (int z = first.z; z <= last.z; z++) {
        for (int y = first.y; y <= last.y; y++) {
            if (!outline_has(a.yz, b.yz, c.yz, sign_x, (float2)(y, z))) continue;
            uint bits = 0;
            int word = first.x >> 5;
            for (int x = first.x; x <= last.x; x++) {
                if (x >> 5 != word) {
                    if (bits) atomic_or(&voxels[(z * grid.y + y) * grid.w + word], bits);
                    bits = 0;
                    word = x >> 5;
                }
                const float3 corner = (float3)(x, y, z);
                const float at = dot(normal, corner);
                if (at + high < 0.0f || at + low > 0.0f) continue;
                if (!outline_has(a.zx, b.zx, c.zx, sign_y, corner.zx)) continue;
                if (!outline_has(a.xy, b.xy, c.xy, sign_z, corner.xy)) continue;
                bits |= 1u << (x & 31);
            }
            if (bits) atomic_or(&voxels[(z * grid.y + y) * grid.w + word], bits);
        }
    }
}

/* How many voxels of each layer are marked: a work-group a layer. */
__kernel void count_voxels(__global const uint *voxels, const int words, __global int *layers)
{
    __local int sum;

    __global const uint *layer = voxels + get_group_id(0) * words;
    int own = 0;
    if (get_local_id(0) == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < words; i += get_local_size(0)) own += popcount(layer[i]);
    atomic_add(&sum, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) layers[get_group_id(0)] = sum;
}

#define MOST_CURVES 64
#define CELL 32

typedef struct {
    float2 from, control, to; /* always up or always down */
} curve_t;

/* The square of the distance to a curve: at an end, or where a cubic is zero. */
float square_distance(const curve_t curve, const float2 place)
{
    const float2 start = curve.from - place, way = curve.control - curve.from, bend = curve.to - 2.0f * curve.control + curve.from;
    const float2 end = curve.to - place;
    float best = fmin(dot(start, start), dot(end, end));
    const float cubic = dot(bend, bend);
    if (cubic < 1e-6f) { /* a straight line */
        const float2 line = curve.to - curve.from;
        const float at = clamp(-dot(start, line) / dot(line, line), 0.0f, 1.0f);
        const float2 off = start + at * line;
        return fmin(best, dot(off, off));
    }
    const float third = dot(way, bend) / cubic;
    const float linear = (2.0f * dot(way, way) + dot(start, bend)) / cubic, constant_part = dot(start, way) / cubic;
    const float p = linear - 3.0f * third * third, q = third * (2.0f * third * third - linear) + constant_part;
    const float under = 0.25f * q * q + p * p * p / 27.0f;
    float roots[3];
    int count;
    if (under >= 0.0f) {
        const float root = sqrt(under);
        const float u = cbrt(-0.5f * q - copysign(root, q));
        roots[0] = u == 0.0f ? 0.0f : u - p / (3.0f * u);
        count = 1;
    } else {
        const float size = 2.0f * sqrt(-p / 3.0f);
        const float angle = acos(clamp(3.0f * q / (p * size), -1.0f, 1.0f)) / 3.0f;
        for (int k = 0; k < 3; k++) roots[k] = size * cos(angle - 2.0943951f * k);
        count = 3;
    }
    for (int k = 0; k < count; k++) {
        const float at = clamp(roots[k] - third, 0.0f, 1.0f);
        const float2 off = start + at * (2.0f * way + at * bend);
        best = fmin(best, dot(off, off));
    }
    return best;
}

/* How often a curve goes around a place: by where it crosses the line to its right. */
int turns_around(const curve_t curve, const float2 place)
{
    const bool from_above = curve.from.y > place.y, to_above = curve.to.y > place.y;
    if (from_above == to_above) return 0;
    const float start = curve.from.y - place.y, way = curve.control.y - curve.from.y;
    const float bend = curve.to.y - 2.0f * curve.control.y + curve.from.y;
    const float root = sqrt(fmax(way * way - bend * start, 0.0f));
    const float below = to_above ? -way - root : -way + root;
    const float at = clamp(start / below, 0.0f, 1.0f);
    const float x = mix(mix(curve.from.x, curve.control.x, at), mix(curve.control.x, curve.to.x, at), at);
    return x > place.x ? (to_above ? 1 : -1) : 0;
}

/* A work-group makes the field of a letter: how far its outline is from the middle of each pixel, more than 128 inside. */
__kernel void glyph_fields(__global const curve_t *curves, __global const int *starts, const float range, const int columns,
                           __global uchar *atlas)
{
    __local curve_t outline[MOST_CURVES];

    const int glyph = get_group_id(0), count = min(starts[glyph + 1] - starts[glyph], MOST_CURVES);
    for (int i = get_local_id(0); i < count; i += get_local_size(0)) outline[i] = curves[starts[glyph] + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int pixel = get_local_id(0); pixel < CELL * CELL; pixel += get_local_size(0)) {
        const int x = pixel % CELL, y = pixel / CELL;
        const float2 place = (float2)(x + 0.5f, y + 0.5f);
        float best = FLT_MAX;
        int turns = 0;
        for (int i = 0; i < count; i++) {
            const curve_t curve = outline[i];
            best = fmin(best, square_distance(curve, place));
            turns += turns_around(curve, place);
        }
        const float distance = turns != 0 ? sqrt(best) : -sqrt(best);
        const int row = glyph / columns * CELL + y, column = glyph % columns * CELL + x;
        atlas[row * columns * CELL + column] = convert_uchar_sat_rte(128.0f + 127.0f * distance / range);
    }
}
