/* Things in space: a sheet of cloth, particles in boxes, triangles that rays meet, lines of equal height. */

#define LINKS 12

/* Neighbours that springs lead to: along, across, and over one. */
__constant int2 links[LINKS] = {
    (int2)(-1, 0), (int2)(1, 0), (int2)(0, -1), (int2)(0, 1), (int2)(-1, -1), (int2)(1, -1),
    (int2)(-1, 1), (int2)(1, 1), (int2)(-2, 0), (int2)(2, 0), (int2)(0, -2), (int2)(0, 2)
};

typedef struct {
    float4 wind;
    float4 ball;     /* its centre and radius */
    float rest;      /* how far neighbours are from each other at rest */
    float stiffness;
    float damping;
    float dt;
} cloth_t;

/* A step of a sheet of masses and springs by Verlet's rule. The last component is 1 over the mass; 0 is held. */
__kernel void cloth_step(const cloth_t c, const int cols, const int rows, __global const float4 *pos,
                         __global const float4 *prev, __global float4 *next)
{
    const int i = get_global_id(0);
    const int j = get_global_id(1);
    if (i >= cols || j >= rows) return;

    const int at = j * cols + i;
    const float4 p = pos[at];
    if (p.w == 0.0f) {
        next[at] = p;
        return;
    }
    const float3 velocity = (p.xyz - prev[at].xyz) / c.dt;
    float3 force = c.wind.xyz - c.damping * velocity;
    force.y -= 9.81f / p.w;
    for (int k = 0; k < LINKS; k++) {
        const int2 n = (int2)(i, j) + links[k];
        if (n.x < 0 || n.x >= cols || n.y < 0 || n.y >= rows) continue;
        const float3 d = pos[n.y * cols + n.x].xyz - p.xyz;
        const float length_now = sqrt(dot(d, d));
        const float length_rest = c.rest * length(convert_float2(links[k]));
        force += d * (c.stiffness * (length_now - length_rest) / length_now);
    }
    float3 to = p.xyz + (p.xyz - prev[at].xyz) + force * (p.w * c.dt * c.dt);
    const float3 out = to - c.ball.xyz;
    const float away = length(out);
    if (away < c.ball.w) {
        to = c.ball.xyz + out * (c.ball.w / away);
    }
    next[at] = (float4)(to, p.w);
}

#define FULL 64 /* items of a group, and more than a box has particles */

/* Forces between particles that are near, after Lennard-Jones. A group has a box; it goes over the boxes around, and keeps their
 * particles. The last component of the result is the energy. */
__kernel __attribute__((reqd_work_group_size(FULL, 1, 1)))
void box_forces(__global const uint *begin, __global const float4 *place, const int side, const float cutoff2,
                const float sigma2, const float epsilon, __global float4 *force)
{
    __local float4 near_by[FULL];
    const int lid = get_local_id(0);
    const int box = get_group_id(0);
    const int bx = box % side, by = box / side % side, bz = box / (side * side);
    const uint first = begin[box];
    const int mine = begin[box + 1] - first;

    float4 at = (float4)(0.0f);
    if (lid < mine) at = place[first + lid];
    float4 sum = (float4)(0.0f);

    for (int k = 0; k < 27; k++) {
        const int nx = bx + k % 3 - 1, ny = by + k / 3 % 3 - 1, nz = bz + k / 9 - 1;
        if (nx < 0 || ny < 0 || nz < 0 || nx >= side || ny >= side || nz >= side) continue;
        const int other = (nz * side + ny) * side + nx;
        const uint other_first = begin[other];
        const int count = begin[other + 1] - other_first;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < count) near_by[lid] = place[other_first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid >= mine) continue;
        for (int j = 0; j < count; j++) {
            if (other == box && j == lid) continue;
            const float4 d = at - near_by[j];
            const float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
            if (r2 < cutoff2) {
                const float inverse = 1.0f / r2;
                const float s2 = sigma2 * inverse;
                const float s6 = s2 * s2 * s2;
                const float f = 24.0f * epsilon * inverse * s6 * (2.0f * s6 - 1.0f);
                sum.xyz += f * d.xyz;
                sum.w += 2.0f * epsilon * s6 * (s6 - 1.0f);
            }
        }
    }
    if (lid < mine) force[first + lid] = sum;
}

struct node {
    float low[3];
    int first;  /* of its triangles, or of its two children, which are side by side */
    float high[3];
    int count;  /* of triangles; 0 where it has children */
};

struct triangle {
    float4 corner, edge1, edge2;
};

struct camera {
    float4 eye, corner, right, down;
};

#define STACK 32

/* Where a ray enters a box; infinite where it does not, or only behind `limit`. */
float entry(__global const struct node *node, const float3 origin, const float3 inverse, const float limit)
{
    const float3 a = (vload3(0, node->low) - origin) * inverse;
    const float3 b = (vload3(0, node->high) - origin) * inverse;
    const float3 lo = fmin(a, b), hi = fmax(a, b);
    const float enter = fmax(fmax(lo.x, lo.y), fmax(lo.z, 0.0f));
    const float leave = fmin(fmin(hi.x, hi.y), fmin(hi.z, limit));
    return enter <= leave ? enter : INFINITY;
}

