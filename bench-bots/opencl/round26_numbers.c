/* Numbers. Sizes are segments, polynomials, rows, rows. */
#include "workloads.h"
#include <complex.h>

enum { SIEVE_GROUP = 128, SEGMENT = 65536, BITS_LEAST = 100 };

static const cl_ulong first_number = 10000000000;

/* All primes up to `end`, and how many they are. */
static cl_uint *primes_up_to(long end, long *count) {
    char *crossed = calloc(1, (size_t)end + 1);
    cl_uint *primes = malloc((size_t)(end / 2 + BITS_LEAST) * sizeof *primes);
    *count = 0;
    for (long i = 3; i <= end; i += 2) {
        if (crossed[i]) {
            continue;
        }
        primes[(*count)++] = (cl_uint)i;
        for (long k = i * i; k <= end; k += 2 * i) {
            crossed[k] = 1;
        }
    }
    free(crossed);
    return primes;
}

static long small_primes_end(const struct clbench *b) { return (long)sqrt((double)first_number + (double)b->size * SEGMENT) + 1; }

/* 2 is left out, as even numbers are. */
static void segment_sieve_prepare(struct clbench *b) {
    long count;
    cl_uint *primes = primes_up_to(small_primes_end(b), &count);
    memcpy(make(b, 0, (size_t)count * sizeof *primes), primes, (size_t)count * sizeof *primes);
    free(primes);
    make(b, 1, (size_t)b->size * sizeof(cl_uint2));
    up(b, 0);
}

static void segment_sieve_once(struct clbench *b) {
    cl_int count = (cl_int)(b->buffer[0].bytes / sizeof(cl_uint));
    launch(b, "segment_sieve", RANGE1((size_t)b->size * SIEVE_GROUP, SIEVE_GROUP), V(first_number), B(0), V(count), B(1));
}

/* Each small prime's next multiple is carried from segment to segment. */
static int segment_sieve_check(struct clbench *b) {
    const cl_uint *primes = b->buffer[0].host;
    const cl_uint2 *got = b->buffer[1].host;
    long count = (long)(b->buffer[0].bytes / sizeof *primes);
    long *next = malloc((size_t)count * sizeof *next);
    char *crossed = malloc(SEGMENT);
    int ok = 1;
    down(b, 1);
    for (long i = 0; i < count; i++) {
        next[i] = (long)(primes[i] - first_number % primes[i]) % (long)primes[i];
    }
    for (long segment = 0; ok && segment < b->size; segment++) {
        long found = 0, twins = 0;
        memset(crossed, 0, SEGMENT);
        for (long i = 0; i < count; i++) {
            for (; next[i] < SEGMENT; next[i] += (long)primes[i]) {
                crossed[next[i]] = 1;
            }
            next[i] -= SEGMENT;
        }
        for (long i = 1; i < SEGMENT; i += 2) {
            found += !crossed[i], twins += i + 2 < SEGMENT && !crossed[i] && !crossed[i + 2];
        }
        ok = same("primes", segment, got[segment].s[0], found) && same("twins", segment, got[segment].s[1], twins);
    }
    free(next), free(crossed);
    return ok;
}

enum { DEGREE = 12, MOST_TURNS = 50 };

static void aberth_roots_prepare(struct clbench *b) {
    double *coefficients = make(b, 0, (size_t)b->size * (DEGREE + 1) * sizeof(cl_double2));
    uint32_t state = 4271;
    for (long i = 0; i < b->size * (DEGREE + 1) * 2; i++) {
        coefficients[i] = (double)random_unit(&state) * 2.0 - 1.0;
    }
    make(b, 1, (size_t)b->size * DEGREE * sizeof(cl_double2)), make(b, 2, (size_t)b->size);
    up(b, 0);
}

static void aberth_roots_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "aberth_roots", RANGE1((size_t)b->size, 0), B(0), V(count), B(1), B(2));
}

static double complex number_at(const double *pairs, long at) { return CMPLX(pairs[2 * at], pairs[2 * at + 1]); }

/* The polynomial that has these roots. Some polynomials have roots that a little error moves a lot: the coefficients aren't moved. */
static int aberth_roots_check(struct clbench *b) {
    const double *coefficients = b->buffer[0].host, *got = b->buffer[1].host;
    const unsigned char *turns = b->buffer[2].host;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        double complex product[DEGREE + 1] = {number_at(coefficients, DEGREE * b->size + i)};
        double scale = 0.0;
        for (long k = 0; k < DEGREE; k++) {
            double complex root = number_at(got, k * b->size + i);
            for (long power = k + 1; power >= 0; power--) {
                product[power] = (power > 0 ? product[power - 1] : 0.0) - root * product[power];
            }
        }
        for (long k = 0; k <= DEGREE; k++) {
            scale = fmax(scale, cabs(product[k]));
        }
        for (long k = 0; ok && k <= DEGREE; k++) {
            double complex want = number_at(coefficients, k * b->size + i);
            ok = near("coefficient", k * b->size + i, cabs(product[k] - want) / scale, 0.0, 1e-9);
        }
        ok = ok && same("is done early", i, turns[i] < MOST_TURNS, 1);
    }
    return ok;
}

