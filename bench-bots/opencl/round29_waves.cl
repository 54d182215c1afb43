/* Waves: those of an earthquake through layers of rock, and light that stars bend. */

/* Fourth-order differences half a step ahead and half a step back. */
#define NEAR_SHARE 1.125f
#define FAR_SHARE (-1.0f / 24.0f)

inline float ahead(__global const float *field, const int at, const int step)
{
    return NEAR_SHARE * (field[at + step] - field[at]) +
           FAR_SHARE * (field[at + 2 * step] - field[at - step]);
}

inline float behind(__global const float *field, const int at, const int step)
{
    return ahead(field, at - step, step);
}

/* Each item moves one cell of a staggered grid by the forces on it. `medium` has Lame's numbers, the
 * inverse of the density, and what a sponge at the borders leaves. */
__kernel void move_ground(__global float *vx, __global float *vy, __global float *vz,
                          __global const float *sxx, __global const float *syy,
                          __global const float *szz, __global const float *sxy,
                          __global const float *sxz, __global const float *syz,
                          __global const float4 *medium, const int4 size, const float dt)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < 2 || y < 2 || z < 2 || x >= size.x - 2 || y >= size.y - 2 || z >= size.z - 2) return;
    const int row = size.x, plane = size.x * size.y;
    const int at = z * plane + y * row + x;
    const float light = dt * medium[at].z, left = medium[at].w;
    vx[at] = left * (vx[at] + light * (ahead(sxx, at, 1) + behind(sxy, at, row) + behind(sxz, at, plane)));
    vy[at] = left * (vy[at] + light * (behind(sxy, at, 1) + ahead(syy, at, row) + behind(syz, at, plane)));
    vz[at] = left * (vz[at] + light * (behind(sxz, at, 1) + behind(syz, at, row) + ahead(szz, at, plane)));
}

/* Each item changes the stresses of one cell; at the source there is a push on top. */
__kernel void elastic_waves(__global const float *vx, __global const float *vy,
                            __global const float *vz, __global float *sxx, __global float *syy,
                            __global float *szz, __global float *sxy, __global float *sxz,
                            __global float *syz, __global const float4 *medium, const int4 size,
                            const float dt, const int4 source, const float push)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < 2 || y < 2 || z < 2 || x >= size.x - 2 || y >= size.y - 2 || z >= size.z - 2) return;
    const int row = size.x, plane = size.x * size.y;
    const int at = z * plane + y * row + x;
    const float4 here = medium[at];
    const float lambda = here.x, mu = here.y, left = here.w;
    const float exx = behind(vx, at, 1), eyy = behind(vy, at, row), ezz = behind(vz, at, plane);
    const float all = lambda * (exx + eyy + ezz);
    const float more = x == source.x && y == source.y && z == source.z ? push : 0.0f;
    sxx[at] = left * (sxx[at] + dt * (all + 2.0f * mu * exx) + more);
    syy[at] = left * (syy[at] + dt * (all + 2.0f * mu * eyy) + more);
    szz[at] = left * (szz[at] + dt * (all + 2.0f * mu * ezz) + more);
    sxy[at] = left * (sxy[at] + dt * mu * (ahead(vx, at, row) + ahead(vy, at, 1)));
    sxz[at] = left * (sxz[at] + dt * mu * (ahead(vx, at, plane) + ahead(vz, at, 1)));
    syz[at] = left * (syz[at] + dt * mu * (ahead(vy, at, plane) + ahead(vz, at, row)));
}

#define SIDE 16
#define STARS (SIDE * SIDE) /* in local memory at a time */

/* Each item shoots a ray from the observer back through a field of stars, and counts where in the
 * plane of the source it arrives: inverse ray shooting. A star is its place, its mass and a softening. */
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void lens_rays(__global const float4 *stars, const int star_count, const int2 rays,
               const float2 corner, const float spacing, const float smooth, const float shear,
               volatile __global uint *map, const int pixels, const float half_width)
{
    __local float4 tile[STARS];

    const int2 id = (int2)(get_global_id(0), get_global_id(1));
    const int lid = get_local_id(1) * SIDE + get_local_id(0);
    const float2 own = corner + spacing * convert_float2(id);
    float2 bend = (float2)(0.0f);
    for (int first = 0; first < star_count; first += STARS) {
        if (first + lid < star_count) tile[lid] = stars[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        const int count = min(STARS, star_count - first);
        for (int i = 0; i < count; i++) {
            const float2 way = own - tile[i].xy;
            bend += way * (tile[i].z / (dot(way, way) + tile[i].w));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id.x >= rays.x || id.y >= rays.y) return;
    const float2 seen = (float2)(1.0f - smooth - shear, 1.0f - smooth + shear) * own - bend;
    const int2 pixel = convert_int2_rtn((seen + half_width) * (pixels / (2.0f * half_width)));
    if (pixel.x >= 0 && pixel.y >= 0 && pixel.x < pixels && pixel.y < pixels) {
        atomic_inc(&map[pixel.y * pixels + pixel.x]);
    }
}
