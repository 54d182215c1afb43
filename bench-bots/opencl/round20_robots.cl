/* Robots: maps of what a laser sees, arms that must not touch, echoes above the noise around them. */

#define CELL_SHIFT 6 /* cells of 64 millimetres */
#define TURN 1024

typedef struct {
    int x, y; /* in millimetres */
    ushort heading, is_lost;
} pose_t;

__kernel void nothing_known(__global int *grid)
{
    grid[get_global_id(0)] = 0;
}

/* Each item follows a beam from cell to cell: what it passes is less likely taken, where it ends more likely. */
__kernel void lidar_grid(__global const ushort *ranges, __global const pose_t *poses, __constant short2 *directions, const int beams,
                         const int farthest, const int side, const int passed, const int met, __global int *grid)
{
    const int beam = get_global_id(0), scan = get_global_id(1);
    if (beam >= beams) return;
    const pose_t pose = poses[scan];
    const int range = ranges[scan * beams + beam];
    if (pose.is_lost || range == 0) return;
    const short2 way = directions[(pose.heading + beam * TURN / beams) % TURN];
    const int reached = min(range, farthest);
    int x = pose.x >> CELL_SHIFT, y = pose.y >> CELL_SHIFT;
    const int to_x = (pose.x + (reached * way.x >> 14)) >> CELL_SHIFT, to_y = (pose.y + (reached * way.y >> 14)) >> CELL_SHIFT;
    const int step_x = x < to_x ? 1 : -1, step_y = y < to_y ? 1 : -1;
    const int along = abs(to_x - x), across = -(int)abs(to_y - y);
    int error = along + across;
    while (x >= 0 && y >= 0 && x < side && y < side) {
        if (x == to_x && y == to_y) {
            if (range < farthest) atomic_add(&grid[y * side + x], met);
            break;
        }
        atomic_sub(&grid[y * side + x], passed);
        const int twice = 2 * error;
        if (twice >= across) {
            error += across;
            x += step_x;
        }
        if (twice <= along) {
            error += along;
            y += step_y;
        }
    }
}

/* How likely each cell is taken, of 100, or 255 where nothing is known. */
__kernel void likely_cells(__global const int *grid, const int cells, const float scale, __global uchar *likely)
{
    const int id = get_global_id(0);
    if (id >= cells) return;
    const int known = grid[id];
    likely[id] = known == 0 ? 255 : convert_uchar_sat_rte(100.0f / (1.0f + exp(-scale * known)));
}

#define JOINTS 6
#define FREE -1

/* Of each joint: how far to the next one across and along its axis, cosine and sine of the angle between their axes. */
__constant float4 joints[JOINTS] = {(float4)(0.0f, 0.0892f, 0.0f, 1.0f),  (float4)(-0.425f, 0.0f, 1.0f, 0.0f),
                                    (float4)(-0.392f, 0.0f, 1.0f, 0.0f),  (float4)(0.0f, 0.1093f, 0.0f, 1.0f),
                                    (float4)(0.0f, 0.0948f, 0.0f, -1.0f), (float4)(0.0f, 0.0825f, 1.0f, 0.0f)};

__constant float thickness[JOINTS] = {0.07f, 0.06f, 0.05f, 0.045f, 0.045f, 0.04f};

float point_to_segment(const float3 point, const float3 from, const float3 to)
{
    const float3 along = to - from;
    const float share = clamp(dot(point - from, along) / dot(along, along), 0.0f, 1.0f);
    return distance(point, from + share * along);
}

float segment_to_segment(const float3 a, const float3 a_end, const float3 b, const float3 b_end)
{
    const float3 p = a_end - a, q = b_end - b, r = a - b;
    const float pp = dot(p, p), qq = dot(q, q), pq = dot(p, q), pr = dot(p, r), qr = dot(q, r);
    const float bottom = pp * qq - pq * pq;
    float s = bottom > 1e-9f ? clamp((pq * qr - pr * qq) / bottom, 0.0f, 1.0f) : 0.0f;
    float t = (pq * s + qr) / qq;
    if (t < 0.0f) {
        t = 0.0f;
        s = clamp(-pr / pp, 0.0f, 1.0f);
    } else if (t > 1.0f) {
        t = 1.0f;
        s = clamp((pq - pr) / pp, 0.0f, 1.0f);
    }
    return distance(a + s * p, b + t * q);
}

