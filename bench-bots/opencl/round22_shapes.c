/* Shapes. Sizes are a side of a frame, squares around a ring, letters. */
#include "workloads.h"

static const cl_float share = 0.1f;

static void temporal_resolve_prepare(struct clbench *b) {
    size_t pixels = (size_t)(b->size * b->size);
    unsigned char *frame = make(b, 0, pixels * sizeof(cl_uchar4));
    float *depths = make(b, 1, pixels * sizeof *depths);
    cl_char2 *motions = make(b, 2, pixels * sizeof *motions);
    cl_ushort *history = make(b, 3, pixels * 4 * sizeof *history);
    uint32_t state = 2857;
    for (size_t i = 0; i < pixels; i++) {
        long x = (long)i % b->size, y = (long)i / b->size;
        depths[i] = (float)(x / 9 * 7 % 5 + y / 11 * 5 % 7) + random_unit(&state);
        motions[i].s[0] = (cl_char)(x / 9 * 11 % 60 - 30), motions[i].s[1] = (cl_char)(random_word(&state) % 32 - 16u);
        for (size_t k = 0; k < 4; k++) {
            uint32_t word = random_word(&state), smooth = (uint32_t)(x * 2 + y * 3 + (long)k * 40) & 127;
            frame[i * 4 + k] = (unsigned char)(smooth + (word & 63));
            history[i * 4 + k] = (cl_ushort)((12 + (word >> 8 & 3)) << 10 | word >> 22);
        }
    }
    make(b, 4, pixels * 4 * sizeof *history);
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void temporal_resolve_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    struct range range = RANGE2(round_up(side, 16), round_up(side, 16), 16, 16);
    launch(b, "temporal_resolve", range, B(0), B(1), B(2), B(3), V(side), V(side), V(share), B(4));
}

/* A colour's brightness and two differences, or back. */
static void split(const double colour[3], double parts[3]) {
    parts[0] = (colour[0] + colour[2]) / 4.0 + colour[1] / 2.0;
    parts[1] = (colour[0] - colour[2]) / 2.0, parts[2] = colour[1] / 2.0 - (colour[0] + colour[2]) / 4.0;
}

static double cubic_weight(double away) {
    double x = fabs(away);
    return x < 1.0 ? 1.5 * x * x * x - 2.5 * x * x + 1.0 : x < 2.0 ? -0.5 * x * x * x + 2.5 * x * x - 4.0 * x + 2.0 : 0.0;
}

static void history_at(const struct clbench *b, double x, double y, double parts[3]) {
    const cl_ushort *history = b->buffer[3].host;
    double colour[3] = {0.0};
    for (long row = (long)floor(y) - 2; row <= (long)floor(y) + 2; row++) {
        for (long column = (long)floor(x) - 2; column <= (long)floor(x) + 2; column++) {
            double weight = cubic_weight((double)row + 0.5 - y) * cubic_weight((double)column + 0.5 - x);
            for (int k = 0; k < 3; k++) {
                colour[k] += weight * half_value(history[(clamped(row, b->size) * b->size + clamped(column, b->size)) * 4 + k]);
            }
        }
    }
    split(colour, parts);
}

static void resolve(const struct clbench *b, long x, long y, double mixed[3]) {
    const unsigned char *frame = b->buffer[0].host;
    const float *depths = b->buffer[1].host;
    const cl_char2 *motions = b->buffer[2].host;
    double sums[3] = {0.0}, squares[3] = {0.0}, own[3] = {0.0}, old[3], most = 1.0;
    long best = -1;
    for (int k = 0; k < 9; k++) {
        long at = clamped(y + k / 3 - 1, b->size) * b->size + clamped(x + k % 3 - 1, b->size);
        double colour[3] = {frame[at * 4] / 255.0, frame[at * 4 + 1] / 255.0, frame[at * 4 + 2] / 255.0}, parts[3];
        split(colour, parts);
        best = best < 0 || depths[at] < depths[best] ? at : best;
        for (int i = 0; i < 3; i++) {
            sums[i] += parts[i] / 9.0, squares[i] += parts[i] * parts[i] / 9.0;
            own[i] = k == 4 ? parts[i] : own[i];
        }
    }
    double from_x = (double)x + 0.5 - motions[best].s[0] / 8.0, from_y = (double)y + 0.5 - motions[best].s[1] / 8.0;
    memcpy(mixed, own, sizeof own);
    if (from_x < 0.0 || from_y < 0.0 || from_x > (double)b->size || from_y > (double)b->size) {
        return;
    }
    history_at(b, from_x, from_y, old);
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(old[i] - sums[i]) / (1.25 * sqrt(fmax(squares[i] - sums[i] * sums[i], 0.0)) + 0.005));
    }
    double light = fmax(sums[0] + (old[0] - sums[0]) / most, 0.0);
    double weights[2] = {(double)share / (1.0 + own[0]), (1.0 - (double)share) / (1.0 + light)};
    for (int i = 0; i < 3; i++) {
        mixed[i] = (own[i] * weights[0] + (sums[i] + (old[i] - sums[i]) / most) * weights[1]) / (weights[0] + weights[1]);
    }
}

