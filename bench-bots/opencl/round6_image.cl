/* Pictures: a wide lens made flat, a slice of a body from its shadows, the map of a planet that never was. */

typedef struct {
    float2 focal, centre;           /* of the lens, in pixels */
    float2 flat_focal, flat_centre; /* of the picture to make */
    float4 bend;                    /* of the angle's third, fifth, seventh and ninth power */
    int width, height, out_width, out_height;
} lens_t;

/* How much four neighbours weigh, after Catmull and Rom. */
inline float4 cubic(const float t)
{
    const float t2 = t * t;
    const float t3 = t2 * t;
    return 0.5f * (float4)(2.0f * t2 - t3 - t, 3.0f * t3 - 5.0f * t2 + 2.0f, 4.0f * t2 - 3.0f * t3 + t, t3 - t2);
}

inline float4 texel(__global const uchar4 *src, const lens_t *lens, int2 at)
{
    at = clamp(at, (int2)(0, 0), (int2)(lens->width - 1, lens->height - 1));
    return convert_float4(src[at.y * lens->width + at.x]);
}

/* Straight lines of a picture that a fisheye lens took: each pixel is looked up where its ray fell. */
__kernel void undistort(const lens_t lens, __global const uchar4 *src, __global uchar4 *dst)
{
    const int2 id = (int2)(get_global_id(0), get_global_id(1));
    if (id.x >= lens.out_width || id.y >= lens.out_height) return;

    const float2 p = (convert_float2(id) - lens.flat_centre) / lens.flat_focal;
    const float r = length(p);
    const float angle = atan(r);
    const float a2 = angle * angle;
    const float bent = angle * (1.0f + a2 * (lens.bend.x + a2 * (lens.bend.y + a2 * (lens.bend.z + a2 * lens.bend.w))));
    const float scale = r > 1e-6f ? bent / r : 1.0f;
    const float2 at = mad(p * scale, lens.focal, lens.centre);

    if (at.x < 0.0f || at.y < 0.0f || at.x > lens.width - 1 || at.y > lens.height - 1) {
        dst[id.y * lens.out_width + id.x] = (uchar4)(0, 0, 0, 255);
        return;
    }
    const float2 base = floor(at);
    const int2 corner = convert_int2(base) - 1;
    float wx[4], wy[4];
    vstore4(cubic(at.x - base.x), 0, wx);
    vstore4(cubic(at.y - base.y), 0, wy);

    float4 sum = (float4)(0.0f);
    for (int j = 0; j < 4; j++) {
        float4 row = (float4)(0.0f);
        for (int i = 0; i < 4; i++) row += wx[i] * texel(src, &lens, corner + (int2)(i, j));
        sum += wy[j] * row;
    }
    dst[id.y * lens.out_width + id.x] = convert_uchar4_sat_rte(sum);
}

/* The filter of Ramachandran and Lakshminarayanan along the detectors; a group has an angle. */
__kernel void ramp_filter(__global const float *sinogram, __global float *filtered, const int detectors, __local float *row)
{
    const int lid = get_local_id(0);
    const int wg = get_local_size(0);
    const int base = get_group_id(0) * detectors;

    for (int i = lid; i < detectors; i += wg) row[i] = sinogram[base + i];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = lid; i < detectors; i += wg) {
        float sum = 0.25f * row[i];
        for (int k = 1; k < detectors; k += 2) {
            float both = 0.0f;
            if (i - k >= 0) both += row[i - k];
            if (i + k < detectors) both += row[i + k];
            sum -= both / (M_PI_F * M_PI_F * (float)(k * k));
        }
        filtered[base + i] = sum;
    }
}

/* Each pixel of a slice is the sum of what all angles saw behind it. */
__kernel void back_project(__global const float *filtered, __constant float2 *direction, const int angles,
                           const int detectors, const int side, __global float *slice)
{
    const int ix = get_global_id(0);
    const int iy = get_global_id(1);
    if (ix >= side || iy >= side) return;

    const int x2 = 2 * ix - (side - 1);
    const int y2 = 2 * iy - (side - 1);
    if (x2 * x2 + y2 * y2 > side * side) {
        slice[iy * side + ix] = 0.0f;
        return;
    }
    const float x = 0.5f * x2, y = 0.5f * y2;
    const float middle = 0.5f * (detectors - 1);
    float sum = 0.0f;
    for (int a = 0; a < angles; ++a) {
        const float t = x * direction[a].x + y * direction[a].y + middle;
        const float left = floor(t);
        const int i = (int)left;
        if (i < 0 || i + 1 >= detectors) continue;
        __global const float *row = filtered + a * detectors + i;
        sum += mix(row[0], row[1], t - left);
    }
    slice[iy * side + ix] = sum * (M_PI_F / angles);
}

uint scramble(uint h)
{
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    return h;
}

uint hash_of(const int3 cell, const uint seed)
{
    return scramble((uint)cell.x * 73856093u ^ scramble((uint)cell.y * 19349663u ^ scramble((uint)cell.z * 83492791u ^ seed)));
}