/* Each item places an arm and tells the first thing that it touches, a ball or a part of itself, or how far from any it is. */
__kernel void arm_collision(__global const float *angles, const int count, __constant float4 *balls, const int ball_count,
                            __global short *touched, __global float *clearances)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    float3 points[JOINTS + 1];
    float3 x = (float3)(1.0f, 0.0f, 0.0f), y = (float3)(0.0f, 1.0f, 0.0f), z = (float3)(0.0f, 0.0f, 1.0f);
    points[0] = (float3)(0.0f);
    for (int i = 0; i < JOINTS; i++) {
        float cosine;
        const float sine = sincos(angles[i * count + id], &cosine);
        const float4 joint = joints[i];
        const float3 turned_x = cosine * x + sine * y, turned_y = cosine * y - sine * x;
        points[i + 1] = points[i] + joint.x * turned_x + joint.y * z;
        x = turned_x;
        y = joint.z * turned_y + joint.w * z;
        z = joint.z * z - joint.w * turned_y;
    }
    float clearance = INFINITY;
    for (int i = 0; i < JOINTS; i++) {
        for (int k = 0; k < ball_count; k++) {
            const float between = point_to_segment(balls[k].xyz, points[i], points[i + 1]) - thickness[i] - balls[k].w;
            if (between < 0.0f) {
                touched[id] = i * ball_count + k;
                clearances[id] = 0.0f;
                return;
            }
            clearance = fmin(clearance, between);
        }
        for (int k = 0; k < i - 2; k++) {
            const float between =
                segment_to_segment(points[k], points[k + 1], points[i], points[i + 1]) - thickness[k] - thickness[i];
            if (between < 0.0f) {
                touched[id] = JOINTS * ball_count + i * JOINTS + k;
                clearances[id] = 0.0f;
                return;
            }
            clearance = fmin(clearance, between);
        }
    }
    touched[id] = FREE;
    clearances[id] = clearance;
}

#define TILE 16
#define REACH 6
#define GUARD 2
#define FULL (TILE + 2 * REACH)

/* Finds echoes: what is stronger than all neighbours and than the mean before or behind it, some cells left out, whichever is more.
 * Speeds come around, ranges don't. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void cfar_map(__global const float2 *echoes, const int speeds, const int ranges, const float factor, __global uchar *found,
              __global int *counts)
{
    __local float power[FULL][FULL + 1];
    __local int here;

    const int column = get_local_id(0), line = get_local_id(1);
    const int speed = get_global_id(0), range = get_global_id(1);
    if (column == 0 && line == 0) here = 0;
    for (int y = line; y < FULL; y += TILE) {
        for (int x = column; x < FULL; x += TILE) {
            const int at_range = get_group_id(1) * TILE + y - REACH;
            const int at_speed = (get_group_id(0) * TILE + x - REACH + speeds) % speeds;
            float value = 0.0f;
            if (at_range >= 0 && at_range < ranges) {
                const float2 echo = echoes[at_range * speeds + at_speed];
                value = echo.x * echo.x + echo.y * echo.y;
            }
            power[y][x] = value;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (speed < speeds && range < ranges) {
        const float own = power[line + REACH][column + REACH];
        float before = 0.0f, behind = 0.0f;
        for (int y = 0; y < REACH - GUARD; y++) {
            for (int x = 0; x <= 2 * REACH; x++) {
                before += power[line + y][column + x];
                behind += power[line + 2 * REACH - y][column + x];
            }
        }
        bool is_echo = own > factor * fmax(before, behind) / ((REACH - GUARD) * (2 * REACH + 1));
        for (int y = -1; is_echo && y <= 1; y++) {
            for (int x = -1; x <= 1; x++) {
                if ((x != 0 || y != 0) && power[line + REACH + y][column + REACH + x] >= own) is_echo = false;
            }
        }
        found[range * speeds + speed] = is_echo;
        if (is_echo) atomic_inc(&here);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (column == 0 && line == 0) counts[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = here;
}