/* Of large frames not all pixels are looked at. */
static int temporal_resolve_check(struct clbench *b) {
    const cl_ushort *got = b->buffer[4].host;
    long step = b->size * b->size / 200003 + 1;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < b->size * b->size; i += step) {
        double parts[3];
        resolve(b, i % b->size, i / b->size, parts);
        const double colour[3] = {parts[0] + parts[1] - parts[2], parts[0] + parts[2], parts[0] - parts[1] - parts[2]};
        for (int k = 0; ok && k < 3; k++) {
            ok = near("colour", i * 3 + k, half_value(got[i * 4 + k]), colour[k], 1e-3);
        }
    }
    return ok;
}

enum { GRID = 224, ROW = GRID / 32 };

/* A ring that waves. Its squares are two triangles each, twice as many around as across. */
static void voxel_shell_prepare(struct clbench *b) {
    long around = b->size * 2, across = b->size;
    float *vertices = make(b, 0, (size_t)(around * across) * 3 * sizeof *vertices);
    cl_int *triangles = make(b, 1, (size_t)(around * across) * 6 * sizeof *triangles);
    for (long i = 0; i < around * across; i++) {
        double round = 2.0 * acos(-1.0), turn = round * (double)(i % around) / (double)around;
        double roll = round * (double)(i / around) / (double)across;
        double thick = 30.0 + 6.0 * sin(5.0 * turn + 2.0 * roll), out = 75.0 + thick * cos(roll);
        vertices[i * 3] = (float)(GRID * 0.503 + out * cos(turn)), vertices[i * 3 + 1] = (float)(GRID * 0.498 + out * sin(turn));
        vertices[i * 3 + 2] = (float)(GRID * 0.501 + thick * sin(roll) + 20.0 * cos(2.0 * turn));
        cl_int next = (cl_int)(i - i % around + (i + 1) % around), above = (cl_int)((i + around) % (around * across));
        cl_int corner = (cl_int)((next + around) % (around * across));
        cl_int own[6] = {(cl_int)i, next, above, above, next, corner};
        memcpy(triangles + i * 6, own, sizeof own);
    }
    make(b, 2, GRID * GRID * ROW * sizeof(cl_uint)), make(b, 3, GRID * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void voxel_shell_once(struct clbench *b) {
    cl_int count = (cl_int)(b->size * b->size * 4), words = GRID * GRID * ROW, layer = GRID * ROW;
    cl_int4 grid = {{GRID, GRID, GRID, ROW}};
    launch(b, "no_voxels", RANGE1(round_up(words, 128), 128), B(2), V(words));
    launch(b, "voxel_shell", RANGE1(round_up(count, 64), 64), B(0), B(1), V(count), V(grid), B(2));
    launch(b, "count_voxels", RANGE1(GRID * 64, 64), B(2), V(layer), B(3));
}

/* By how much a triangle and a voxel overlap, or less than 0 if an axis parts them: the least over sides of the voxel, the triangle's
 * plane, and what is across to sides of both. */
static double overlap_of(double corners[3][3], const long voxel[3]) {
    double least = 1e9;
    for (int k = 0; k < 13 && least > -1e-3; k++) {
        double axis[3] = {0.0}, low = 1e9, high = -1e9, size = 0.0, middle = 0.0, reach = 0.0, sides[2][3];
        for (int i = 0; i < 3; i++) {
            sides[0][i] = k < 12 ? corners[(k % 3 + 1) % 3][i] - corners[k % 3][i] : corners[1][i] - corners[0][i];
            sides[1][i] = k < 12 ? k / 3 - 1 == i : corners[2][i] - corners[0][i];
        }
        for (int i = 0; i < 3; i++) {
            axis[i] = k < 3 ? k == i : sides[0][(i + 1) % 3] * sides[1][(i + 2) % 3] - sides[0][(i + 2) % 3] * sides[1][(i + 1) % 3];
            size += axis[i] * axis[i];
        }
        for (int i = 0; i < 3 && size > 1e-12; i++) {
            double at = 0.0;
            for (int n = 0; n < 3; n++) {
                at += axis[n] * corners[i][n] / sqrt(size);
            }
            low = fmin(low, at), high = fmax(high, at);
            middle += axis[i] * ((double)voxel[i] + 0.5) / sqrt(size), reach += 0.5 * fabs(axis[i]) / sqrt(size);
        }
        least = size > 1e-12 ? fmin(least, fmin(high - middle + reach, middle + reach - low)) : least;
    }
    return least;
}

/* Marks voxels: 1 those that a triangle just may touch, 2 those that it surely does. */
static void mark_voxels(const struct clbench *b, long triangle, unsigned char *marks) {
    const float *vertices = b->buffer[0].host;
    const cl_int *own = (const cl_int *)b->buffer[1].host + triangle * 3;
    double corners[3][3];
    long first[3], last[3], at[3];
    for (int i = 0; i < 3; i++) {
        first[i] = GRID, last[i] = 0;
        for (int k = 0; k < 3; k++) {
            corners[k][i] = (double)vertices[own[k] * 3 + i];
            first[i] = (long)fmin((double)first[i], floor(corners[k][i] - 0.01));
            last[i] = (long)fmax((double)last[i], floor(corners[k][i] + 0.01));
        }
    }
    for (at[2] = first[2]; at[2] <= last[2]; at[2]++) {
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++) {
            for (at[0] = first[0]; at[0] <= last[0]; at[0]++) {
                double overlap = overlap_of(corners, at);
                unsigned char *mark = marks + (at[2] * GRID + at[1]) * GRID + at[0], kind = overlap > 1e-3 ? 2 : overlap > -1e-3;
                *mark = kind > *mark ? kind : *mark;
            }
        }
    }
}

static int voxel_shell_check(struct clbench *b) {
    const cl_uint *voxels = b->buffer[2].host;
    const cl_int *layers = b->buffer[3].host;
    unsigned char *marks = calloc(GRID * GRID, GRID);
    long sure = 0, all = 0;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; i < b->size * b->size * 4; i++) {
        mark_voxels(b, i, marks);
    }
    for (long z = 0, in_layer = 0; ok && z < GRID; z++, in_layer = 0) {
        for (long i = z * GRID * GRID; ok && i < (z + 1) * GRID * GRID; i++) {
            int is_marked = voxels[i / 32] >> i % 32 & 1;
            ok = marks[i] == 1 || same("voxel", i, is_marked, marks[i] == 2);
            in_layer += is_marked, sure += marks[i] == 2, all += marks[i] != 0;
        }
        ok = ok && same("layer", z, layers[z], in_layer);
    }
    free(marks);
    return ok && same("most are sure", 0, sure > 1000 && sure > all * 9 / 10, 1);
}

