/* Matter: to which atom a place belongs, and which edges of a surface are not needed. */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define MOST_ATOMS 64
#define NARROW 0.64

/* From 1 where one atom is much nearer to 0 where the other one is. */
inline double step_between(const double balance)
{
    const double t = balance / NARROW, square = t * t;
    if (t <= -1.0) return 1.0;
    if (t >= 1.0) return 0.0;
    return 0.5 - t * (35.0 + square * (-35.0 + square * (21.0 - 5.0 * square))) / 32.0;
}

/* Each item weighs a point of one atom's grid by how much of space there is the atom's own, after
 * Stratmann, Scuseria and Frisch. The last number of an atom is how far away its next one is, that of a
 * point its weight so far. */
__kernel void atom_cells(__constant double4 *atoms, __global const double *inverse_distances,
                         const int atom_count, __global const double4 *points,
                         __global const int *owners, const int count, __global double *weights)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const double4 point = points[id];
    const int owner = owners[id];
    if (distance(point.xyz, atoms[owner].xyz) < 0.5 * (1.0 - NARROW) * atoms[owner].w) {
        weights[id] = point.w; /* no other atom's */
        return;
    }
    double far[MOST_ATOMS];
    for (int i = 0; i < atom_count; i++) far[i] = distance(point.xyz, atoms[i].xyz);
    double own = 0.0, all = 0.0;
    for (int i = 0; i < atom_count; i++) {
        double cell = 1.0;
        for (int k = 0; k < atom_count && cell > 0.0; k++) {
            if (k == i) continue;
            cell *= step_between((far[i] - far[k]) * inverse_distances[i * atom_count + k]);
        }
        if (i == owner) own = cell;
        all += cell;
    }
    weights[id] = point.w * own / all;
}

/* How far away from the planes of a vertex's faces places are, as a symmetric matrix. */
typedef struct {
    float4 squares; /* xx, yy, zz, and the faces' area */
    float4 mixed;   /* xy, xz, yz, 0 */
} quadric_t;

inline float3 times(const quadric_t q, const float3 v)
{
    return (float3)(q.squares.x * v.x + q.mixed.x * v.y + q.mixed.y * v.z,
                    q.mixed.x * v.x + q.squares.y * v.y + q.mixed.z * v.z,
                    q.mixed.y * v.x + q.mixed.z * v.y + q.squares.z * v.z);
}

/* Each item adds up the planes of one vertex's faces, which have the vertex as their origin. */
__kernel void vertex_quadrics(__global const float4 *vertices, __global const int *triangles,
                              __global const int *face_starts, __global const int *faces,
                              const int count, __global quadric_t *quadrics, __global uint *cheapest)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    quadric_t sum = {(float4)(0.0f), (float4)(0.0f)};
    for (int i = face_starts[id]; i < face_starts[id + 1]; i++) {
        const int3 corner = vload3(faces[i], triangles);
        const float4 first = vertices[corner.x];
        const float4 normal = cross(vertices[corner.y] - first, vertices[corner.z] - first);
        const float twice = length(normal);
        if (twice == 0.0f) continue;
        const float share = 0.5f / twice;
        sum.squares += share * (float4)(normal.xyz * normal.xyz, twice * twice);
        sum.mixed += share * (float4)(normal.xxy * normal.yzz, 0.0f);
    }
    quadrics[id] = sum;
    cheapest[id] = as_uint(INFINITY);
}

/* What it costs to move both ends of an edge to a place, which is seen from the first one. */
inline float cost_of(const quadric_t a, const quadric_t b, const float3 edge, const float3 place)
{
    return dot(place, times(a, place)) + dot(place - edge, times(b, place - edge));
}

/* Each item finds the best place for an edge to become a point, after Garland and Heckbert. */
__kernel void edge_quadrics(__global const float4 *vertices, __global const quadric_t *quadrics,
                            __global const int2 *edges, const int count, __global float4 *places,
                            volatile __global uint *cheapest)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int2 ends = edges[id];
    const quadric_t a = quadrics[ends.x], b = quadrics[ends.y];
    const float3 origin = vertices[ends.x].xyz, edge = vertices[ends.y].xyz - origin;
    const float3 s = a.squares.xyz + b.squares.xyz, m = a.mixed.xyz + b.mixed.xyz;
    const float3 pull = times(b, edge);
    const float3 row_x = (float3)(s.y * s.z - m.z * m.z, m.y * m.z - m.x * s.z, m.x * m.z - m.y * s.y);
    const float det = dot(row_x, (float3)(s.x, m.x, m.y)), trace = s.x + s.y + s.z;
    float3 best;
    float cost;
    if (det > 1e-3f * trace * trace * trace) {
        const float3 row_y = (float3)(row_x.y, s.x * s.z - m.y * m.y, m.x * m.y - s.x * m.z);
        const float3 row_z = (float3)(row_x.z, row_y.z, s.x * s.y - m.x * m.x);
        best = (float3)(dot(row_x, pull), dot(row_y, pull), dot(row_z, pull)) / det;
        cost = cost_of(a, b, edge, best);
    } else {
        best = 0.5f * edge;
        cost = cost_of(a, b, edge, best);
        const float at_start = cost_of(a, b, edge, (float3)(0.0f)), at_end = cost_of(a, b, edge, edge);
        if (at_start < cost) {
            best = (float3)(0.0f);
            cost = at_start;
        }
        if (at_end < cost) {
            best = edge;
            cost = at_end;
        }
    }
    cost = fmax(cost, 0.0f);
    places[id] = (float4)(origin + best, cost);
    atomic_min(&cheapest[ends.x], as_uint(cost));
    atomic_min(&cheapest[ends.y], as_uint(cost));
}

/* Each item tells whether an edge is the cheapest one of both its ends, so that it may go at once. */
__kernel void mark_collapses(__global const float4 *places, __global const int2 *edges, const int count,
                             __global const uint *cheapest, __global uchar *marks)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const uint cost = as_uint(places[id].w);
    marks[id] = cost == cheapest[edges[id].x] && cost == cheapest[edges[id].y];
}
