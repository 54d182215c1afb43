/* Science. Sizes are widths of a space, sites, strands, pairs of clouds. */
#include "workloads.h"

enum { FIELD_STEPS = 3, MEDIA = 3 };

static const cl_float courant = 0.5f;

static void space_of(const struct clbench *b, long *sides) {
    sides[0] = b->size, sides[1] = b->size * 7 / 8 + 1, sides[2] = b->size / 2 + 3;
}

static long cells_of(const struct clbench *b) {
    long sides[3];
    space_of(b, sides);
    return sides[0] * sides[1] * sides[2];
}

/* A wave on its way to a ball of metal and a plate of glass. */
static void drude_media_prepare(struct clbench *b) {
    static const cl_float4 kinds[MEDIA] = {{{1.0f, 0.5f, 0.0f, 0.0f}}, {{0.99f, 0.22f, 0.0f, 0.0f}}, {{1.0f, 0.5f, 0.95f, 0.3f}}};
    long sides[3], cells = cells_of(b);
    cl_float4 *electric = make(b, 0, (size_t)cells * sizeof *electric), *magnetic = make(b, 1, (size_t)cells * sizeof *magnetic);
    unsigned char *media = make(b, 5, (size_t)cells);
    space_of(b, sides);
    memcpy(make(b, 6, sizeof kinds), kinds, sizeof kinds);
    for (long i = 0; i < cells; i++) {
        double x = (double)(i % sides[0]) / (double)b->size, y = (double)(i / sides[0] % sides[1]) / (double)b->size;
        double z = (double)(i / sides[0] / sides[1]) / (double)b->size, wave = sin(40.0 * x) * exp(-20.0 * (x - 0.4) * (x - 0.4));
        double off = (x - 0.5) * (x - 0.5) + (y - 0.4) * (y - 0.4) + (z - 0.25) * (z - 0.25);
        wave *= 1.0 + 0.3 * sin(25.0 * y) * cos(20.0 * z);
        electric[i] = (cl_float4){{(float)(0.2 * wave), (float)(0.1 * wave), (float)wave, 0.0f}};
        magnetic[i] = (cl_float4){{(float)(-0.1 * wave), (float)-wave, (float)(0.1 * wave), 0.0f}};
        media[i] = off < 0.03 ? 2 : x > 0.75 && x < 0.85 ? 1 : 0;
    }
    for (int i = 2; i < 5; i++) {
        make(b, i, (size_t)cells * sizeof(cl_float4));
    }
    up(b, 0), up(b, 1), up(b, 5), up(b, 6);
}

static void drude_media_once(struct clbench *b) {
    cl_int cells = (cl_int)cells_of(b);
    long sides[3];
    space_of(b, sides);
    struct range all = RANGE3((size_t)sides[0], (size_t)sides[1], (size_t)sides[2], 0, 0, 0);
    launch(b, "start_fields", RANGE1(round_up(cells, 64), 64), B(0), B(1), V(cells), B(2), B(3), B(4));
    for (int i = 0; i < FIELD_STEPS; i++) {
        launch(b, "magnetic_step", all, B(2), V(courant), B(3));
        launch(b, "drude_media", all, B(2), B(3), B(4), B(5), B(6));
    }
}

/* The turn of a field at a cell, by differences to the next cells (1) or those before (-1). */
static void turn_at(const double *field, const long *steps, long at, int sign, double *turn) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        turn[i] = sign * (field[3 * (at + sign * steps[j]) + k] - field[3 * at + k]) -
                  sign * (field[3 * (at + sign * steps[k]) + j] - field[3 * at + j]);
    }
}

static void step_fields(const struct clbench *b, double *electric, double *magnetic, double *current) {
    const unsigned char *media = b->buffer[5].host;
    const cl_float4 *kinds = b->buffer[6].host;
    long sides[3], cells = cells_of(b);
    space_of(b, sides);
    long steps[3] = {1, sides[0], sides[0] * sides[1]};
    for (long i = 0; i < 2 * cells; i++) {
        long at = i % cells, x = at % steps[1], y = at / steps[1] % sides[1], z = at / steps[2];
        int is_last = x == sides[0] - 1 || y == sides[1] - 1 || z == sides[2] - 1;
        double turn[3];
        if (is_last || (i >= cells && (x == 0 || y == 0 || z == 0))) {
            continue;
        }
        turn_at(i < cells ? electric : magnetic, steps, at, i < cells ? 1 : -1, turn);
        for (int k = 0; k < 3; k++) {
            const cl_float *kind = kinds[media[at]].s;
            if (i < cells) {
                magnetic[3 * at + k] -= (double)courant * turn[k];
                continue;
            }
            current[3 * at + k] = (double)kind[2] * current[3 * at + k] + (double)kind[3] * electric[3 * at + k];
            electric[3 * at + k] = (double)kind[0] * electric[3 * at + k] + (double)kind[1] * (turn[k] - current[3 * at + k]);
        }
    }
}