enum { CELL = 32, MOST_POINTS = 10, COLUMNS = 16 };

static const cl_float field_range = 6.0f;

struct curve {
    cl_float2 from, control, to;
};

/* Adds a curve, or both parts of it if it goes up and down. */
static cl_int add_curve(struct curve *curves, cl_int count, const double points[3][2]) {
    struct curve own;
    double bend = points[0][1] - 2.0 * points[1][1] + points[2][1], at = (points[0][1] - points[1][1]) / (bend == 0.0 ? 1.0 : bend);
    for (int i = 0; i < 2; i++) {
        own.from.s[i] = (float)points[0][i], own.control.s[i] = (float)points[1][i], own.to.s[i] = (float)points[2][i];
    }
    if (bend == 0.0 || at <= 0.0 || at >= 1.0) {
        curves[count] = own;
        return count + 1;
    }
    struct curve parts[2] = {own, own};
    for (int i = 0; i < 2; i++) {
        double before = points[0][i] + at * (points[1][i] - points[0][i]), behind = points[1][i] + at * (points[2][i] - points[1][i]);
        float middle = (float)(before + at * (behind - before));
        parts[0].to.s[i] = parts[1].from.s[i] = middle;
        parts[0].control.s[i] = i == 1 ? middle : (float)before, parts[1].control.s[i] = i == 1 ? middle : (float)behind;
    }
    curves[count] = parts[0], curves[count + 1] = parts[1];
    return count + 2;
}

