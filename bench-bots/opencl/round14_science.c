/* Science. Sizes are cells of a crystal along a side, cells of a body, points of a spectrum. */
#include "workloads.h"

#include <complex.h>

enum { CELL_ATOMS = 4, MOST_LISTED = 96, KNOTS = 1200 };

static const cl_float eam_cutoff = 1.31f, eam_listed = 1.42f;

/* Density and repulsion of a neighbour by the square of its distance: both end smoothly at the cutoff. */
static double eam_density(double square) { return exp(2.0 - 4.0 * square) * pow(1.0 - square / 1.7161, 2.0); }
static double eam_repulsion(double square) { return 0.6 * exp(3.0 - 7.0 * square) * pow(1.0 - square / 1.7161, 2.0); }

/* Atoms of a crystal whose cells have a corner and the middles of three sides, each somewhat off its place. */
static void eam_atoms(struct clbench *b, float *atoms) {
    uint32_t state = 1621;
    for (long i = 0; i < b->size * b->size * b->size * CELL_ATOMS; i++) {
        long cell = i / CELL_ATOMS, corners[3] = {cell % b->size, cell / b->size % b->size, cell / b->size / b->size};
        for (int axis = 0; axis < 3; axis++) {
            float middle = i % CELL_ATOMS > 0 && i % CELL_ATOMS - 1 != axis ? 0.5f : 0.0f;
            atoms[4 * i + axis] = (float)corners[axis] + 0.25f + middle + 0.1f * (random_unit(&state) - 0.5f);
        }
        atoms[4 * i + 3] = 0.0f;
    }
}

static double image_square(const struct clbench *b, const float *one, const float *other, double *apart) {
    double box = (double)b->size, square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        apart[axis] = (double)other[axis] - (double)one[axis];
        apart[axis] -= box * rint(apart[axis] / box);
        square += apart[axis] * apart[axis];
    }
    return square;
}

