/* Many against many. */

/* Accelerations of bodies; a group reads the others in tiles that it shares. */
__kernel void nbody_tile(int n, float soft, __global const float4 *body, __global float4 *acceleration,
                         __local float4 *tile) {
    int i = get_global_id(0), item = get_local_id(0), items = get_local_size(0);
    float4 me = body[i];
    float3 sum = (float3)(0.0f);
    for (int first = 0; first < n; first += items) {
        tile[item] = body[first + item];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < items; j++) {
            float3 r = tile[j].xyz - me.xyz;
            float inverse = rsqrt(dot(r, r) + soft);
            sum += r * (tile[j].w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acceleration[i] = (float4)(sum, 0.0f);
}

/* The potential of point charges on the points of a plane; those that are too far away do not count. */
__kernel void coulomb_plane(uint width, uint height, float spacing, uint atoms, float reach_squared,
                            __constant float4 *atom, __global float *potential) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) {
        return;
    }
    float px = spacing * x, py = spacing * y, sum = 0.0f;
    for (uint k = 0; k < atoms; k++) {
        float4 a = atom[k];
        float dx = px - a.x, dy = py - a.y;
        float r2 = dx * dx + dy * dy + a.z * a.z;
        if (r2 < reach_squared) {
            float s = 1.0f - r2 / reach_squared;
            sum += a.w / sqrt(r2) * s * s;
        }
    }
    potential[y * width + x] = sum;
}

/* Samples of a scan, put together for every point of the body: a complex sum. */
__kernel void scan_points(int points, int samples, __global const float *kx, __global const float *ky,
                          __global const float *kz, __global const float *magnitude, __global const float *x,
                          __global const float *y, __global const float *z, __global float2 *q) {
    int i = get_global_id(0);
    if (i < points) {
        float px = x[i], py = y[i], pz = z[i], re = 0.0f, im = 0.0f;
        for (int k = 0; k < samples; k++) {
            float c;
            float s = sincos(6.2831853f * (kx[k] * px + ky[k] * py + kz[k] * pz), &c);
            re += magnitude[k] * c;
            im += magnitude[k] * s;
        }
        q[i] = (float2)(re, im);
    }
}

/* Forces between an atom and those of its list (Lennard-Jones). The lists lie one column an atom. */
__kernel void pair_force(int atoms, int most, float reach_squared, __global const float4 *position,
                         __global const int *neighbour, __global float4 *force) {
    int i = get_global_id(0);
    if (i >= atoms) {
        return;
    }
    float4 me = position[i];
    float4 sum = (float4)(0.0f);
    for (int k = 0; k < most; k++) {
        float4 other = position[neighbour[k * atoms + i]];
        float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < reach_squared) {
            float inverse2 = 1.0f / r2;
            float inverse6 = inverse2 * inverse2 * inverse2;
            float strength = inverse2 * inverse6 * (1.5f * inverse6 - 2.0f);
            sum.x += dx * strength;
            sum.y += dy * strength;
            sum.z += dz * strength;
        }
    }
    force[i] = sum;
}
