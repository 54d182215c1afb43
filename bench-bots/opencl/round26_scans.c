/* Scans. Sizes are pairs of antennas, a side of slices, a side of a head. */
#include "workloads.h"

enum { SUPPORT = 8, FRACTIONS = 8, PLANES = 4, TIMES = 250, GRID = 320, KERNELS = PLANES * FRACTIONS * FRACTIONS * SUPPORT * SUPPORT };

/* Antennas that are far apart go long ways over the grid. */
static void fill_tracks(struct clbench *b) {
    cl_float4 *tracks = make(b, 0, (size_t)b->size * TIMES * sizeof *tracks);
    uint32_t state = 4363;
    for (long i = 0; i < b->size; i++) {
        double radius = (GRID / 2 - SUPPORT) * sqrt((double)random_unit(&state)), start = 6.3 * (double)random_unit(&state);
        double flat = 0.3 + 0.7 * (double)random_unit(&state), out = 3.0 * (double)random_unit(&state) - 1.5;
        for (int k = 0; k < TIMES; k++) {
            double angle = start + 0.004 * k;
            cl_float4 *track = tracks + i * TIMES + k;
            track->s[0] = (float)(GRID / 2 + radius * cos(angle)), track->s[1] = (float)(GRID / 2 + flat * radius * sin(angle));
            track->s[2] = (float)(2.5 * sin(angle + 1.0) + out), track->s[3] = 0.0f;
        }
    }
    up(b, 0);
}

/* Bells, with phases that turn the more the farther out of the plane they are for. */
static void fill_kernels(struct clbench *b) {
    cl_float2 *kernels = make(b, 2, KERNELS * sizeof *kernels);
    for (int i = 0; i < KERNELS; i++) {
        int plane = i / (SUPPORT * SUPPORT * FRACTIONS * FRACTIONS), row = i / SUPPORT % SUPPORT, column = i % SUPPORT;
        double across = column - SUPPORT / 2 - (double)(i / (SUPPORT * SUPPORT) % FRACTIONS) / FRACTIONS;
        double down = row - SUPPORT / 2 - (double)(i / (SUPPORT * SUPPORT * FRACTIONS) % FRACTIONS) / FRACTIONS;
        double square = across * across + down * down;
        kernels[i].s[0] = (float)(exp(-0.2 * square) * cos(0.15 * plane * square));
        kernels[i].s[1] = (float)(exp(-0.2 * square) * sin(0.15 * plane * square));
    }
    up(b, 2);
}

static void romein_grid_prepare(struct clbench *b) {
    fill_tracks(b), fill_kernels(b);
    fill_between(make(b, 1, (size_t)b->size * TIMES * sizeof(cl_float4)), b->size * TIMES * 4, 4373, -1.0f, 1.0f);
    make(b, 3, GRID * GRID * sizeof(cl_float4));
    up(b, 1);
}

static void romein_grid_once(struct clbench *b) {
    cl_int times = TIMES, planes = PLANES, side = GRID;
    launch(b, "empty_grid", RANGE1(GRID * GRID, 64), B(3));
    launch(b, "romein_grid", RANGE2((size_t)b->size * SUPPORT, SUPPORT, SUPPORT, SUPPORT), B(0), B(1), V(times), B(2), V(planes), V(side),
           B(3));
}

/* Visibility after visibility. */
static int romein_grid_check(struct clbench *b) {
    const cl_float4 *tracks = b->buffer[0].host, *visibilities = b->buffer[1].host;
    const cl_float2 *kernels = b->buffer[2].host;
    const float *got = b->buffer[3].host;
    double *want = calloc(GRID * GRID * 4, sizeof *want);
    int ok = 1;
    down(b, 3);
    for (long i = 0; i < b->size * TIMES; i++) {
        double x = (double)tracks[i].s[0], y = (double)tracks[i].s[1], far = fabs((double)tracks[i].s[2]);
        long plane = far >= PLANES ? PLANES - 1 : (long)far, left = (long)x - SUPPORT / 2, top = (long)y - SUPPORT / 2;
        long kernel = (plane * FRACTIONS + (long)((y - floor(y)) * FRACTIONS)) * FRACTIONS + (long)((x - floor(x)) * FRACTIONS);
        for (long k = 0; k < SUPPORT * SUPPORT; k++) {
            cl_float2 weight = kernels[kernel * SUPPORT * SUPPORT + k];
            double *cell = want + 4 * ((top + k / SUPPORT) * GRID + left + k % SUPPORT);
            double real = (double)weight.s[0], other = tracks[i].s[2] < 0.0f ? -(double)weight.s[1] : (double)weight.s[1];
            for (int part = 0; part < 4; part += 2) {
                double value = (double)visibilities[i].s[part], value_other = (double)visibilities[i].s[part + 1];
                cell[part] += real * value - other * value_other, cell[part + 1] += real * value_other + other * value;
            }
        }
    }
    for (long i = 0; ok && i < GRID * GRID * 4; i++) {
        ok = near("cell", i, (double)got[i], want[i], 1e-4);
    }
    free(want);
    return ok;
}

