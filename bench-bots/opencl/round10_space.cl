/* Space: stars that attract each other by a tree, waves in the ground, where satellites are. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

struct cell {
    float4 mass;     /* the centre of what is in it, and how much */
    float far;       /* the square of the distance from which on it is one mass */
    int after;       /* the cell that follows where this one is not opened */
    int first, count; /* the bodies of a leaf; of others count is 0 */
};

inline float3 pull(const float3 from, const float4 body, const float soft)
{
    const float3 way = body.xyz - from;
    const float inverse = native_rsqrt(dot(way, way) + soft);
    return body.w * inverse * inverse * inverse * way;
}

/* Barnes and Hut: an item a body. Cells stand in the order of a walk, children right after their parent. */
__kernel void barnes_hut(__global const float4 *bodies, const int count, __global const struct cell *cells, const int last,
                         const float soft, __global float4 *pulls)
{
    const int i = get_global_id(0);
    if (i >= count) return;

    const float3 here = bodies[i].xyz;
    float3 sum = (float3)(0.0f);
    int used = 0, at = 0;
    while (at < last) {
        __global const struct cell *cell = cells + at;
        const float4 mass = cell->mass;
        const float3 way = mass.xyz - here;
        if (dot(way, way) > cell->far) {
            sum += pull(here, mass, soft);
            used++;
            at = cell->after;
        } else if (cell->count > 0) {
            for (int k = cell->first; k < cell->first + cell->count; k++) sum += pull(here, bodies[k], soft);
            used += cell->count;
            at = cell->after;
        } else {
            at++;
        }
    }
    pulls[i] = (float4)(sum, (float)used);
}

#define WIDE 16
#define HIGH 8
#define ARM 4

/* A step of the wave equation, of second order in time and eighth in space. Planes are walked through: what lies behind and in front
 * of a cell is in registers, what lies around it in local memory. `size` has the cells along x, y and z and those from row to row;
 * there is a border of ARM cells around the volume. */
__kernel __attribute__((reqd_work_group_size(WIDE, HIGH, 1)))
void seismic_step(__global const float *now, __global const float *past, __global const float *speeds, const int4 size,
                  const int plane, __constant float *weights, __global float *next)
{
    __local float tile[HIGH + 2 * ARM][WIDE + 2 * ARM];

    const int lx = get_local_id(0), ly = get_local_id(1);
    const int x = get_global_id(0), y = get_global_id(1);
    const bool inside = x < size.x && y < size.y;
    int at = (y + ARM) * size.w + x + ARM;

    float behind[ARM], ahead[ARM];
    for (int k = 0; k < ARM; k++) {
        behind[ARM - 1 - k] = now[at + k * plane];
        ahead[k] = now[at + (ARM + k) * plane];
    }
    at += ARM * plane;

    for (int z = 0; z < size.z; z++) {
        const float centre = ahead[0];
        for (int k = 1; k < ARM; k++) ahead[k - 1] = ahead[k];
        ahead[ARM - 1] = now[at + ARM * plane];

        barrier(CLK_LOCAL_MEM_FENCE);
        tile[ly + ARM][lx + ARM] = centre;
        if (ly < ARM) {
            tile[ly][lx + ARM] = now[at - ARM * size.w];
            tile[ly + HIGH + ARM][lx + ARM] = now[at + HIGH * size.w];
        }
        if (lx < ARM) {
            tile[ly + ARM][lx] = now[at - ARM];
            tile[ly + ARM][lx + WIDE + ARM] = now[at + WIDE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        float sum = 3.0f * weights[0] * centre;
        for (int k = 1; k <= ARM; k++) {
            sum += weights[k] * (behind[k - 1] + ahead[k - 1] + tile[ly + ARM - k][lx + ARM] + tile[ly + ARM + k][lx + ARM]
                                 + tile[ly + ARM][lx + ARM - k] + tile[ly + ARM][lx + ARM + k]);
        }
        if (inside) next[at] = 2.0f * centre - past[at] + speeds[at] * sum;

        for (int k = ARM - 1; k > 0; k--) behind[k] = behind[k - 1];
        behind[0] = centre;
        at += plane;
    }
}

#define TWO_PI 6.283185307179586

/* Orbits: six planes of elements, which are the axis, the eccentricity, the inclination, the node, the argument of the periapsis and
 * the mean anomaly at the start. Axes of hyperbolas are negative. Places at `times` moments, `between` apart. */
__kernel void kepler_orbits(__global const double *elements, const int orbits, const double between, const int times,
                            __global double *places)
{
    const int orbit = get_global_id(0), moment = get_global_id(1);
    if (orbit >= orbits || moment >= times) return;

    const double axis = elements[orbit], e = elements[orbits + orbit];
    const double size = fabs(axis);
    double mean = elements[5 * orbits + orbit] + moment * between / (size * sqrt(size));
    double along, across; /* in the orbit's plane */

    if (e < 1.0) {
        mean = fmod(mean, TWO_PI);
        if (mean > 0.5 * TWO_PI) mean -= TWO_PI;
        double angle = mean + copysign(0.85 * e, mean);
        for (int step = 0; step < 30; step++) {
            const double off = angle - e * sin(angle) - mean;
            const double slope = 1.0 - e * cos(angle);
            const double bend = e * sin(angle);
            const double change = off / (slope - 0.5 * bend * off / slope);
            angle -= change;
            if (fabs(change) < 1e-13) break;
        }
        along = axis * (cos(angle) - e);
        across = axis * sqrt(1.0 - e * e) * sin(angle);
    } else {
        double angle = asinh(mean / e);
        for (int step = 0; step < 60; step++) {
            const double change = (e * sinh(angle) - angle - mean) / (e * cosh(angle) - 1.0);
            angle -= change;
            if (fabs(change) < 1e-13) break;
        }
        along = size * (e - cosh(angle));
        across = size * sqrt(e * e - 1.0) * sinh(angle);
    }

    double cos_node, cos_turn, cos_tilt;
    const double sin_tilt = sincos(elements[2 * orbits + orbit], &cos_tilt);
    const double sin_node = sincos(elements[3 * orbits + orbit], &cos_node);
    const double sin_turn = sincos(elements[4 * orbits + orbit], &cos_turn);
    const double u = along * cos_turn - across * sin_turn;
    const double v = along * sin_turn + across * cos_turn;
    __global double *to = places + 3 * ((size_t)moment * orbits + orbit);
    to[0] = u * cos_node - v * cos_tilt * sin_node;
    to[1] = u * sin_node + v * cos_tilt * cos_node;
    to[2] = v * sin_tilt;
}