static int drude_media_check(struct clbench *b) {
    const cl_float4 *starts[2] = {b->buffer[0].host, b->buffer[1].host}, *got[3];
    long cells = cells_of(b);
    double *fields = calloc((size_t)cells * 9, sizeof *fields), moved = 0.0;
    int ok = 1;
    for (int i = 0; i < 3; i++) {
        down(b, 2 + i);
        got[i] = b->buffer[2 + i].host;
    }
    for (long i = 0; i < cells * 6; i++) {
        fields[i] = (double)starts[i / (cells * 3)][i / 3 % cells].s[i % 3];
    }
    for (int i = 0; i < FIELD_STEPS; i++) {
        step_fields(b, fields, fields + cells * 3, fields + cells * 6);
    }
    for (long i = 0; ok && i < cells * 9; i++) {
        ok = near("field", i, got[i / (cells * 3)][i / 3 % cells].s[i % 3], fields[i], 1e-5);
        moved = i < cells * 3 ? fmax(moved, fabs(fields[i] - (double)starts[0][i / 3].s[i % 3])) : moved;
    }
    free(fields);
    return ok && same("the wave moves", 0, moved > 0.1, 1);
}

enum { TIPS = 13, NODES = 2 * TIPS - 1, RATES = 4 };

static const cl_float4 frequencies = {{0.3f, 0.2f, 0.22f, 0.28f}};

/* The descendants of ancestors, those of later ancestors among them. */
static const int descendants[TIPS - 1][2] = {{0, 1}, {2, 13}, {3, 4}, {14, 15}, {5, 6},   {7, 17},
                                             {8, 9}, {18, 19}, {10, 11}, {20, 21}, {16, 22}, {23, 12}};

/* Matrices of a model in which all letters change alike, more to frequent ones; species that are all much alike. */
static void tree_likelihood_prepare(struct clbench *b) {
    static const float rates[RATES] = {0.1f, 0.5f, 1.1f, 2.3f};
    unsigned char *codes = make(b, 0, (size_t)(b->size * TIPS));
    float *matrices = make(b, 1, NODES * RATES * 16 * sizeof *matrices);
    uint32_t state = 2081;
    for (long i = 0; i < b->size * TIPS; i++) {
        long site = i % b->size;
        uint32_t kind = random_word(&state) % 20;
        uint32_t letter = kind < 7 ? random_word(&state) % 4 : (uint32_t)(site * 7 / 3) % 4;
        codes[i] = kind == 0 ? 15 : kind == 1 ? 5 : (unsigned char)(1 << letter);
    }
    for (long i = 0; i < NODES * RATES * 16; i++) {
        double length = 0.05 + 0.03 * (double)(i / 64 % 7), kept = exp(-length * (double)rates[i / 16 % RATES]);
        matrices[i] = (float)((1.0 - kept) * (double)frequencies.s[i % 4] + (i % 4 == i / 4 % 4 ? kept : 0.0));
    }
    make(b, 2, (size_t)(b->size * (TIPS - 1) * RATES) * sizeof(cl_float4));
    make(b, 3, (size_t)(b->size * (TIPS - 1) * RATES) * sizeof(cl_int)), make(b, 4, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1);
}

static void tree_likelihood_once(struct clbench *b) {
    cl_int sites = (cl_int)b->size, root = TIPS - 2;
    for (int i = 0; i < TIPS - 1; i++) {
        cl_int4 node = {{TIPS + i, descendants[i][0], descendants[i][1], TIPS}};
        launch(b, "prune_node", RANGE2(round_up(sites, 32), RATES, 32, RATES), V(node), V(sites), B(0), B(1), B(2), B(3));
    }
    launch(b, "site_likelihood", RANGE1(round_up(sites, 128), 128), B(2), B(3), V(root), V(sites), V(frequencies), B(4));
}