enum { VIEWS = 90, CELLS_GROUP = 32 };

static size_t detector_cells(const struct clbench *b) { return round_up(b->size + b->size / 2, CELLS_GROUP); }

static cl_float tube_distance(const struct clbench *b) { return 1.7f * (float)b->size; }

static cl_float cell_spacing(const struct clbench *b) { return 3.2f * (float)b->size / (float)detector_cells(b); }

/* Ellipses, which differ from slice to slice. */
static void siddon_rays_prepare(struct clbench *b) {
    cl_float4 *slices = make(b, 0, (size_t)(b->size * b->size) * sizeof *slices);
    cl_float2 *ways = make(b, 1, VIEWS * sizeof *ways);
    for (long i = 0; i < b->size * b->size; i++) {
        double x = 2.0 * (double)(i % b->size) / (double)b->size - 1.0, y = 2.0 * (double)(i / b->size) / (double)b->size - 1.0;
        for (int slice = 0; slice < 4; slice++) {
            double head = hypot(x / 0.7, y / 0.9), inside = hypot((x - 0.2) / 0.2, (y + 0.1 * slice) / 0.4);
            double spot = hypot(x + 0.3, y - 0.1 * slice);
            slices[i].s[slice] = (float)(head > 1.0 ? 0.0 : head > 0.9 ? 2.0 : inside < 1.0 ? 0.6 : spot < 0.1 ? 1.2 : 1.0);
        }
    }
    for (int view = 0; view < VIEWS; view++) {
        double angle = 0.013 + 2.0 * acos(-1.0) * view / VIEWS;
        ways[view].s[0] = (float)cos(angle), ways[view].s[1] = (float)sin(angle);
    }
    make(b, 2, VIEWS * detector_cells(b) * sizeof(cl_float4));
    up(b, 0), up(b, 1);
}

static void siddon_rays_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    cl_float distance = tube_distance(b), spacing = cell_spacing(b);
    launch(b, "siddon_rays", RANGE2(detector_cells(b), VIEWS, CELLS_GROUP, 1), B(0), V(side), B(1), V(distance), V(spacing), B(2));
}

