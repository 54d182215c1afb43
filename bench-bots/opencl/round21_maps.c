/* Maps. Sizes are a terrain's side, a side of estimates, places. */
#include "workloads.h"

enum { OBSERVERS = 6 };

static const cl_float cell = 30.0f;

struct observer {
    int x, y;
    float above, reach;
};

static void viewshed_prepare(struct clbench *b) {
    cl_short *heights = make(b, 0, (size_t)(b->size * b->size) * sizeof *heights);
    struct observer *observers = make(b, 1, OBSERVERS * sizeof *observers);
    uint32_t state = 2693;
    for (long i = 0; i < b->size * b->size; i++) {
        double x = (double)(i % b->size), y = (double)(i / b->size);
        double hills = 150.0 * sin(0.05 * x + 0.02 * y) + 120.0 * cos(0.07 * y) + 40.0 * sin(0.21 * x) * cos(0.17 * y);
        heights[i] = (cl_short)(700.0 + hills + (double)random_unit(&state) * 15.0);
    }
    for (int i = 0; i < OBSERVERS; i++) {
        observers[i].x = (int)(random_word(&state) % (uint32_t)b->size), observers[i].y = (int)(random_word(&state) % (uint32_t)b->size);
        observers[i].above = 2.0f + 12.0f * (float)i, observers[i].reach = 1500.0f + 500.0f * (float)i;
    }
    make(b, 2, (size_t)(b->size * b->size));
    up(b, 0), up(b, 1);
}

static void viewshed_once(struct clbench *b) {
    cl_int side = (cl_int)b->size, count = OBSERVERS;
    launch(b, "viewshed", RANGE2((size_t)side, (size_t)side, 0, 0), B(0), V(side), V(side), V(cell), B(1), V(count), B(2));
}

static double height_of(const struct clbench *b, double x, double y) {
    const cl_short *heights = b->buffer[0].host;
    long left = clamped((long)x, b->size - 1), top = clamped((long)y, b->size - 1);
    double sum = 0.0;
    for (long k = 0; k < 4; k++) {
        long column = left + k % 2, row = top + k / 2;
        sum += heights[row * b->size + column] * (1.0 - fabs(x - (double)column)) * (1.0 - fabs(y - (double)row));
    }
    return sum;
}

/* How much the slope to a place is more than all slopes on the way to it: how sure it is that it is seen. */
static double is_seen_by(const struct clbench *b, const struct observer *observer, long x, long y) {
    long dx = x - observer->x, dy = y - observer->y, steps = labs(dx) > labs(dy) ? labs(dx) : labs(dy);
    double away = (double)cell * hypot((double)dx, (double)dy), eye = height_of(b, observer->x, observer->y) + (double)observer->above;
    double most = -INFINITY, slope = INFINITY;
    if (steps == 0 || away > (double)observer->reach) {
        return steps == 0 ? 1.0 : -1.0;
    }
    for (long i = 1; i <= steps; i++) {
        double share = (double)i / (double)steps, along = share * away;
        double ground = height_of(b, observer->x + (double)dx * share, observer->y + (double)dy * share);
        most = i > 1 && slope > most ? slope : most;
        slope = (ground - along * along * 6.8e-8 - eye) / along;
    }
    return slope - most;
}

/* Of large terrains not all places are looked at. */
static int viewshed_check(struct clbench *b) {
    const unsigned char *got = b->buffer[2].host;
    long step = b->size * b->size / 50021 + 1, all = 0, tried = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size * b->size; i += step, tried++) {
        for (int k = 0; ok && k < OBSERVERS; k++) {
            const struct observer *observer = (const struct observer *)b->buffer[1].host + k;
            double sure = is_seen_by(b, observer, i % b->size, i / b->size);
            double away = (double)cell * hypot((double)(i % b->size - observer->x), (double)(i / b->size - observer->y));
            int is_certain = fabs(sure) > 3e-4 && fabs(away - (double)observer->reach) > 0.01;
            ok = !is_certain || same("is seen", i * OBSERVERS + k, got[i] >> k & 1, sure > 0.0);
            all += got[i] >> k & 1;
        }
    }
    return ok && same("some are seen", 0, all > tried / 50 && all < tried * OBSERVERS * 9 / 10, 1);
}

enum { NEAREST = 8 };

static const cl_float spacing = 0.3f, sample_cell = 1.0f;

struct variogram {
    float range, sill, nugget;
};

static const struct variogram model = {2.5f, 1.0f, 0.08f};

static long cells_of(const struct clbench *b) { return (long)((float)b->size * spacing / sample_cell) + 1; }