static void eam_metal_prepare(struct clbench *b) {
    long side = b->size, count = side * side * side * CELL_ATOMS;
    float *atoms = make(b, 0, (size_t)count * sizeof(cl_float4)), *table = make(b, 3, (KNOTS + 2) * sizeof(cl_float2));
    cl_int *listed = make(b, 1, (size_t)count * sizeof *listed);
    cl_int *list = make(b, 2, (size_t)(count * MOST_LISTED) * sizeof *list);
    eam_atoms(b, atoms);
    memset(list, 0, b->buffer[2].bytes);
    for (long i = 0; i < count; i++) {
        long cell = i / CELL_ATOMS, x = cell % side, y = cell / side % side, z = cell / side / side, rank = 0;
        for (long near_by = 0; near_by < 125 * CELL_ATOMS; near_by++) {
            long k = near_by / CELL_ATOMS, nx = (x + k % 5 + side - 2) % side, ny = (y + k / 5 % 5 + side - 2) % side;
            long other = (((z + k / 25 + side - 2) % side * side + ny) * side + nx) * CELL_ATOMS + near_by % CELL_ATOMS;
            double apart[3], square = image_square(b, atoms + 4 * i, atoms + 4 * other, apart);
            if (other != i && rank < MOST_LISTED && square < (double)(eam_listed * eam_listed)) {
                list[rank++ * count + i] = (cl_int)other;
            }
        }
        listed[i] = (cl_int)rank;
    }
    for (int i = 0; i < KNOTS + 2; i++) {
        double square = (double)eam_cutoff * (double)eam_cutoff * (i - 1) / (KNOTS - 1);
        table[2 * i] = (float)eam_density(square), table[2 * i + 1] = (float)eam_repulsion(square);
    }
    make(b, 4, (size_t)count * sizeof(cl_float2)), make(b, 5, (size_t)count * sizeof(cl_float4));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void eam_metal_once(struct clbench *b) {
    cl_int count = (cl_int)(b->size * b->size * b->size * CELL_ATOMS), knots = KNOTS;
    cl_float box = (cl_float)b->size;
    struct range range = RANGE1(round_up(count, 64), 64);
    launch(b, "eam_densities", range, B(0), V(count), B(1), B(2), B(3), V(knots), V(eam_cutoff), V(box), B(4));
    launch(b, "eam_forces", range, B(0), V(count), B(1), B(2), B(3), V(knots), V(eam_cutoff), V(box), B(4), B(5));
}

/* Energies without tables, and forces by what the functions themselves change. All pairs of near cells. */
static int eam_metal_check(struct clbench *b) {
    const float *atoms = b->buffer[0].host, *got = b->buffer[5].host;
    const cl_int *listed = b->buffer[1].host, *list = b->buffer[2].host;
    long count = b->size * b->size * b->size * CELL_ATOMS;
    double *density = calloc((size_t)count, sizeof *density), cutoff = (double)eam_cutoff * (double)eam_cutoff, size = 0.0;
    int ok = 1;
    down(b, 5);
    for (int pass = 0; ok && pass < 2; pass++) {
        for (long i = 0; ok && i < count; i++) {
            double want[4] = {0.0, 0.0, 0.0, -sqrt(density[i])};
            for (long k = 0; k < listed[i]; k++) {
                long other = list[k * count + i];
                double apart[3], square = image_square(b, atoms + 4 * i, atoms + 4 * other, apart), step = 1e-5, slope;
                if (square >= cutoff) {
                    continue;
                }
                density[i] += pass == 0 ? eam_density(square) : 0.0;
                if (pass == 1) {
                    slope = -0.5 / sqrt(density[i]) - 0.5 / sqrt(density[other]);
                    slope *= (eam_density(square + step) - eam_density(square - step)) / step;
                    slope += (eam_repulsion(square + step) - eam_repulsion(square - step)) / step;
                    for (int axis = 0; axis < 3; axis++) {
                        want[axis] += slope * apart[axis];
                    }
                    want[3] += 0.5 * eam_repulsion(square);
                }
            }
            for (int k = 0; ok && pass == 1 && k < 4; k++) {
                ok = near("force or energy", 4 * i + k, got[4 * i + k], want[k], 3e-4);
                size = fmax(size, fabs(want[k]));
            }
        }
    }
    free(density);
    return ok && same("forces are large", 0, size > 0.5, 1);
}

enum { RATES = 8, BINS = 64, BIN_PROTEINS = 4, MOST_EVENTS = 2000 };

static const cl_double reaction_end = 5.0;

static void gillespie_prepare(struct clbench *b) {
    static const double rates[RATES] = {0.4, 0.06, 3.0, 0.5, 4.0, 0.3, 0.004, 0.5};
    memcpy(make(b, 0, sizeof rates), rates, sizeof rates);
    make(b, 1, (size_t)b->size * sizeof(cl_int4)), make(b, 2, (size_t)b->size * sizeof(cl_int));
    make(b, 3, BINS * sizeof(cl_uint));
    up(b, 0);
}

static void gillespie_once(struct clbench *b) {
    cl_int cells = (cl_int)b->size, most = MOST_EVENTS;
    launch(b, "clear_histogram", RANGE1(BINS, BINS), B(3));
    launch(b, "gillespie", RANGE1(round_up(cells, 64), 64), V(cells), B(0), V(reaction_end), V(most), B(1), B(2), B(3));
}

static double unit_after(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (double)((*state >> 11) + 1) * 0x1p-53;
}

/* A cell: how often a reaction changes which molecules. */
static int react(const double *rates, uint64_t state, long molecules[4]) {
    static const int changes[RATES][4] = {{1}, {-1}, {0, 1}, {0, -1}, {0, 0, 1}, {0, 0, -1}, {0, 0, -2, 1}, {0, 0, 2, -1}};
    double time = 0.0;
    for (int event = 0; event < MOST_EVENTS; event++) {
        long gene = molecules[0], proteins = molecules[2], pairs = molecules[3];
        long ways[RATES] = {1 - gene, gene * (1 + pairs), gene, molecules[1], molecules[1],
                            proteins, proteins * (proteins - 1), pairs};
        double total = 0.0, drawn;
        int which = 0;
        for (int i = 0; i < RATES; i++) {
            total += rates[i] * (double)ways[i];
        }
        time -= log(unit_after(&state)) / total;
        if (time > reaction_end) {
            return event;
        }
        drawn = unit_after(&state) * total - rates[0] * (double)ways[0];
        for (; which < RATES - 1 && drawn > 0.0; drawn -= rates[which] * (double)ways[which]) {
            which++;
        }
        for (int i = 0; i < 4; i++) {
            molecules[i] += changes[which][i];
        }
    }
    return MOST_EVENTS;
}

static int gillespie_check(struct clbench *b) {
    const cl_int4 *got = b->buffer[1].host;
    const cl_int *events = b->buffer[2].host;
    const cl_uint *histogram = b->buffer[3].host;
    long bins[BINS] = {0}, all = 0;
    int ok = 1;
    down(b, 1), down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        long want[4] = {0, 0, 10, 0};
        int events_wanted = react(b->buffer[0].host, (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u, want);
        ok = same("events", i, events[i], events_wanted);
        for (int k = 0; ok && k < 4; k++) {
            ok = same("molecules", 4 * i + k, got[i].s[k], want[k]);
        }
        bins[want[2] / BIN_PROTEINS < BINS ? want[2] / BIN_PROTEINS : BINS - 1]++;
        all += events_wanted;
    }
    for (int i = 0; ok && i < BINS; i++) {
        ok = same("cells of a bin", i, histogram[i], bins[i]);
    }
    return ok && same("much happens", 0, all > b->size * 50 && all < b->size * MOST_EVENTS, 1);
}

static const cl_float line_cutoff = 8.0f, path_length = 0.05f;

/* Points of the spectrum for each line, on average. */
enum { POINTS_PER_LINE = 20, POINTS_PER_UNIT = 64 };

static long spectrum_lines(const struct clbench *b) { return b->size / POINTS_PER_LINE + 1; }

static void voigt_lines_prepare(struct clbench *b) {
    long count = spectrum_lines(b);
    float *lines = make(b, 0, (size_t)count * sizeof(cl_float4));
    uint32_t state = 1627;
    for (long i = 0; i < count; i++) {
        float strength = random_unit(&state), narrow = random_unit(&state);
        lines[4 * i] = ((float)i + random_unit(&state)) * ((float)POINTS_PER_LINE / (float)POINTS_PER_UNIT);
        lines[4 * i + 1] = 0.02f + strength * strength * strength;
        lines[4 * i + 2] = 4.0f + 8.0f * random_unit(&state);
        lines[4 * i + 3] = 0.002f + 2.0f * narrow * narrow * narrow;
    }
    make(b, 1, (size_t)b->size * sizeof(cl_float2));
    up(b, 0);
}

static void voigt_lines_once(struct clbench *b) {
    cl_int count = (cl_int)spectrum_lines(b), points = (cl_int)b->size;
    launch(b, "voigt_lines", RANGE1(round_up(points, 128), 128), B(0), V(count), V(line_cutoff), V(path_length), V(points), B(1));
}

/* Humlicek's approximations with complex numbers. */
static double voigt_shape(double x, double y) {
    static const double above3[5] = {0.5642236, 3.778987, 11.96482, 20.20933, 16.4955};
    static const double below3[6] = {1.0, 6.699398, 21.69274, 39.27121, 38.82363, 16.4955};
    static const double above4[7] = {0.56419, 1.320522, 35.76683, 219.0313, 1540.787, 3321.9905, 36183.31};
    static const double below4[8] = {1.0, 1.841439, 61.57037, 364.2191, 2186.181, 9022.228, 24322.84, 32066.6};
    double complex t = CMPLX(y, -x), u = t * t, above = 0.0, below = 0.0;
    if (fabs(x) + y >= 15.0) {
        return creal(t * 0.5641896 / (0.5 + u));
    }
    if (fabs(x) + y >= 5.5) {
        return creal(t * (1.410474 + u * 0.5641896) / (0.75 + u * (3.0 + u)));
    }
    if (y >= 0.195 * fabs(x) - 0.176) {
        for (int i = 0; i < 6; i++) {
            above = i < 5 ? above * t + above3[i] : above;
            below = below * t + below3[i];
        }
        return creal(above / below);
    }
    for (int i = 0; i < 8; i++) {
        above = i < 7 ? above * -u + above4[i] : above;
        below = below * -u + below4[i];
    }
    return creal(cexp(u) - t * above / below);
}

static int voigt_lines_check(struct clbench *b) {
    const float *lines = b->buffer[0].host, *got = b->buffer[1].host;
    long count = spectrum_lines(b), first = 0;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i += b->size / 100000 + 1) {
        float place = (float)i / (float)POINTS_PER_UNIT;
        double sum = 0.0;
        while (first < count && lines[4 * first] <= place - 2.0f * line_cutoff) {
            first++;
        }
        for (const float *line = lines + 4 * first; line < lines + 4 * count && line[0] < place + 2.0f * line_cutoff; line += 4) {
            float off = place - line[0];
            if (fabsf(off) < line_cutoff) {
                sum += (double)line[1] * (double)line[2] * voigt_shape((double)off * (double)line[2], (double)line[3]);
            }
        }
        ok = near("absorbed", i, got[2 * i], sum, 2e-4);
        ok = ok && near("let through", i, got[2 * i + 1], exp(-sum * (double)path_length), 1e-4);
    }
    return ok;
}

const struct workload round14_science_workloads[] = {
    WORKLOAD(round14_science, eam_metal, 5, 12, 24, 50),
    WORKLOAD(round14_science, gillespie, 130, 2003, 20011, 200003),
    WORKLOAD(round14_science, voigt_lines, 1001, 20011, 150001, 1000003),
    END_OF_WORKLOADS,
};