static int by_place(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where a ray crosses all lines of the grid; in the middle between two such places it is in some pixel. */
static void ray_sums(const struct clbench *b, const double from[2], const double ray[2], double *crossings, double sums[4]) {
    const cl_float4 *slices = b->buffer[0].host;
    long count = 0;
    for (int axis = 0; axis < 2; axis++) {
        for (long line = 0; ray[axis] != 0.0 && line <= b->size; line++) {
            crossings[count++] = ((double)line - from[axis]) / ray[axis];
        }
    }
    qsort(crossings, (size_t)count, sizeof *crossings, by_place);
    for (long i = 0; i + 1 < count; i++) {
        double middle = 0.5 * (crossings[i] + crossings[i + 1]), size = (crossings[i + 1] - crossings[i]) * hypot(ray[0], ray[1]);
        double x = floor(from[0] + middle * ray[0]), y = floor(from[1] + middle * ray[1]);
        if (x < 0.0 || y < 0.0 || x >= (double)b->size || y >= (double)b->size) {
            continue;
        }
        for (int slice = 0; slice < 4; slice++) {
            sums[slice] += size * (double)slices[(long)y * b->size + (long)x].s[slice];
        }
    }
}

/* Of many rays not all are looked at. Where a ray that is almost
 * level crosses a line is not known well in single precision, so sums are compared as shares of a side. */
static int siddon_rays_check(struct clbench *b) {
    const cl_float2 *ways = b->buffer[1].host;
    const cl_float4 *got = b->buffer[2].host;
    long cells = (long)detector_cells(b);
    double *crossings = malloc((size_t)(2 * b->size + 2) * sizeof *crossings);
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < VIEWS * cells; i += VIEWS * cells / 6007 + 1) {
        double way[2] = {(double)ways[i / cells].s[0], (double)ways[i / cells].s[1]}, distance = (double)tube_distance(b), sums[4] = {0.0};
        double aside = ((double)(i % cells) - 0.5 * (double)(cells - 1)) * (double)cell_spacing(b);
        double from[2] = {0.5 * (double)b->size - distance * way[0], 0.5 * (double)b->size - distance * way[1]};
        double ray[2] = {2.0 * distance * way[0] - aside * way[1], 2.0 * distance * way[1] + aside * way[0]};
        ray_sums(b, from, ray, crossings, sums);
        for (int slice = 0; ok && slice < 4; slice++) {
            ok = near("sum", i * 4 + slice, (double)got[i].s[slice] / (double)b->size, sums[slice] / (double)b->size, 1e-3);
        }
    }
    free(crossings);
    return ok;
}

enum { SHADES = 32, DEPTH = 8 };

static const cl_int2 lowest = {{-1000, 0}};
static const cl_float2 scales = {{SHADES / 2100.0f, SHADES / 900.0f}};

static cl_int4 extents_of(const struct clbench *b) {
    cl_int n = (cl_int)b->size;
    return (cl_int4){{n, n - 3, n - 7, 0}};
}

/* Where a voxel of the one scan is in the other one: a turn about the third axis and a little more. */
static void fill_turn(struct clbench *b) {
    cl_float4 *turn = make(b, 2, 3 * sizeof *turn);
    float n = (float)b->size, cosine = cosf(0.2f), sine = sinf(0.2f);
    turn[0] = (cl_float4){{cosine, -sine, 0.02f, 0.5f * n * (1.0f - cosine + sine) - 1.3f}};
    turn[1] = (cl_float4){{sine, cosine, -0.01f, 0.5f * n * (1.0f - cosine - sine) + 2.1f}};
    turn[2] = (cl_float4){{-0.02f, 0.01f, 1.0f, 0.7f}};
    up(b, 2);
}

/* What one scan shows dark may be bright in the other. */
static void joint_bins_prepare(struct clbench *b) {
    cl_int4 extents = extents_of(b);
    long voxels = (long)extents.s[0] * extents.s[1] * extents.s[2];
    cl_short *fixed_scan = make(b, 0, (size_t)voxels * sizeof *fixed_scan), *moving = make(b, 1, (size_t)voxels * sizeof *moving);
    uint32_t state = 4391;
    for (long i = 0; i < voxels; i++) {
        double x = (double)(i % extents.s[0]) / (double)b->size, y = (double)(i / extents.s[0] % extents.s[1]) / (double)b->size;
        double z = (double)(i / extents.s[0] / extents.s[1]) / (double)b->size, noise = (double)random_unit(&state);
        double head = hypot(hypot(x - 0.5, y - 0.5), z - 0.45), folds = sin(25.0 * x) * sin(22.0 * y) * cos(19.0 * z);
        double tissue = head > 0.46 ? 0.0 : head > 0.4 ? 1.0 : 0.45 + 0.2 * folds;
        fixed_scan[i] = (cl_short)(-1000.0 + 2000.0 * tissue + 60.0 * noise);
        moving[i] = (cl_short)((head > 0.46 ? 10.0 : head > 0.4 ? 60.0 : 500.0 - 300.0 * folds) + 40.0 * noise);
    }
    fill_turn(b);
    make(b, 3, SHADES * SHADES * sizeof(cl_uint)), make(b, 4, 2 * sizeof(cl_float));
    up(b, 0), up(b, 1);
}