enum { SLICE = 32, SLICES_GROUP = 2, WINDOW = 256, MOST_ENTRIES = 70 };

/* A row's entries: near the diagonal and far from it. Some rows are much longer than others. */
static int entries_of_row(long row, long rows, int *columns, double *values) {
    uint32_t state = mixed_word((uint32_t)row + 4273);
    int count = random_word(&state) % 16 == 0 ? 40 + (int)(random_word(&state) % 30) : 5 + (int)(random_word(&state) % 14);
    for (int k = 0; k < count; k++) {
        long near_by = clamped(row + (long)(random_word(&state) % 401) - 200, rows);
        columns[k] = (int)(random_word(&state) % 3 != 0 ? near_by : (long)(random_word(&state) % (uint32_t)rows));
        values[k] = (double)random_unit(&state) - 0.5;
    }
    return count;
}

struct row_length {
    int length, row;
};

static int by_length(const void *a, const void *b) {
    const struct row_length *x = a, *y = b;
    return x->length != y->length ? y->length - x->length : x->row - y->row;
}

static void sell_sigma_prepare(struct clbench *b) {
    long rows = b->size, slices = (rows + SLICE - 1) / SLICE, used = 0;
    struct row_length *order = malloc((size_t)rows * sizeof *order);
    int columns[MOST_ENTRIES];
    double values[MOST_ENTRIES];
    for (long i = 0; i < rows; i++) {
        order[i].length = entries_of_row(i, rows, columns, values), order[i].row = (int)i;
    }
    for (long i = 0; i < rows; i += WINDOW) {
        qsort(order + i, (size_t)(rows - i < WINDOW ? rows - i : WINDOW), sizeof *order, by_length);
    }
    int *starts = make(b, 0, (size_t)(slices + 1) * sizeof *starts), *places = make(b, 3, (size_t)rows * sizeof *places);
    for (long slice = 0; slice < slices; slice++) {
        int widest = 0;
        for (long i = slice * SLICE; i < rows && i < (slice + 1) * SLICE; i++) {
            widest = order[i].length > widest ? order[i].length : widest;
        }
        starts[slice] = (int)used, used += widest * SLICE;
    }
    starts[slices] = (int)used;
    int *all_columns = make(b, 1, (size_t)used * sizeof *all_columns);
    double *all_values = make(b, 2, (size_t)used * sizeof *all_values);
    for (long i = 0; i < rows; i++) {
        int length = entries_of_row(order[i].row, rows, columns, values);
        places[i] = order[i].row;
        for (int k = 0; k < length; k++) {
            long at = starts[i / SLICE] + k * SLICE + i % SLICE;
            all_columns[at] = columns[k], all_values[at] = values[k];
        }
    }
    free(order);
    double *vector = make(b, 4, (size_t)rows * sizeof *vector), *right = make(b, 5, (size_t)rows * sizeof *right);
    uint32_t state = 4283;
    for (long i = 0; i < rows; i++) {
        vector[i] = (double)random_unit(&state) * 2.0 - 1.0, right[i] = (double)random_unit(&state);
    }
    make(b, 6, (size_t)rows * sizeof(double)), make(b, 7, (size_t)slices * sizeof(double));
    for (int i = 0; i < 6; i++) {
        up(b, i);
    }
}

static void sell_sigma_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size;
    launch(b, "sell_sigma", RANGE1(round_up(rows, SLICE * SLICES_GROUP), SLICE * SLICES_GROUP), B(0), B(1), B(2), B(3), V(rows), B(4), B(5),
           B(6), B(7));
}

static int sell_sigma_check(struct clbench *b) {
    const double *vector = b->buffer[4].host, *right = b->buffer[5].host, *got = b->buffer[6].host, *squares = b->buffer[7].host;
    double square = 0.0, sum_of_squares = 0.0;
    long group = SLICE * SLICES_GROUP;
    int ok = 1;
    down(b, 6), down(b, 7);
    for (long row = 0; ok && row < b->size; row++) {
        int columns[MOST_ENTRIES];
        double values[MOST_ENTRIES], rest = right[row];
        for (int k = entries_of_row(row, b->size, columns, values) - 1; k >= 0; k--) {
            rest -= values[k] * vector[columns[k]];
        }
        ok = near("rest", row, got[row], rest, 1e-12), square += rest * rest;
    }
    for (long i = 0; i < (b->size + group - 1) / group; i++) {
        sum_of_squares += squares[i];
    }
    return ok && near("sum of squares", 0, sum_of_squares, square, 1e-10);
}