static int tree_likelihood_check(struct clbench *b) {
    const unsigned char *codes = b->buffer[0].host;
    const float *matrices = b->buffer[1].host, *got = b->buffer[4].host;
    int ok = 1;
    down(b, 4);
    for (long site = 0; ok && site < b->size; site++) {
        double all = 0.0;
        for (int rate = 0; rate < RATES; rate++) {
            double parts[NODES][4];
            for (int i = 0; i < NODES * 4; i++) {
                parts[i / 4][i % 4] = i < TIPS * 4 ? codes[i / 4 * b->size + site] >> i % 4 & 1 : 1.0;
            }
            for (int i = 0; i < (TIPS - 1) * 8; i++) {
                int child = descendants[i / 8][i / 4 % 2];
                double sum = 0.0;
                for (int k = 0; k < 4; k++) {
                    sum += (double)matrices[(child * RATES + rate) * 16 + i % 4 * 4 + k] * parts[child][k];
                }
                parts[TIPS + i / 8][i % 4] *= sum;
            }
            for (int k = 0; k < 4; k++) {
                all += (double)frequencies.s[k] * parts[NODES - 1][k] / RATES;
            }
        }
        ok = near("likelihood's logarithm", site, got[site], log(all), 2e-5);
    }
    return ok;
}

enum { LONGEST = 88, LEAST_LOOP = 3, FOLDERS = 32 };

static void fold_pairs_prepare(struct clbench *b) {
    unsigned char *letters = make(b, 0, (size_t)(b->size * LONGEST));
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    uint32_t state = 2083;
    for (long i = 0; i < b->size; i++) {
        cl_int length = (cl_int)(LONGEST - 30 + (int)(random_word(&state) % 31));
        for (cl_int k = 0; k < length; k++) {
            /* The second half of some strands fits to the first one. */
            int fits = i % 2 == 1 && k > length / 2 && random_word(&state) % 6 > 0;
            letters[starts[i] + k] = fits ? 3 - letters[starts[i] + length - 1 - k] : (unsigned char)(random_word(&state) % 4);
        }
        starts[i + 1] = starts[i] + length;
    }
    make(b, 2, (size_t)b->size * sizeof(cl_short)), make(b, 3, (size_t)(b->size * LONGEST) * sizeof(cl_short));
    up(b, 0), up(b, 1);
}

static void fold_pairs_once(struct clbench *b) {
    launch(b, "fold_pairs", RANGE1((size_t)b->size * FOLDERS, FOLDERS), B(0), B(1), B(2), B(3));
}

static int pair_worth(int one, int other) {
    static const int worths[4][4] = {{0, 0, 0, 2}, {0, 0, 3, 0}, {0, 3, 0, 1}, {2, 0, 1, 0}};
    return worths[one][other];
}

/* What a strand's best fold is worth: its first letter stays alone, or pairs with another one. */
static int best_fold(const unsigned char *strand, int length) {
    static int best[LONGEST + 1][LONGEST + 1];
    for (int i = length; i >= 0; i--) {
        for (int end = i; end <= length; end++) {
            best[i][end] = i < end ? best[i + 1][end] : 0;
            for (int k = i + LEAST_LOOP + 1; k < end; k++) {
                int worth = pair_worth(strand[i], strand[k]), sum = worth + best[i + 1][k] + best[k + 1][end];
                best[i][end] = worth > 0 && sum > best[i][end] ? sum : best[i][end];
            }
        }
    }
    return best[0][length];
}

static int fold_pairs_check(struct clbench *b) {
    const unsigned char *letters = b->buffer[0].host;
    const cl_int *starts = b->buffer[1].host;
    const cl_short *worths = b->buffer[2].host, *partners = b->buffer[3].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        const unsigned char *strand = letters + starts[i];
        const cl_short *fold = partners + starts[i];
        int length = starts[i + 1] - starts[i], open[LONGEST], depth = 0, sum = 0;
        ok = same("worth", i, worths[i], best_fold(strand, length));
        for (int k = 0; ok && k < length; k++) {
            if (fold[k] > k) {
                open[depth++] = k;
                sum += pair_worth(strand[k], strand[fold[k]]);
                ok = same("loop is long enough", k, fold[k] < length && fold[k] - k > LEAST_LOOP, 1);
            } else if (fold[k] >= 0) {
                ok = same("pairs are in pairs", k, depth > 0 && open[depth - 1] == fold[k] && fold[fold[k]] == k, 1);
                depth--;
            }
        }
        ok = ok && same("all are closed", i, depth, 0) && same("worth of the fold", i, sum, worths[i]);
    }
    return ok;
}