static void joint_bins_once(struct clbench *b) {
    cl_int4 extents = extents_of(b);
    size_t slabs = round_up(extents.s[2], DEPTH) / DEPTH;
    launch(b, "no_counts", RANGE1(SHADES * SHADES, 0), B(3));
    launch(b, "joint_bins", RANGE3(round_up(extents.s[0], 8), round_up(extents.s[1], 4), round_up((long)slabs, 2), 8, 4, 2), B(0), B(1),
           V(extents), B(2), V(lowest), V(scales), B(3));
    launch(b, "mutual_bits", RANGE1(SHADES, SHADES), B(3), B(4));
}

/* A shade of the moving scan at a place, or -1 outside. */
static int shade_at(const struct clbench *b, const double place[3]) {
    const cl_short *moving = b->buffer[1].host;
    cl_int4 extents = extents_of(b);
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        if (place[axis] < 0.0 || place[axis] >= extents.s[axis] - 1) {
            return -1;
        }
    }
    for (int k = 0; k < 8; k++) {
        long x = (long)place[0] + k % 2, y = (long)place[1] + k / 2 % 2, z = (long)place[2] + k / 4;
        double share = (1.0 - fabs(place[0] - (double)x)) * (1.0 - fabs(place[1] - (double)y)) * (1.0 - fabs(place[2] - (double)z));
        sum += share * moving[(z * extents.s[1] + y) * extents.s[0] + x];
    }
    return (int)clamped((long)((sum - lowest.s[1]) * (double)scales.s[1]), SHADES);
}

static double bits_of(double count, double all) { return count > 0.0 ? -count / all * log2(count / all) : 0.0; }

/* The bits that the counts tell of, and counts that may differ a little: places and shades near to a limit are on either side. */
static int counts_are_right(struct clbench *b, const double want[SHADES * SHADES]) {
    const cl_uint *got = b->buffer[3].host;
    const cl_float *told = b->buffer[4].host;
    double rows[SHADES] = {0.0}, columns[SHADES] = {0.0}, all = 0.0, wanted = 0.0, apart = 0.0, bits = 0.0;
    for (int i = 0; i < SHADES * SHADES; i++) {
        rows[i / SHADES] += got[i], columns[i % SHADES] += got[i], all += got[i];
        wanted += want[i], apart += fabs(got[i] - want[i]);
    }
    for (int i = 0; i < SHADES * SHADES; i++) {
        bits -= bits_of(got[i], all);
    }
    for (int i = 0; i < SHADES; i++) {
        bits += bits_of(rows[i], all) + bits_of(columns[i], all);
    }
    return near("counts that are elsewhere", 0, apart / wanted, 0.0, 1e-3) && near("all", 0, (double)told[1] / all, 1.0, 1e-6) &&
           near("bits", 0, (double)told[0], bits, 1e-4) && same("they tell something", 0, bits > 0.1, 1);
}

static int joint_bins_check(struct clbench *b) {
    const cl_short *fixed_scan = b->buffer[0].host;
    const cl_float4 *turn = b->buffer[2].host;
    cl_int4 extents = extents_of(b);
    double want[SHADES * SHADES] = {0.0};
    down(b, 3), down(b, 4);
    for (long i = 0; i < (long)extents.s[0] * extents.s[1] * extents.s[2]; i++) {
        double from[4] = {(double)(i % extents.s[0]), (double)(i / extents.s[0] % extents.s[1]),
                          (double)(i / extents.s[0] / extents.s[1]), 1.0};
        double place[3] = {0.0};
        for (int k = 0; k < 12; k++) {
            place[k / 4] += (double)turn[k / 4].s[k % 4] * from[k % 4];
        }
        int other = shade_at(b, place);
        long shade = clamped((long)((float)(fixed_scan[i] - lowest.s[0]) * scales.s[0]), SHADES);
        if (other >= 0) {
            want[shade * SHADES + other]++;
        }
    }
    return counts_are_right(b, want);
}

const struct workload round26_scans_workloads[] = {
    WORKLOAD(round26_scans, romein_grid, 3, 151, 601, 2011),
    WORKLOAD(round26_scans, siddon_rays, 17, 97, 307, 809),
    WORKLOAD(round26_scans, joint_bins, 19, 83, 150, 300),
    END_OF_WORKLOADS,
};
