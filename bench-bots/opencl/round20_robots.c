/* Robots. Sizes are scans, places of an arm, a side of a map of echoes. */
#include "workloads.h"

enum { GRID = 400, CELL = 64, BEAMS = 360, FARTHEST = 9000, TURN = 1024 };

static const cl_int passed = 2, met = 9;
static const cl_float scale = 0.05f;

struct pose {
    int x, y;
    cl_ushort heading, is_lost;
};

/* Robots go along a circle. Beams see nothing, or walls that are nearer or farther than they can see. */
static void lidar_grid_prepare(struct clbench *b) {
    cl_ushort *ranges = make(b, 0, (size_t)b->size * BEAMS * sizeof *ranges);
    struct pose *poses = make(b, 1, (size_t)b->size * sizeof *poses);
    cl_short2 *directions = make(b, 2, TURN * sizeof *directions);
    uint32_t state = 2633;
    for (long i = 0; i < TURN; i++) {
        double angle = 2.0 * acos(-1.0) * (double)i / TURN;
        directions[i].s[0] = (cl_short)lrint(16384.0 * cos(angle)), directions[i].s[1] = (cl_short)lrint(16384.0 * sin(angle));
    }
    for (long i = 0; i < b->size; i++) {
        double angle = 0.1 * (double)i, middle = 0.5 * GRID * CELL;
        poses[i].x = (int)(middle + 0.6 * middle * cos(angle)), poses[i].y = (int)(middle + 0.6 * middle * sin(angle));
        poses[i].heading = (cl_ushort)(random_word(&state) % TURN), poses[i].is_lost = random_word(&state) % 12 == 0;
        for (long k = 0; k < BEAMS; k++) {
            uint32_t kind = random_word(&state) % 16;
            ranges[i * BEAMS + k] = (cl_ushort)(kind == 0 ? 0 : 2000 + 1000 * (k / 30 % 9) + random_word(&state) % 100);
        }
    }
    make(b, 3, GRID * GRID * sizeof(cl_int)), make(b, 4, GRID * GRID);
    up(b, 0), up(b, 1), up(b, 2);
}

static void lidar_grid_once(struct clbench *b) {
    cl_int beams = BEAMS, farthest = FARTHEST, side = GRID, cells = GRID * GRID;
    struct range range = RANGE2(round_up(BEAMS, 64), (size_t)b->size, 64, 1);
    launch(b, "nothing_known", RANGE1(GRID * GRID, 0), B(3));
    launch(b, "lidar_grid", range, B(0), B(1), B(2), V(beams), V(farthest), V(side), V(passed), V(met), B(3));
    launch(b, "likely_cells", RANGE1(round_up(cells, 128), 128), B(3), V(cells), V(scale), B(4));
}

/* A beam's cells, as the line's error tells them. */
static void follow_beam(const struct pose *pose, const cl_short *way, int range, cl_int *grid) {
    int reached = range < FARTHEST ? range : FARTHEST, x = pose->x >> 6, y = pose->y >> 6;
    int off_x = ((pose->x + (reached * way[0] >> 14)) >> 6) - x, off_y = ((pose->y + (reached * way[1] >> 14)) >> 6) - y;
    int along = abs(off_x), across = abs(off_y), error = along - across;
    for (; off_x != 0 || off_y != 0;) {
        if (x < 0 || y < 0 || x >= GRID || y >= GRID) {
            return;
        }
        grid[y * GRID + x] -= passed;
        int moves_x = 2 * error >= -across, moves_y = 2 * error <= along;
        int step_x = moves_x ? (off_x > 0 ? 1 : -1) : 0, step_y = moves_y ? (off_y > 0 ? 1 : -1) : 0;
        error += (moves_y ? along : 0) - (moves_x ? across : 0);
        x += step_x, y += step_y, off_x -= step_x, off_y -= step_y;
    }
    if (range < FARTHEST && x >= 0 && y >= 0 && x < GRID && y < GRID) {
        grid[y * GRID + x] += met;
    }
}

static int lidar_grid_check(struct clbench *b) {
    const cl_ushort *ranges = b->buffer[0].host;
    const struct pose *poses = b->buffer[1].host;
    const cl_short2 *directions = b->buffer[2].host;
    const cl_int *got = b->buffer[3].host;
    const unsigned char *likely = b->buffer[4].host;
    cl_int *grid = calloc(GRID * GRID, sizeof *grid);
    long known = 0;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; i < b->size * BEAMS; i++) {
        const struct pose *pose = poses + i / BEAMS;
        if (!pose->is_lost && ranges[i] > 0) {
            follow_beam(pose, directions[(pose->heading + i % BEAMS * TURN / BEAMS) % TURN].s, ranges[i], grid);
        }
    }
    for (long i = 0; ok && i < GRID * GRID; i++) {
        double want = 100.0 / (1.0 + exp(-(double)scale * grid[i]));
        ok = same("cell", i, got[i], grid[i]) && near("likely", i, likely[i], grid[i] == 0 ? 255.0 : want, grid[i] == 0 ? 0.0 : 0.501);
        known += grid[i] != 0;
    }
    free(grid);
    return ok && same("some are known", 0, known > GRID * GRID / 50 && known < GRID * GRID, 1);
}

