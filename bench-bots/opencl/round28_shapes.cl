/* Shapes: which bodies touch each other, what of polygons a window shows, which points a surface
 * has inside. */

typedef struct {
    float4 turn;  /* a quaternion */
    float4 place; /* of the middle; the distance of the farthest corner is the last number */
    int first, corners;
} body_t;

enum { FAR_AWAY, APART, MEETING, UNDECIDED };

float3 turned(const float4 turn, const float3 way)
{
    return way + 2.0f * cross(turn.xyz, cross(turn.xyz, way) + turn.w * way);
}

/* The corner of a body that is farthest along a way. */
float3 farthest(const body_t *body, __global const float *corners, const float3 way)
{
    const float3 own_way = turned((float4)(-body->turn.xyz, body->turn.w), way);
    __global const float *corner = corners + 3 * body->first;
    float most = -INFINITY;
    int best = 0;
    for (int i = 0; i < body->corners; i++, corner += 3) {
        const float along = dot(vload3(0, corner), own_way);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return body->place.xyz + turned(body->turn, vload3(body->first + best, corners));
}

/* Of a side keeps what is nearest to the origin. */
void keep_line(float3 *points, int *count, float3 *way, const float3 old, const float3 new)
{
    const float3 side = old - new;
    points[0] = new;
    *count = 1;
    *way = -new;
    if (dot(side, -new) > 0.0f) {
        points[0] = old;
        points[1] = new;
        *count = 2;
        *way = cross(cross(side, -new), side);
    }
}

void keep_triangle(float3 *points, int *count, float3 *way, const float3 c, const float3 b, const float3 a)
{
    const float3 ab = b - a, ac = c - a, normal = cross(ab, ac);
    if (dot(cross(normal, ac), a) < 0.0f && dot(ac, a) < 0.0f) {
        keep_line(points, count, way, c, a);
    } else if (dot(cross(normal, ac), a) < 0.0f || dot(cross(ab, normal), a) < 0.0f) {
        keep_line(points, count, way, b, a);
    } else {
        const bool is_above = dot(normal, a) < 0.0f;
        points[0] = is_above ? c : b;
        points[1] = is_above ? b : c;
        points[2] = a;
        *count = 3;
        *way = is_above ? normal : -normal;
    }
}

/* Keeps of a simplex what is nearest to the origin, and says where to go on; or that the origin is
 * inside. */
bool is_around(float3 *points, int *count, float3 *way)
{
    const float3 new = points[*count - 1], b = points[*count - 2];
    switch (*count) {
    case 2: keep_line(points, count, way, b, new); return false;
    case 3: keep_triangle(points, count, way, points[0], b, new); return false;
    default: {
        const float3 c = points[1], d = points[0];
        if (dot(cross(b - new, c - new), new) < 0.0f) {
            keep_triangle(points, count, way, c, b, new);
        } else if (dot(cross(c - new, d - new), new) < 0.0f) {
            keep_triangle(points, count, way, d, c, new);
        } else if (dot(cross(d - new, b - new), new) < 0.0f) {
            keep_triangle(points, count, way, b, d, new);
        } else {
            return true;
        }
        return false;
    }
    }
}

/* Each item asks whether two convex bodies touch each other, as Gilbert, Johnson and Keerthi did. */
__kernel void gjk_pairs(__global const body_t *bodies, __global const float *corners,
                        __global const int2 *pairs, const int count, const int most,
                        __global uchar *answers)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int2 pair = pairs[id];
    const body_t one = bodies[pair.x], other = bodies[pair.y];
    float3 way = other.place.xyz - one.place.xyz;
    if (length(way) > one.place.w + other.place.w) {
        answers[id] = FAR_AWAY;
        return;
    }
    float3 points[4];
    int kept = 0;
    uchar answer = UNDECIDED;
    for (int turn = 0; turn < most; turn++) {
        const float3 point = farthest(&one, corners, way) - farthest(&other, corners, -way);
        if (dot(point, way) < 0.0f) {
            answer = APART;
            break;
        }
        points[kept++] = point;
        if (kept == 1) {
            way = -point;
        } else if (is_around(points, &kept, &way)) {
            answer = MEETING;
            break;
        }
    }
    answers[id] = answer;
}

#define MOST_CORNERS 64

/* Which side of a line a place is on, and how far away, in terms of the line's length. */
inline float side_of(const float2 start, const float2 end, const float2 place)
{
    const float2 line = end - start, way = place - start;
    return line.x * way.y - line.y * way.x;
}

/* Each item cuts a polygon off at all edges of a convex window, after Sutherland and Hodgman. */
__kernel void clip_polygons(__global const float2 *corners, __global const uint *starts,
                            __constant float2 *window, const int edges, __global float *areas,
                            __global uchar *left)
{
    const uint id = get_global_id(0);
    float2 some[MOST_CORNERS], others[MOST_CORNERS];
    float2 *from = some, *to = others;
    uint count = starts[id + 1] - starts[id];
    for (uint i = 0; i < count; i++) from[i] = corners[starts[id] + i];
    for (int edge = 0; edge < edges && count > 0; edge++) {
        const float2 start = window[edge], end = window[edge + 1 < edges ? edge + 1 : 0];
        uint next = 0;
        float2 before = from[count - 1];
        float side_before = side_of(start, end, before);
        for (uint i = 0; i < count; i++) {
            const float2 here = from[i];
            const float side = side_of(start, end, here);
            if ((side < 0.0f) != (side_before < 0.0f)) {
                to[next++] = mix(before, here, side_before / (side_before - side));
            }
            if (!(side < 0.0f)) to[next++] = here;
            before = here;
            side_before = side;
        }
        float2 *const spare = from;
        from = to;
        to = spare;
        count = next;
    }
    float area = 0.0f;
    for (uint i = 2; i < count; i++) area += side_of(from[0], from[i - 1], from[i]);
    areas[id] = 0.5f * area;
    left[id] = count;
}

#define POINTS 48 /* of a work-group */

/* Each item tells how often a surface of triangles goes around a point: what the point sees of it,
 * as a share of all directions. Work-groups read triangles together. */
__kernel __attribute__((reqd_work_group_size(POINTS, 1, 1)))
void winding_numbers(__global const float *vertices, __global const int *triangles, const int count,
                     __global const float4 *points, const int asked, __global float *numbers)
{
    __local float4 corners[3][POINTS];

    const int id = get_global_id(0), lid = get_local_id(0);
    const float3 own = points[min(id, asked - 1)].xyz;
    float angle = 0.0f;
    for (int first = 0; first < count; first += POINTS) {
        const int loaded = min(POINTS, count - first);
        if (lid < loaded) {
            const int3 corner = vload3(first + lid, triangles);
            corners[0][lid] = (float4)(vload3(corner.x, vertices), 0.0f);
            corners[1][lid] = (float4)(vload3(corner.y, vertices), 0.0f);
            corners[2][lid] = (float4)(vload3(corner.z, vertices), 0.0f);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < loaded; i++) {
            const float3 a = corners[0][i].xyz - own, b = corners[1][i].xyz - own;
            const float3 c = corners[2][i].xyz - own;
            const float la = length(a), lb = length(b), lc = length(c);
            const float above = dot(a, cross(b, c));
            const float below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
            angle += atan2(above, below);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id < asked) numbers[id] = angle / (2.0f * M_PI_F);
}