/* Each cell has 1 to 4 samples, so that at the edges there are few. */
static void kriging_grid_prepare(struct clbench *b) {
    long cells = cells_of(b);
    cl_float4 *samples = make(b, 0, (size_t)(cells * cells * 4) * sizeof *samples);
    cl_int *starts = make(b, 1, (size_t)(cells * cells + 1) * sizeof *starts);
    uint32_t state = 2699;
    int next = 0;
    for (long i = 0; i < cells * cells; i++) {
        starts[i] = next;
        for (uint32_t k = 0; k < 1 + i % 4; k++) {
            float x = (float)(i % cells) + random_unit(&state), y = (float)(i / cells) + random_unit(&state);
            samples[next].s[0] = x * sample_cell, samples[next].s[1] = y * sample_cell;
            samples[next++].s[2] = sinf(0.7f * x) + cosf(0.5f * y) + 0.3f * random_unit(&state);
        }
    }
    starts[cells * cells] = next;
    make(b, 2, (size_t)(b->size * b->size) * sizeof(cl_float2));
    up(b, 0), up(b, 1);
}

static void kriging_grid_once(struct clbench *b) {
    cl_int side = (cl_int)b->size, cells = (cl_int)cells_of(b);
    struct range range = RANGE2(round_up(side, 8), round_up(side, 8), 8, 8);
    launch(b, "kriging_grid", range, B(0), B(1), V(cells), V(sample_cell), V(model), V(side), V(spacing), B(2));
}

struct found {
    double away;
    const float *sample;
};

static int by_distance(const void *left, const void *right) {
    double a = ((const struct found *)left)->away, c = ((const struct found *)right)->away;
    return (a > c) - (a < c);
}

static double alike(double away) {
    double share = fmin(away / (double)model.range, 1.0);
    return (double)model.sill * (1.0 - 1.5 * share + 0.5 * share * share * share);
}

/* Gauss with pivots: `a` has the right side as its last column, and becomes the solution there. */
static void solve(int n, double a[NEAREST + 1][NEAREST + 2]) {
    for (int pivot = 0; pivot < n; pivot++) {
        int best = pivot;
        for (int i = pivot; i < n; i++) {
            best = fabs(a[i][pivot]) > fabs(a[best][pivot]) ? i : best;
        }
        for (int k = 0; k <= n; k++) {
            double kept = a[best][k];
            a[best][k] = a[pivot][k], a[pivot][k] = kept;
        }
        for (int k = n; k >= pivot; k--) {
            a[pivot][k] /= a[pivot][pivot];
        }
        for (int i = 0; i < n; i++) {
            for (int k = n; i != pivot && k >= pivot; k--) {
                a[i][k] -= a[i][pivot] * a[pivot][k];
            }
        }
    }
}

/* The estimate at a place, or 0 where two samples are so alike in distance that either may be the last of the nearest. */
static int estimate_at(const struct clbench *b, long at, double want[2]) {
    const cl_float4 *samples = b->buffer[0].host;
    const cl_int *starts = b->buffer[1].host;
    double x = (double)((float)(at % b->size) * spacing), y = (double)((float)(at / b->size) * spacing);
    double a[NEAREST + 1][NEAREST + 2];
    struct found found[9 * 4];
    long cells = cells_of(b), cell_x = clamped((long)x, cells), cell_y = clamped((long)y, cells);
    int near_by = 0;
    for (long k = 0; k < 9; k++) {
        long column = cell_x + k % 3 - 1, row = cell_y + k / 3 - 1;
        if (column >= 0 && row >= 0 && column < cells && row < cells) {
            for (int i = starts[row * cells + column]; i < starts[row * cells + column + 1]; i++, near_by++) {
                found[near_by].sample = samples[i].s;
                found[near_by].away = hypot((double)samples[i].s[0] - x, (double)samples[i].s[1] - y);
            }
        }
    }
    qsort(found, (size_t)near_by, sizeof *found, by_distance);
    int n = near_by < NEAREST ? near_by : NEAREST;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            double away = hypot((double)(found[i].sample[0] - found[k].sample[0]), (double)(found[i].sample[1] - found[k].sample[1]));
            a[i][k] = alike(away) + (i == k ? (double)model.nugget : 0.0);
        }
        a[i][n] = a[n][i] = 1.0, a[i][n + 1] = alike(found[i].away);
    }
    a[n][n] = 0.0, a[n][n + 1] = 1.0;
    solve(n + 1, a);
    want[0] = 0.0, want[1] = (double)model.sill + (double)model.nugget - a[n][n + 1];
    for (int i = 0; i < n; i++) {
        want[0] += a[i][n + 1] * (double)found[i].sample[2], want[1] -= a[i][n + 1] * alike(found[i].away);
    }
    if (n < 3) {
        want[0] = 0.0, want[1] = -1.0;
    }
    return near_by <= NEAREST || found[NEAREST].away - found[NEAREST - 1].away > 1e-5;
}