enum { JOINTS = 6, BALLS = 40, UNCERTAIN = 30000 };

static void arm_collision_prepare(struct clbench *b) {
    cl_float4 *balls = make(b, 1, BALLS * sizeof *balls);
    uint32_t state = 2647;
    fill_between(make(b, 0, (size_t)(b->size * JOINTS) * sizeof(float)), b->size * JOINTS, 2657, -3.1f, 3.1f);
    for (long i = 0; i < BALLS; i++) {
        double angle = 0.7 * (double)i, out = 0.55 + 0.4 * (double)random_unit(&state);
        balls[i].s[0] = (float)(out * cos(angle)), balls[i].s[1] = (float)(out * sin(angle));
        balls[i].s[2] = 1.6f * random_unit(&state) - 0.8f, balls[i].s[3] = 0.03f + 0.05f * random_unit(&state);
    }
    make(b, 2, (size_t)b->size * sizeof(cl_short)), make(b, 3, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1);
}

static void arm_collision_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, balls = BALLS;
    launch(b, "arm_collision", RANGE1(round_up(count, 64), 64), B(0), V(count), B(1), V(balls), B(2), B(3));
}

/* Where an arm's joints are, by products of matrices. */
static void place_arm(const float *angles, long count, double points[JOINTS + 1][3]) {
    static const double joints[JOINTS][4] = {{0, 0.0892, 0, 1},  {-0.425, 0, 1, 0},   {-0.392, 0, 1, 0},
                                             {0, 0.1093, 0, 1}, {0, 0.0948, 0, -1}, {0, 0.0825, 1, 0}};
    double all[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    memset(points[0], 0, sizeof points[0]);
    for (int i = 0; i < JOINTS; i++) {
        const double *j = joints[i], c = cos((double)angles[i * count]), s = sin((double)angles[i * count]);
        const double own[4][4] = {
            {c, -s * j[2], s * j[3], j[0] * c}, {s, c * j[2], -c * j[3], j[0] * s}, {0, j[3], j[2], j[1]}, {0, 0, 0, 1}};
        for (int row = 0; row < 3; row++) {
            double line[4] = {0.0};
            for (int k = 0; k < 16; k++) {
                line[k % 4] += all[row][k / 4] * own[k / 4][k % 4];
            }
            memcpy(all[row], line, sizeof line);
            points[i + 1][row] = line[3];
        }
    }
}

/* The least distance of a point to a part of a line, and of two such parts: the least of a part's is where a function without other
 * lows has its low. */
static double to_part(const double *point, const double *from, const double *to) {
    double square = 0.0, along = 0.0, result = 0.0;
    for (int k = 0; k < 3; k++) {
        square += (to[k] - from[k]) * (to[k] - from[k]), along += (point[k] - from[k]) * (to[k] - from[k]);
    }
    double share = fmin(fmax(along / square, 0.0), 1.0);
    for (int k = 0; k < 3; k++) {
        result += pow(from[k] + share * (to[k] - from[k]) - point[k], 2.0);
    }
    return sqrt(result);
}

static double part_to_part(const double *from, const double *to, const double *other, const double *other_to) {
    double low = 0.0, high = 1.0, results[2] = {0.0};
    while (high - low > 1e-9) {
        for (int i = 0; i < 2; i++) {
            double point[3], share = (i == 0 ? 2.0 * low + high : low + 2.0 * high) / 3.0;
            for (int k = 0; k < 3; k++) {
                point[k] = from[k] + share * (to[k] - from[k]);
            }
            results[i] = to_part(point, other, other_to);
        }
        *(results[0] < results[1] ? &high : &low) = results[0] < results[1] ? (low + 2.0 * high) / 3.0 : (2.0 * low + high) / 3.0;
    }
    return results[0];
}

/* The first thing that an arm touches, or UNCERTAIN where it may or may not touch something. */
static int first_touched(const struct clbench *b, double points[JOINTS + 1][3], double *clearance) {
    static const double thickness[JOINTS] = {0.07, 0.06, 0.05, 0.045, 0.045, 0.04};
    const cl_float4 *balls = b->buffer[1].host;
    *clearance = INFINITY;
    for (int i = 0; i < JOINTS; i++) {
        for (int k = 0; k < BALLS + (i > 2 ? i - 2 : 0); k++) {
            int other = k - BALLS;
            double ball[3], between;
            if (other < 0) {
                ball[0] = (double)balls[k].s[0], ball[1] = (double)balls[k].s[1], ball[2] = (double)balls[k].s[2];
                between = to_part(ball, points[i], points[i + 1]) - thickness[i] - (double)balls[k].s[3];
            } else {
                between = part_to_part(points[other], points[other + 1], points[i], points[i + 1]) - thickness[other] - thickness[i];
            }
            if (between < 1e-5) {
                return between > -1e-5 ? UNCERTAIN : other < 0 ? i * BALLS + k : JOINTS * BALLS + i * JOINTS + other;
            }
            *clearance = fmin(*clearance, between);
        }
    }
    return -1;
}

static int arm_collision_check(struct clbench *b) {
    const float *angles = b->buffer[0].host, *clearances = b->buffer[3].host;
    const cl_short *touched = b->buffer[2].host;
    long is_free = 0, tried = 0, step = b->size / 50021 + 1;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i += step, tried++) {
        double points[JOINTS + 1][3], clearance;
        place_arm(angles + i, b->size, points);
        int first = first_touched(b, points, &clearance);
        ok = first == UNCERTAIN || (same("touched", i, touched[i], first) &&
                                    near("clearance", i, (double)clearances[i], first == -1 ? clearance : 0.0, 1e-4));
        is_free += first == -1;
    }
    return ok && same("some are free", 0, is_free > tried / 20 && is_free < tried * 4 / 5, 1);
}