/* What each pixel's ray meets first in a tree of boxes, nearer boxes before farther ones. */
__kernel void tree_rays(__global const struct node *nodes, __global const struct triangle *triangles,
                        const struct camera camera, const uint width, const uint height, __global float *depth,
                        __global int *hit)
{
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;

    const float3 origin = camera.eye.xyz;
    const float3 direction = normalize(camera.corner.xyz + camera.right.xyz * ((x + 0.5f) / width) +
                                       camera.down.xyz * ((y + 0.5f) / height));
    const float3 inverse = 1.0f / direction;
    float nearest = INFINITY;
    int which = -1;
    int stack[STACK];
    int top = 0;
    stack[top++] = 0;

    while (top > 0) {
        __global const struct node *node = &nodes[stack[--top]];
        if (entry(node, origin, inverse, nearest) == INFINITY) continue;
        if (node->count == 0) {
            const float left = entry(&nodes[node->first], origin, inverse, nearest);
            const float right = entry(&nodes[node->first + 1], origin, inverse, nearest);
            const int swap = right < left;
            if (fmax(left, right) != INFINITY) stack[top++] = node->first + 1 - swap;
            if (fmin(left, right) != INFINITY) stack[top++] = node->first + swap;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; ++i) {
            const float3 edge1 = triangles[i].edge1.xyz, edge2 = triangles[i].edge2.xyz;
            const float3 p = cross(direction, edge2);
            const float det = dot(edge1, p);
            if (fabs(det) < 1e-9f) continue;
            const float3 from = origin - triangles[i].corner.xyz;
            const float u = dot(from, p) / det;
            if (u < 0.0f || u > 1.0f) continue;
            const float3 q = cross(from, edge1);
            const float v = dot(direction, q) / det;
            if (v < 0.0f || u + v > 1.0f) continue;
            const float t = dot(edge2, q) / det;
            if (t > 1e-4f && t < nearest) {
                nearest = t;
                which = i;
            }
        }
    }
    depth[y * width + x] = nearest;
    hit[y * width + x] = which;
}

/* By which corners are above (first bit: top left, then clockwise): edges that lines begin and end at; 9 is none. Edges are the
 * top one, then clockwise. Where opposite corners are above, a line is around each of them. */
__constant uchar lines_of[16][4] = {
    {9, 9, 9, 9}, {3, 0, 9, 9}, {0, 1, 9, 9}, {3, 1, 9, 9}, {1, 2, 9, 9}, {3, 0, 1, 2}, {0, 2, 9, 9}, {3, 2, 9, 9},
    {2, 3, 9, 9}, {2, 0, 9, 9}, {0, 1, 2, 3}, {2, 1, 9, 9}, {1, 3, 9, 9}, {1, 0, 9, 9}, {0, 3, 9, 9}, {9, 9, 9, 9}
};

float2 on_edge(const uint edge, const float4 corners, const float level)
{
    switch (edge) {
    case 0: return (float2)((level - corners.x) / (corners.y - corners.x), 0.0f);
    case 1: return (float2)(1.0f, (level - corners.y) / (corners.z - corners.y));
    case 2: return (float2)((level - corners.w) / (corners.z - corners.w), 1.0f);
    default: return (float2)(0.0f, (level - corners.x) / (corners.w - corners.x));
    }
}

/* Marching squares: each group asks once for places in the list of lines. */
__kernel void contour_lines(__global const float *field, const uint width, const uint height, const float level,
                            __global float4 *lines, __global uint *cells, __global uint *total)
{
    __local uint wanted, base;
    const bool first = get_local_id(0) == 0 && get_local_id(1) == 0;
    const uint x = get_global_id(0), y = get_global_id(1);
    if (first) wanted = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    float4 v = (float4)(0.0f);
    uint kind = 0, count = 0, mine = 0;
    if (x + 1 < width && y + 1 < height) {
        __global const float *at = field + y * width + x;
        v = (float4)(at[0], at[1], at[width + 1], at[width]);
        kind = (v.x > level ? 1 : 0) | (v.y > level ? 2 : 0) | (v.z > level ? 4 : 0) | (v.w > level ? 8 : 0);
        count = lines_of[kind][2] != 9 ? 2 : lines_of[kind][0] != 9 ? 1 : 0;
    }
    if (count > 0) mine = atomic_add(&wanted, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first && wanted > 0) base = atomic_add(total, wanted);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = 0; i < count; i++) {
        const float2 corner = (float2)(x, y);
        const float2 from = corner + on_edge(lines_of[kind][2 * i], v, level);
        const float2 to = corner + on_edge(lines_of[kind][2 * i + 1], v, level);
        lines[base + mine + i] = (float4)(from, to);
        cells[base + mine + i] = y * width + x;
    }
}