/* A letter is a wavy outline and, turned the other way, a hole in it. Some corners are sharp, with lines to them. */
static void glyph_fields_prepare(struct clbench *b) {
    struct curve *curves = make(b, 0, (size_t)b->size * MOST_POINTS * 8 * sizeof *curves);
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts), count = 0;
    uint32_t state = 2861;
    for (long glyph = 0; glyph < b->size; glyph++) {
        for (int hole = 0; hole < 2; hole++) {
            long points = 4 + random_word(&state) % (MOST_POINTS - 3);
            double places[MOST_POINTS][2];
            for (long i = 0; i < points; i++) {
                double angle = 2.0 * acos(-1.0) * ((double)i + 0.3 * (double)random_unit(&state)) / (double)points * (hole ? -1.0 : 1.0);
                double out = hole ? 2.0 + 3.0 * (double)random_unit(&state) : 8.0 + 6.0 * (double)random_unit(&state);
                places[i][0] = 16.0 + out * cos(angle), places[i][1] = 16.0 + out * sin(angle);
            }
            for (long i = 0; i < points; i++) {
                double way[3][2], middle;
                int is_sharp = random_word(&state) % 4 == 0;
                for (int k = 0; k < 2; k++) {
                    way[0][k] = 0.5 * (places[(i + points - 1) % points][k] + places[i][k]), way[1][k] = places[i][k];
                    way[2][k] = 0.5 * (places[i][k] + places[(i + 1) % points][k]);
                }
                for (int part = 0; is_sharp && part < 2; part++) {
                    double line[3][2];
                    for (int k = 0; k < 2; k++) {
                        middle = 0.5 * (way[part][k] + way[part + 1][k]);
                        line[0][k] = way[part][k], line[1][k] = middle, line[2][k] = way[part + 1][k];
                    }
                    count = add_curve(curves, count, line);
                }
                count = is_sharp ? count : add_curve(curves, count, way);
            }
        }
        starts[glyph + 1] = count;
    }
    make(b, 2, round_up(b->size, COLUMNS) * CELL * CELL);
    up(b, 0), up(b, 1);
}

static void glyph_fields_once(struct clbench *b) {
    cl_int columns = COLUMNS;
    launch(b, "glyph_fields", RANGE1((size_t)b->size * 64, 64), B(0), B(1), V(field_range), V(columns), B(2));
}

static void point_of(const struct curve *curve, double at, double point[2]) {
    for (int i = 0; i < 2; i++) {
        point[i] = (1.0 - at) * (1.0 - at) * (double)curve->from.s[i] + 2.0 * at * (1.0 - at) * (double)curve->control.s[i] +
                   at * at * (double)curve->to.s[i];
    }
}

/* The distance to a curve: by many places of it, and smaller steps around the best one. */
static double away_from(const struct curve *curve, const double place[2]) {
    double best = 1e9, middle = 0.5;
    for (double step = 1.0 / 32.0; step > 1e-5; step /= 4.0) {
        double start = middle;
        for (int i = -16; i <= 16; i++) {
            double at = fmin(fmax(start + i * step, 0.0), 1.0), point[2];
            point_of(curve, at, point);
            double away = hypot(point[0] - place[0], point[1] - place[1]);
            middle = away < best ? at : middle, best = fmin(best, away);
        }
    }
    return best;
}

/* Which way a curve crosses the line to the right of a place, by halving. */
static int crossing(const struct curve *curve, const double place[2]) {
    double low = 0.0, high = 1.0, point[2];
    int is_up = (double)curve->to.s[1] > place[1];
    if (((double)curve->from.s[1] > place[1]) == is_up) {
        return 0;
    }
    for (int i = 0; i < 40; i++) {
        point_of(curve, 0.5 * (low + high), point);
        *((point[1] > place[1]) == is_up ? &high : &low) = 0.5 * (low + high);
    }
    point_of(curve, high, point);
    return point[0] > place[0] ? is_up * 2 - 1 : 0;
}

/* Of many letters not all are looked at. */
static int glyph_fields_check(struct clbench *b) {
    const struct curve *curves = b->buffer[0].host;
    const cl_int *starts = b->buffer[1].host;
    const unsigned char *got = b->buffer[2].host;
    long step = b->size / 29 + 1, inside = 0, looked = 0;
    int ok = 1;
    down(b, 2);
    for (long glyph = 0; ok && glyph < b->size; glyph += step) {
        for (long i = 0; ok && i < CELL * CELL; i++, looked++) {
            double place[2] = {(double)(i % CELL) + 0.5, (double)(i / CELL) + 0.5}, best = 1e9;
            int turns = 0;
            for (long k = starts[glyph]; k < starts[glyph + 1]; k++) {
                best = fmin(best, away_from(curves + k, place));
                turns += crossing(curves + k, place);
            }
            double want = fmin(fmax(128.0 + 127.0 * (turns != 0 ? best : -best) / (double)field_range, 0.0), 255.0);
            long row = glyph / COLUMNS * CELL + i / CELL, at = (row * COLUMNS + glyph % COLUMNS) * CELL + i % CELL;
            ok = same("close to the distance", at, fabs(got[at] - want) < 0.6, 1);
            inside += turns != 0;
        }
    }
    return ok && same("some are inside", 0, inside > looked / 10 && inside < looked / 2, 1);
}

const struct workload round22_shapes_workloads[] = {
    WORKLOAD(round22_shapes, temporal_resolve, 45, 403, 1201, 4001),
    WORKLOAD(round22_shapes, voxel_shell, 11, 151, 351, 601),
    WORKLOAD(round22_shapes, glyph_fields, 3, 31, 203, 2003),
    END_OF_WORKLOADS,
};