/* What a corner adds: a slope in one of twelve directions, less with distance. */
float corner_of(const int3 cell, const float3 d, const uint seed)
{
    float t = 0.5f - dot(d, d);
    if (t <= 0.0f) return 0.0f;
    const uint h = hash_of(cell, seed) & 15;
    const float u = h < 8 ? d.x : d.y;
    const float v = h < 4 ? d.y : (h == 12 || h == 14) ? d.x : d.z;
    t *= t;
    return t * t * (((h & 1) ? -u : u) + ((h & 2) ? -v : v));
}

/* Noise of tetrahedra. */
float simplex_noise(const float3 p, const uint seed)
{
    const float skew = (p.x + p.y + p.z) / 3.0f;
    const float3 cell = floor(p + skew);
    const float unskew = (cell.x + cell.y + cell.z) / 6.0f;
    const float3 d = p - (cell - unskew);
    int3 second, third;
    if (d.x >= d.y) {
        if (d.y >= d.z) {
            second = (int3)(1, 0, 0);
            third = (int3)(1, 1, 0);
        } else if (d.x >= d.z) {
            second = (int3)(1, 0, 0);
            third = (int3)(1, 0, 1);
        } else {
            second = (int3)(0, 0, 1);
            third = (int3)(1, 0, 1);
        }
    } else {
        if (d.y < d.z) {
            second = (int3)(0, 0, 1);
            third = (int3)(0, 1, 1);
        } else if (d.x < d.z) {
            second = (int3)(0, 1, 0);
            third = (int3)(0, 1, 1);
        } else {
            second = (int3)(0, 1, 0);
            third = (int3)(1, 1, 0);
        }
    }
    const int3 c = convert_int3(cell);
    float sum = corner_of(c, d, seed);
    sum += corner_of(c + second, d - convert_float3(second) + 1.0f / 6.0f, seed);
    sum += corner_of(c + third, d - convert_float3(third) + 1.0f / 3.0f, seed);
    sum += corner_of(c + 1, d - 0.5f, seed);
    return 70.0f * sum;
}

/* How far the nearest of scattered points is, one of them in each cell. */
float cell_noise(const float3 p, const uint seed)
{
    const int3 c = convert_int3(floor(p));
    float nearest = 4.0f;
    for (int k = -1; k <= 1; k++) {
        for (int j = -1; j <= 1; j++) {
            for (int i = -1; i <= 1; i++) {
                const int3 cell = c + (int3)(i, j, k);
                const uint h = hash_of(cell, seed);
                const float3 jitter = (float3)(h & 1023, (h >> 10) & 1023, (h >> 20) & 1023) / 1024.0f;
                const float3 d = convert_float3(cell) + jitter - p;
                nearest = fmin(nearest, dot(d, d));
            }
        }
    }
    return sqrt(nearest);
}

#define BANDS 6

__constant float4 land[BANDS] = {
    (float4)(196.0f, 184.0f, 128.0f, 0.0f), (float4)(84.0f, 140.0f, 60.0f, 0.0f), (float4)(46.0f, 96.0f, 44.0f, 0.0f),
    (float4)(110.0f, 92.0f, 70.0f, 0.0f),   (float4)(128.0f, 120.0f, 116.0f, 0.0f), (float4)(240.0f, 244.0f, 248.0f, 0.0f)
};

/* Heights and colours of a planet; a row of pixels is a circle of latitude. */
__kernel void planet_texture(const int width, const int height, const int octaves, const uint seed, __global float *relief,
                             __global uchar4 *colours)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= width || y >= height) return;

    const float longitude = 2.0f * M_PI_F * ((x + 0.5f) / width);
    const float latitude = M_PI_F * ((y + 0.5f) / height - 0.5f);
    const float3 p = (float3)(cos(latitude) * cos(longitude), sin(latitude), cos(latitude) * sin(longitude));

    float sum = 0.0f, amplitude = 0.5f;
    float3 q = p * 1.7f + 10.0f;
    for (int o = 0; o < octaves; o++) {
        sum += amplitude * simplex_noise(q, seed + o);
        q = q * 2.03f + 3.1f;
        amplitude *= 0.5f;
    }
    relief[y * width + x] = sum;

    float4 colour;
    if (sum < 0.0f) {
        colour = mix((float4)(40.0f, 120.0f, 170.0f, 0.0f), (float4)(6.0f, 24.0f, 70.0f, 0.0f), fmin(1.0f, -2.0f * sum));
    } else {
        const float at = fmin(sum * 2.0f, 0.9999f) * (BANDS - 1);
        const int band = (int)at;
        colour = mix(land[band], land[band + 1], at - band);
        colour *= 0.75f + 0.25f * fmin(1.0f, cell_noise(p * 9.0f + 20.0f, seed));
    }
    const float ice = smoothstep(1.1f, 1.3f, fabs(latitude));
    colour = mix(colour, (float4)(250.0f, 250.0f, 255.0f, 0.0f), ice);
    colour.w = 255.0f;
    colours[y * width + x] = convert_uchar4_sat_rte(colour);
}
