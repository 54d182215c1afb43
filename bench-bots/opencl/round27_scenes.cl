/* Scenes: a flame that few simple maps draw, what a camera sees of a panorama, a surface that its
 * curvature makes smooth. */

#define LINEAR 0
#define WAVES 1
#define BUBBLE 2
#define CYLINDER 3
#define SWIRL 4
#define SKIPPED 20 /* steps until a point is on the flame */

typedef struct {
    float2 across, down, shift; /* columns of a matrix, and what is added */
    float colour;
    uint until; /* this map is taken for random numbers below */
    int kind;
} map_t;

uint next_random(uint *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

float2 bent(const int kind, const float2 place)
{
    const float square = dot(place, place);
    float cosine;
    switch (kind) {
    case WAVES: return sin(place);
    case BUBBLE: return place * (4.0f / (square + 4.0f));
    case CYLINDER: return (float2)(sin(place.x), place.y);
    case SWIRL: {
        const float sine = sincos(square, &cosine);
        return (float2)(place.x * sine - place.y * cosine, place.x * cosine + place.y * sine);
    }
    default: return place;
    }
}

/* Each item moves a point by maps that chance takes, and counts where it comes by: the chaos game
 * of fractal flames. */
__kernel void fractal_flame(__constant map_t *maps, const int kinds, const int steps,
                            const int width, const int height, const float scale,
                            volatile __global uint *hits, volatile __global uint *colours)
{
    uint state = (get_global_id(0) + 1) * 2654435761u;
    float2 place = (float2)(0.1f, 0.2f);
    float colour = 0.5f;
    for (int step = 0; step < steps + SKIPPED; step++) {
        const uint word = next_random(&state) >> 8;
        int kind = 0;
        while (kind < kinds - 1 && word >= maps[kind].until) kind++;
        __constant map_t *map = maps + kind;
        place = bent(map->kind, place.x * map->across + place.y * map->down + map->shift);
        colour = 0.5f * (colour + map->colour);
        if (step < SKIPPED) continue;
        const int2 pixel = convert_int2_rtn(place * scale) + (int2)(width / 2, height / 2);
        if (pixel.x < 0 || pixel.x >= width || pixel.y < 0 || pixel.y >= height) continue;
        const int at = pixel.y * width + pixel.x;
        atomic_inc(hits + at);
        atomic_add(colours + at, (uint)(colour * 256.0f));
    }
}

__kernel void no_flame(__global uint2 *hits, __global uint2 *colours)
{
    hits[get_global_id(0)] = (uint2)(0);
    colours[get_global_id(0)] = (uint2)(0);
}

/* Each item shows a pixel: as bright as the logarithm of its hits. */
__kernel void show_flame(__global const uint *hits, __global const uint *colours, const int width,
                         const int height, const float factor, __global uchar4 *picture)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const uint count = hits[y * width + x];
    const float share = count == 0 ? 0.0f : colours[y * width + x] / (256.0f * count);
    const float light = fmin(factor * log1p((float)count), 1.0f);
    const float3 colour = mix((float3)(1.0f, 0.3f, 0.1f), (float3)(0.2f, 0.6f, 1.0f), share);
    picture[y * width + x] = (uchar4)(convert_uchar3_sat_rte(255.0f * sqrt(light) * colour), 255);
}

const sampler_t all_around = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

typedef struct {
    float4 right, up, ahead;
    float spread; /* how far to the right the edge of the picture is, at a distance of 1 */
} camera_t;

/* Each item asks what a camera sees of a panorama, which has all directions in its columns and all
 * heights in its rows. Light falls off towards the corners of a real lens. */
__kernel void equirect_view(__read_only image2d_t panorama, const camera_t camera,
                            __write_only image2d_t view)
{
    const int2 pixel = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(view);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    const float2 place = (convert_float2(2 * pixel + 1 - size) / size.x) * camera.spread;
    const float3 way = camera.ahead.xyz + place.x * camera.right.xyz - place.y * camera.up.xyz;
    const float far = length(way);
    const float2 at = (float2)(0.5f * atan2pi(way.x, way.z), acospi(way.y / far));
    const float cosine = 1.0f / far;
    const float4 seen = read_imagef(panorama, all_around, at) * (cosine * cosine);
    write_imagef(view, pixel, (float4)(seen.xyz, 1.0f));
}

/* The cotangent of the angle between two sides. */
float cotangent(const float3 a, const float3 b)
{
    return dot(a, b) / length(cross(a, b));
}

/* Each item moves a vertex of a closed surface along its mean curvature, and tells how large that
 * is. The neighbours of a vertex lie in order around it. */
__kernel void cotangent_flow(__global const int *starts, __global const int *neighbours,
                             const int vertices, const float step, __global const float *places,
                             __global float *moved, __global float *curvatures)
{
    const int id = get_global_id(0);
    if (id >= vertices) return;
    const int start = starts[id], end = starts[id + 1];
    const float3 own = vload3(id, places);
    float3 before = vload3(neighbours[end - 1], places), now = vload3(neighbours[start], places);
    float3 pull = (float3)(0.0f);
    float area = 0.0f;
    for (int i = start; i < end; i++) {
        const float3 after = vload3(neighbours[i + 1 < end ? i + 1 : start], places);
        const float weight = cotangent(own - before, now - before) +
            cotangent(own - after, now - after);
        pull += 0.5f * weight * (now - own);
        area += length(cross(now - own, after - own));
        before = now;
        now = after;
    }
    const float3 normal = pull / (area / 6.0f);
    vstore3(own + step * normal, id, moved);
    curvatures[id] = 0.5f * length(normal);
}
