/* Scenes: curved patches become vertices, light from all sides becomes nine numbers a colour, objects in view are listed. */

typedef struct {
    float place[3];
    float normal[3];
    float u, v;
} vertex_t;

/* The weights of four points of a curve, and how these change. */
void bernstein(const float t, float *weights, float *slopes)
{
    const float s = 1.0f - t;
    weights[0] = s * s * s;
    weights[1] = 3.0f * t * s * s;
    weights[2] = 3.0f * t * t * s;
    weights[3] = t * t * t;
    slopes[0] = -3.0f * s * s;
    slopes[1] = 3.0f * s * (s - 2.0f * t);
    slopes[2] = 3.0f * t * (2.0f * s - t);
    slopes[3] = 3.0f * t * t;
}

/* A work-group makes a square of vertices from a patch's sixteen points. */
__kernel void bezier_patches(__global const float4 *points, const int side, __global vertex_t *vertices)
{
    __local float4 patch[16];

    const int lid = get_local_id(0), group = get_group_id(0), count = side * side;
    if (lid < 16) patch[lid] = points[group * 16 + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < count; i += get_local_size(0)) {
        const float u = (float)(i % side) / (side - 1), v = (float)(i / side) / (side - 1);
        float u_weights[4], u_slopes[4], v_weights[4], v_slopes[4];
        bernstein(u, u_weights, u_slopes);
        bernstein(v, v_weights, v_slopes);
        float3 place = (float3)(0.0f), along_u = (float3)(0.0f), along_v = (float3)(0.0f);
        for (int row = 0; row < 4; row++) {
            for (int column = 0; column < 4; column++) {
                const float3 point = patch[row * 4 + column].xyz;
                place += v_weights[row] * u_weights[column] * point;
                along_u += v_weights[row] * u_slopes[column] * point;
                along_v += v_slopes[row] * u_weights[column] * point;
            }
        }
        const float3 across = cross(along_u, along_v);
        const float size = length(across);
        const float3 normal = size > 1e-12f ? across / size : (float3)(0.0f, 0.0f, 1.0f);
        __global vertex_t *vertex = vertices + group * count + i;
        vstore3(place, 0, vertex->place);
        vstore3(normal, 0, vertex->normal);
        vertex->u = u;
        vertex->v = v;
    }
}

#define GATHERERS 64
#define TERMS 9
#define SUMS (TERMS * 3)

/* Where a texel of a cube's face is seen. */
float3 cube_direction(const int face, const float x, const float y)
{
    switch (face) {
    case 0: return (float3)(1.0f, -y, -x);
    case 1: return (float3)(-1.0f, -y, x);
    case 2: return (float3)(x, 1.0f, y);
    case 3: return (float3)(x, -1.0f, -y);
    case 4: return (float3)(x, -y, 1.0f);
    default: return (float3)(-x, -y, -1.0f);
    }
}

/* Three bytes that share an exponent. */
float3 shared_exponent(const uchar4 texel)
{
    if (texel.w == 0) return (float3)(0.0f);
    return convert_float3(texel.xyz) * ldexp(1.0f, (int)texel.w - 136);
}

/* A work-group sums up the light of a cube's six faces: as many terms of spherical harmonics as diffuse surfaces need. */
__kernel __attribute__((reqd_work_group_size(GATHERERS, 1, 1)))
void sphere_light(__global const uchar4 *cubes, const int side, __global float *lights)
{
    __local float parts[SUMS][GATHERERS];

    const int lid = get_local_id(0), texels = 6 * side * side;
    __global const uchar4 *cube = cubes + get_group_id(0) * texels;
    float3 sums[TERMS];
    for (int k = 0; k < TERMS; k++) sums[k] = (float3)(0.0f);
    for (int i = lid; i < texels; i += GATHERERS) {
        const int at = i % (side * side);
        const float x = 2.0f * (at % side + 0.5f) / side - 1.0f, y = 2.0f * (at / side + 0.5f) / side - 1.0f;
        const float square = 1.0f + x * x + y * y;
        const float3 way = cube_direction(i / (side * side), x, y) * rsqrt(square);
        const float3 light = shared_exponent(cube[i]) * (4.0f / (side * side * square * sqrt(square)));
        sums[0] += light * 0.282095f;
        sums[1] += light * (0.488603f * way.y);
        sums[2] += light * (0.488603f * way.z);
        sums[3] += light * (0.488603f * way.x);
        sums[4] += light * (1.092548f * way.x * way.y);
        sums[5] += light * (1.092548f * way.y * way.z);
        sums[6] += light * (0.315392f * (3.0f * way.z * way.z - 1.0f));
        sums[7] += light * (1.092548f * way.x * way.z);
        sums[8] += light * (0.546274f * (way.x * way.x - way.y * way.y));
    }
    for (int k = 0; k < TERMS; k++) {
        parts[k * 3][lid] = sums[k].x;
        parts[k * 3 + 1][lid] = sums[k].y;
        parts[k * 3 + 2][lid] = sums[k].z;
    }
    for (int step = GATHERERS / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < step) {
            for (int k = 0; k < SUMS; k++) parts[k][lid] += parts[k][lid + step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < SUMS) lights[get_group_id(0) * SUMS + lid] = parts[lid][0];
}

#define LEVELS 4
#define PLANES 6

typedef struct {
    float low[3], high[3]; /* its box */
    ushort mesh;
    uchar layer;
    uchar is_hidden;
} object_t;

/* Which level of detail an object has in view, or -1 where it is not in view. */
int level_in_view(const object_t *object, __constant float4 *planes, const float4 eye, const uint layers)
{
    if (object->is_hidden || !(layers >> object->layer & 1)) return -1;
    const float3 low = vload3(0, object->low), high = vload3(0, object->high);
    const float3 centre = 0.5f * (low + high), half_size = 0.5f * (high - low);
    const float radius = length(half_size);
    for (int i = 0; i < PLANES; i++) {
        const float above = dot(planes[i].xyz, centre) + planes[i].w;
        if (above < -radius) return -1;
        if (above < -dot(fabs(planes[i].xyz), half_size)) return -1;
    }
    const float seen = radius * eye.w / max(distance(centre, eye.xyz), 1e-3f);
    if (seen < 1.0f) return -1;
    return seen > 64.0f ? 0 : seen > 16.0f ? 1 : seen > 4.0f ? 2 : 3;
}

/* Lists the objects in view by their levels. The items of a work-group count together before they ask for places. */
__kernel void frustum_draws(__global const object_t *objects, const int count, __constant float4 *planes, const float4 eye,
                            const uint layers, __global int *counts, __global int *draws, __global int *instances)
{
    __local int here[LEVELS], first[LEVELS];

    const int lid = get_local_id(0), id = get_global_id(0);
    if (lid < LEVELS) here[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int level = -1, place = 0;
    if (id < count) {
        const object_t object = objects[id];
        level = level_in_view(&object, planes, eye, layers);
        if (level >= 0) {
            place = atomic_inc(&here[level]);
            atomic_inc(&instances[object.mesh * LEVELS + level]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < LEVELS && here[lid] > 0) first[lid] = atomic_add(&counts[lid], here[lid]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (level >= 0) draws[level * count + first[level] + place] = id;
}

__kernel void nothing_drawn(__global int *counts, __global int *instances)
{
    const int id = get_global_id(0);
    instances[id] = 0;
    if (id < LEVELS) counts[id] = 0;
}