enum { REACH = 6, GUARD = 2, TILE = 16 };

static const cl_float factor = 5.0f;

static void cfar_map_prepare(struct clbench *b) {
    long cells = b->size * b->size;
    cl_float2 *echoes = make(b, 0, (size_t)cells * sizeof *echoes);
    uint32_t state = 2659;
    for (long i = 0; i < cells; i++) {
        float size = random_word(&state) % 80 == 0 ? 4.0f : 0.5f + 0.5f * sinf((float)(i / b->size) * 0.1f);
        echoes[i].s[0] = size * (random_unit(&state) - 0.5f), echoes[i].s[1] = size * (random_unit(&state) - 0.5f);
    }
    make(b, 1, (size_t)cells), make(b, 2, round_up(b->size, TILE) * round_up(b->size, TILE) / (TILE * TILE) * sizeof(cl_int));
    up(b, 0);
}

static void cfar_map_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    launch(b, "cfar_map", RANGE2(round_up(side, TILE), round_up(side, TILE), TILE, TILE), B(0), V(side), V(side), V(factor), B(1), B(2));
}

static double power_at(const struct clbench *b, long speed, long range) {
    const cl_float2 *echoes = b->buffer[0].host;
    if (range < 0 || range >= b->size) {
        return 0.0;
    }
    const float *echo = echoes[range * b->size + (speed + b->size) % b->size].s;
    return (double)echo[0] * (double)echo[0] + (double)echo[1] * (double)echo[1];
}

/* Whether there is an echo, if it is so much stronger than it is. */
static int is_echo(const struct clbench *b, long speed, long range, double more) {
    double own = power_at(b, speed, range) * more, sums[2] = {0.0};
    for (long y = -REACH; y <= REACH; y++) {
        for (long x = -REACH; x <= REACH; x++) {
            double there = power_at(b, speed + x, range + y);
            sums[y > 0] += labs(y) > GUARD ? there : 0.0;
            if (labs(x) <= 1 && labs(y) <= 1 && (x != 0 || y != 0) && there >= own) {
                return 0;
            }
        }
    }
    return own > (double)factor * fmax(sums[0], sums[1]) / ((REACH - GUARD) * (2 * REACH + 1));
}

/* Of large maps not all cells are looked at, but all are counted. */
static int cfar_map_check(struct clbench *b) {
    const unsigned char *found = b->buffer[1].host;
    const cl_int *counts = b->buffer[2].host;
    long across = (b->size + TILE - 1) / TILE, all = 0, step = b->size * b->size / 100003 + 1;
    cl_int *wanted = calloc((size_t)(across * across), sizeof *wanted);
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < b->size * b->size; i++) {
        long speed = i % b->size, range = i / b->size;
        if (i % step == 0 && found[i] != is_echo(b, speed, range, 0.99999)) {
            ok = same("echo", i, found[i], is_echo(b, speed, range, 1.00001));
        }
        wanted[range / TILE * across + speed / TILE] += found[i], all += found[i];
    }
    for (long i = 0; ok && i < across * across; i++) {
        ok = same("count", i, counts[i], wanted[i]);
    }
    free(wanted);
    return ok && same("some are found", 0, all > b->size * b->size / 1000 && all < b->size * b->size / 20, 1);
}

const struct workload round20_robots_workloads[] = {
    WORKLOAD(round20_robots, lidar_grid, 5, 101, 803, 8009),
    WORKLOAD(round20_robots, arm_collision, 301, 10007, 80021, 1000003),
    WORKLOAD(round20_robots, cfar_map, 45, 401, 1201, 4001),
    END_OF_WORKLOADS,
};