enum { ROW_GROUP = 32, LONG_ROW = 20, SHORT_ROW = 13 };

/* A matrix whose rows have no column twice: columns go up by steps. */
static void fill_matrix(struct clbench *b, int i, int longest, uint32_t seed) {
    int *starts = make(b, i, (size_t)(b->size + 1) * sizeof *starts);
    int *columns = make(b, i + 1, (size_t)(b->size * longest) * sizeof *columns);
    float *values = make(b, i + 2, (size_t)(b->size * longest) * sizeof *values);
    uint32_t state = seed;
    for (long row = 0; row < b->size; row++) {
        long count = random_word(&state) % (uint32_t)(longest + 1), used = starts[row];
        long column = random_word(&state) % 3 == 0 ? random_word(&state) % (uint32_t)b->size : row;
        for (long k = 0; k < count && column < b->size; k++) {
            columns[used] = (int)column, values[used++] = random_unit(&state) - 0.5f;
            column += 1 + random_word(&state) % (random_word(&state) % 8 == 0 ? 900 : 6);
        }
        starts[row + 1] = (int)used;
    }
    up(b, i), up(b, i + 1), up(b, i + 2);
}

/* A row of the product has room for as many entries as there are products. */
static void spgemm_hash_prepare(struct clbench *b) {
    fill_matrix(b, 0, LONG_ROW, 4289), fill_matrix(b, 3, SHORT_ROW, 4297);
    const int *starts = b->buffer[0].host, *columns = b->buffer[1].host, *others = b->buffer[3].host;
    int *room = make(b, 6, (size_t)(b->size + 1) * sizeof *room);
    for (long row = 0; row < b->size; row++) {
        room[row + 1] = room[row];
        for (int i = starts[row]; i < starts[row + 1]; i++) {
            room[row + 1] += others[columns[i] + 1] - others[columns[i]];
        }
    }
    make(b, 7, (size_t)b->size * sizeof(cl_int)), make(b, 8, (size_t)(room[b->size] + 1) * sizeof(cl_int));
    make(b, 9, (size_t)(room[b->size] + 1) * sizeof(cl_float));
    up(b, 6);
}

static void spgemm_hash_once(struct clbench *b) {
    launch(b, "spgemm_hash", RANGE1((size_t)b->size * ROW_GROUP, ROW_GROUP), B(0), B(1), B(2), B(3), B(4), B(5), B(6), B(7), B(8), B(9));
}

static int spgemm_hash_check(struct clbench *b) {
    const int *starts = b->buffer[0].host, *columns = b->buffer[1].host, *others = b->buffer[3].host, *other_columns = b->buffer[4].host;
    const float *values = b->buffer[2].host, *other_values = b->buffer[5].host, *got = b->buffer[9].host;
    const int *room = b->buffer[6].host, *lengths = b->buffer[7].host, *got_columns = b->buffer[8].host;
    double *sums = calloc((size_t)b->size, sizeof *sums);
    char *is_there = calloc(1, (size_t)b->size);
    int ok = 1;
    down(b, 7), down(b, 8), down(b, 9);
    for (long row = 0; ok && row < b->size; row++) {
        long entries = 0;
        for (int i = starts[row]; i < starts[row + 1]; i++) {
            for (int k = others[columns[i]]; k < others[columns[i] + 1]; k++) {
                entries += !is_there[other_columns[k]], is_there[other_columns[k]] = 1;
                sums[other_columns[k]] += (double)values[i] * (double)other_values[k];
            }
        }
        ok = same("length", row, lengths[row], entries);
        for (long k = 0; ok && k < entries; k++) {
            int column = got_columns[room[row] + k];
            ok = same("is a column", room[row] + k, column >= 0 && column < b->size && is_there[column], 1) &&
                 same("is in order", room[row] + k, k == 0 || got_columns[room[row] + k - 1] < column, 1) &&
                 near("entry", room[row] + k, (double)got[room[row] + k], sums[column], 1e-5);
            if (ok) {
                is_there[column] = 0, sums[column] = 0.0;
            }
        }
    }
    free(sums), free(is_there);
    return ok;
}

const struct workload round26_numbers_workloads[] = {
    WORKLOAD(round26_numbers, segment_sieve, 3, 101, 401, 2003),
    WORKLOAD(round26_numbers, aberth_roots, 53, 2003, 7001, 30011),
    WORKLOAD(round26_numbers, sell_sigma, 611, 90001, 300007, 1000003),
    WORKLOAD(round26_numbers, spgemm_hash, 103, 9001, 30011, 100003),
    END_OF_WORKLOADS,
};