static int kriging_grid_check(struct clbench *b) {
    const cl_float2 *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size * b->size; i++) {
        double want[2];
        ok = !estimate_at(b, i, want) || (near("estimate", i, (double)got[i].s[0], want[0], 1e-3) &&
                                          near("variance", i, (double)got[i].s[1], want[1], 1e-3));
    }
    return ok;
}

enum { LEVEL = 24 };

/* Forward, by the series that goes the other way: northing of the equator is 0 or, in the south, ten million. */
static void project(double longitude, double latitude, int zone, double place[2]) {
    const double pi = acos(-1.0), n = 1.0 / (2.0 * 298.257223563 - 1.0), lost = 2.0 * sqrt(n) / (1.0 + n);
    const double radius = 6378137.0 / (1.0 + n) * (1.0 + n * n / 4.0 + n * n * n * n / 64.0);
    const double alphas[3] = {n / 2.0 - 2.0 / 3.0 * n * n + 5.0 / 16.0 * n * n * n, 13.0 / 48.0 * n * n - 3.0 / 5.0 * n * n * n,
                              61.0 / 240.0 * n * n * n};
    double sine = sin(latitude * pi / 180.0), off = (longitude - (double)(zone * 6 - 183)) * pi / 180.0;
    double t = sinh(atanh(sine) - lost * atanh(lost * sine));
    double xi = atan2(t, cos(off)), eta = atanh(sin(off) / sqrt(1.0 + t * t)), x = eta, y = xi;
    for (int i = 0; i < 3; i++) {
        x += alphas[i] * cos(2.0 * (i + 1) * xi) * sinh(2.0 * (i + 1) * eta);
        y += alphas[i] * sin(2.0 * (i + 1) * xi) * cosh(2.0 * (i + 1) * eta);
    }
    place[0] = 500000.0 + 0.9996 * radius * x;
    place[1] = 0.9996 * radius * y + (latitude < 0.0 ? 1e7 : 0.0);
}

/* Buffer 4 has longitudes and latitudes. */
static void utm_quadkeys_prepare(struct clbench *b) {
    cl_double2 *grid_places = make(b, 0, (size_t)b->size * sizeof *grid_places), *places = make(b, 4, (size_t)b->size * sizeof *places);
    unsigned char *zones = make(b, 1, (size_t)b->size);
    uint32_t state = 2707;
    for (long i = 0; i < b->size; i++) {
        int zone = 1 + (int)(random_word(&state) % 60);
        double latitude = (double)random_unit(&state) * 160.0 - 80.0, off = (double)random_unit(&state) * 6.0 - 3.0;
        places[i].s[0] = zone * 6 - 183 + off, places[i].s[1] = latitude;
        zones[i] = (unsigned char)(zone | (latitude < 0.0 ? 128 : 0));
        project(places[i].s[0], latitude, zone, grid_places[i].s);
    }
    make(b, 2, (size_t)b->size * sizeof(cl_double2)), make(b, 3, (size_t)b->size * sizeof(cl_ulong));
    up(b, 0), up(b, 1);
}

static void utm_quadkeys_once(struct clbench *b) {
    launch(b, "utm_quadkeys", RANGE1((size_t)b->size, 0), B(0), B(1), B(2), B(3));
}

/* A place that almost is at a tile's edge may be in either. */
static int utm_quadkeys_check(struct clbench *b) {
    const double pi = acos(-1.0);
    const cl_double2 *got = b->buffer[2].host, *places = b->buffer[4].host;
    const cl_ulong *keys = b->buffer[3].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        long tile[2] = {0, 0};
        for (int bit = 0; bit < 2 * LEVEL; bit++) {
            tile[bit % 2] |= (long)(keys[i] >> bit & 1) << bit / 2;
        }
        double latitude = places[i].s[1] * pi / 180.0;
        double x = (places[i].s[0] / 360.0 + 0.5) * (1 << LEVEL), y = (0.5 - asinh(tan(latitude)) / (2.0 * pi)) * (1 << LEVEL);
        ok = near("longitude", i, got[i].s[0], places[i].s[0], 1e-9) && near("latitude", i, got[i].s[1], places[i].s[1], 1e-9) &&
             same("no more bits", i, (long)(keys[i] >> (2 * LEVEL)), 0) &&
             near("column", i, (double)tile[0] + 0.5 - x, 0.0, 0.501) && near("row", i, (double)tile[1] + 0.5 - y, 0.0, 0.501);
    }
    return ok;
}

const struct workload round21_maps_workloads[] = {
    WORKLOAD(round21_maps, viewshed, 31, 64, 120, 800),
    WORKLOAD(round21_maps, kriging_grid, 13, 61, 151, 601),
    WORKLOAD(round21_maps, utm_quadkeys, 201, 10007, 60013, 500009),
    END_OF_WORKLOADS,
};