enum { SLICES = 4, TABLE_STEPS = 10, TABLE_END = 24, TABLE_ORDERS = 6 };

static const cl_double least_amount = 1e-9;

/* Pairs of clouds along a chain of atoms, from large amounts to small ones. */
static void gaussian_repulsion_prepare(struct clbench *b) {
    cl_double4 *clouds = make(b, 0, (size_t)b->size * sizeof *clouds);
    double *amounts = make(b, 1, (size_t)b->size * sizeof *amounts), *densities = make(b, 2, (size_t)b->size * sizeof *densities);
    long rows = TABLE_STEPS * TABLE_END + 1;
    double *table = make(b, 3, (size_t)(rows * TABLE_ORDERS) * sizeof *table);
    uint32_t state = 2087;
    for (long i = 0; i < b->size; i++) {
        double place = 12.0 * (double)random_unit(&state), narrow = 0.2 * exp(4.0 * (double)random_unit(&state));
        clouds[i] = (cl_double4){{place, sin(place) + (double)random_unit(&state), cos(2.0 * place), narrow}};
        amounts[i] = exp(-16.0 * (double)i / (double)b->size);
        densities[i] = (double)random_unit(&state) - 0.3;
    }
    for (long i = 0; i < rows; i++) {
        /* The highest order by its series, those below by those above. */
        double t = (double)i / TABLE_STEPS, term = 1.0 / (2.0 * TABLE_ORDERS - 1.0), sum = term;
        for (int k = 1; k < 200; k++) {
            term *= 2.0 * t / (2.0 * TABLE_ORDERS - 1.0 + 2.0 * k), sum += term;
        }
        table[i * TABLE_ORDERS + TABLE_ORDERS - 1] = exp(-t) * sum;
        for (int k = TABLE_ORDERS - 2; k >= 0; k--) {
            table[i * TABLE_ORDERS + k] = (2.0 * t * table[i * TABLE_ORDERS + k + 1] + exp(-t)) / (2.0 * k + 1.0);
        }
    }
    make(b, 4, (size_t)(b->size * SLICES) * sizeof(double)), make(b, 5, (size_t)b->size * sizeof(double));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void gaussian_repulsion_once(struct clbench *b) {
    cl_int pairs = (cl_int)b->size;
    struct range range = RANGE2(round_up(pairs, 24), SLICES, 24, 1);
    launch(b, "gaussian_repulsion", range, B(0), B(1), B(2), V(pairs), V(least_amount), B(3), B(4));
    launch(b, "add_slices", RANGE1(round_up(pairs, 16), 0), B(4), V(pairs), B(5));
}

static int gaussian_repulsion_check(struct clbench *b) {
    const cl_double4 *clouds = b->buffer[0].host;
    const double *amounts = b->buffer[1].host, *densities = b->buffer[2].host, *got = b->buffer[5].host;
    long left_out = 0;
    int ok = 1;
    down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        double sum = 0.0;
        for (long k = 0; k < b->size; k++) {
            double p = clouds[i].s[3], q = clouds[k].s[3], squared = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                squared += pow(clouds[i].s[axis] - clouds[k].s[axis], 2.0);
            }
            double t = p * q / (p + q) * squared, integral = t < 1e-12 ? 1.0 : 0.5 * sqrt(M_PI / t) * erf(sqrt(t));
            if (amounts[i] * amounts[k] >= least_amount) {
                sum += amounts[i] * amounts[k] * densities[k] * integral / (p * q * sqrt(p + q));
            } else {
                left_out++;
            }
        }
        ok = near("repulsion", i, got[i], sum, 1e-7);
    }
    return ok && same("not all matter", 0, left_out > b->size, 1);
}

const struct workload round17_science_workloads[] = {
    WORKLOAD(round17_science, drude_media, 17, 41, 85, 201),
    WORKLOAD(round17_science, tree_likelihood, 101, 3001, 30011, 200003),
    WORKLOAD(round17_science, fold_pairs, 5, 31, 151, 2003),
    WORKLOAD(round17_science, gaussian_repulsion, 75, 401, 1501, 6007),
    END_OF_WORKLOADS,
};
