/* Data. Sizes are bytes, rows of a table, puzzles. */
#include "workloads.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static long quads_of(const struct clbench *b) { return (b->size + 2) / 3; }

/* Four letters of up to three bytes, one letter after another. */
static void encode_quad(const unsigned char *bytes, long left, unsigned char *letters) {
    for (int i = 0; i < 4; i++) {
        unsigned value = 0;
        for (int bit = 6 * i; bit < 6 * i + 6; bit++) {
            value = value * 2 + (bit / 8 < left ? bytes[bit / 8] >> (7 - bit % 8) & 1u : 0);
        }
        letters[i] = (unsigned char)(i <= left ? alphabet[value] : '=');
    }
}

/* Bytes, and letters of other bytes, some of which are wrong. Buffer 6 has the other bytes, on this side alone. */
static void base64_text_prepare(struct clbench *b) {
    long quads = quads_of(b);
    unsigned char *bytes = make(b, 0, (size_t)b->size), *others = make(b, 6, (size_t)b->size);
    unsigned char *letters = make(b, 2, (size_t)quads * 4);
    uint32_t state = 1997;
    for (long i = 0; i < b->size; i++) {
        bytes[i] = (unsigned char)(random_word(&state) >> 8), others[i] = (unsigned char)(random_word(&state) >> 8);
    }
    for (long i = 0; i < quads; i++) {
        encode_quad(others + 3 * i, b->size - 3 * i, letters + 4 * i);
        if (random_word(&state) % 100 == 0 && i > quads / 3 && i < quads - 1) {
            letters[4 * i + random_word(&state) % 4] = (unsigned char)"=-_ \n.@[`{\x80\xff"[random_word(&state) % 12];
        }
    }
    make(b, 1, (size_t)quads * 4), make(b, 3, (size_t)quads * 3), make(b, 4, 2 * sizeof(cl_int));
    up(b, 0), up(b, 2);
}

static void base64_text_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, quads = (cl_int)quads_of(b);
    struct range range = RANGE1(round_up(quads, 128), 128);
    launch(b, "base64_encode", range, B(0), V(count), B(1));
    launch(b, "no_flaws", RANGE1(1, 1), B(4));
    launch(b, "base64_decode", range, B(2), V(quads), B(3), B(4));
}

static int base64_text_check(struct clbench *b) {
    const unsigned char *bytes = b->buffer[0].host, *encoded = b->buffer[1].host, *letters = b->buffer[2].host;
    const unsigned char *decoded = b->buffer[3].host, *others = b->buffer[6].host;
    const cl_int *flaws = b->buffer[4].host;
    long first = INT32_MAX, count = 0;
    int ok = 1;
    down(b, 1), down(b, 3), down(b, 4);
    for (long i = 0; ok && i < quads_of(b); i++) {
        unsigned char wanted[4], clean[4], bits[3];
        long left = b->size - 3 * i < 3 ? b->size - 3 * i : 3;
        encode_quad(bytes + 3 * i, b->size - 3 * i, wanted);
        encode_quad(others + 3 * i, b->size - 3 * i, clean);
        memcpy(bits, others + 3 * i, (size_t)left);
        for (long k = 0; ok && k < 4; k++) {
            ok = same("letter", 4 * i + k, encoded[4 * i + k], wanted[k]);
            if (letters[4 * i + k] != clean[k]) {
                first = count++ == 0 ? 4 * i + k : first;
                /* Its six bits are 0. */
                for (long bit = 6 * k; bit < 6 * k + 6; bit++) {
                    bits[bit / 8] = (unsigned char)(bits[bit / 8] & ~(128u >> bit % 8));
                }
            }
        }
        for (long k = 0; ok && k < left; k++) {
            ok = same("byte", 3 * i + k, decoded[3 * i + k], bits[k]);
        }
    }
    return ok && same("first flaw", 0, flaws[0], first) && same("flaws", 0, flaws[1], count);
}

enum { TABLE_COLUMNS = 4, REGISTERS = 1024, COUNTERS = 128, COUNTER_GROUPS = 16 };

/* How many keys a column's are chosen from; the last one has each key once. */
static long pool_of(const struct clbench *b, long column) {
    return column == 0 ? 50 : column == 1 ? b->size / 60 + 1 : column == 2 ? b->size / 3 + 1 : 0;
}

static void distinct_keys_prepare(struct clbench *b) {
    cl_ulong *keys = make(b, 0, (size_t)(b->size * TABLE_COLUMNS) * sizeof *keys);
    uint32_t state = 1999;
    for (long i = 0; i < b->size * TABLE_COLUMNS; i++) {
        long pool = pool_of(b, i / b->size);
        cl_ulong which = pool > 0 ? random_word(&state) % (uint32_t)pool : (cl_ulong)(i % b->size);
        keys[i] = which * 1000003u + (which << 40);
    }
    make(b, 1, TABLE_COLUMNS * REGISTERS * sizeof(cl_uint)), make(b, 2, TABLE_COLUMNS * sizeof(float));
    up(b, 0);
}

static void distinct_keys_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size;
    launch(b, "clear_registers", RANGE1(TABLE_COLUMNS * REGISTERS, 64), B(1));
    launch(b, "fill_registers", RANGE2(COUNTER_GROUPS * COUNTERS, TABLE_COLUMNS, COUNTERS, 1), B(0), V(rows), B(1));
    launch(b, "count_distinct", RANGE1(TABLE_COLUMNS * COUNTERS, COUNTERS), B(1), B(2));
}

static cl_ulong mixed(cl_ulong key) {
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53u;
    return key ^ key >> 33;
}

static int distinct_keys_check(struct clbench *b) {
    const cl_ulong *keys = b->buffer[0].host;
    const cl_uint *got = b->buffer[1].host;
    const float *counts = b->buffer[2].host;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long column = 0; ok && column < TABLE_COLUMNS; column++) {
        long most[REGISTERS] = {0}, empty = 0, pool = pool_of(b, column);
        double sum = 0.0, count, real = (double)b->size;
        for (long i = column * b->size; i < (column + 1) * b->size; i++) {
            cl_ulong bits = mixed(keys[i]);
            long at = (long)(bits / (UINT64_MAX / REGISTERS + 1)), zeros = 0;
            while (zeros < 54 && !(bits >> (53 - zeros) & 1)) {
                zeros++;
            }
            most[at] = zeros + 1 > most[at] ? zeros + 1 : most[at];
        }
        for (long i = 0; ok && i < REGISTERS; i++) {
            ok = same("register", column * REGISTERS + i, got[column * REGISTERS + i], most[i]);
            sum += ldexp(1.0, (int)-most[i]), empty += most[i] == 0;
        }
        count = 0.7213 / (1.0 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / sum;
        count = count <= 2.5 * REGISTERS && empty > 0 ? REGISTERS * log((double)REGISTERS / (double)empty) : count;
        /* As many of a pool as are to be expected, after so many draws. */
        real = pool > 0 ? (double)pool * (1.0 - exp(-real / (double)pool)) : real;
        ok = ok && near("count", column, counts[column], count, 1e-4) && near("real count", column, counts[column], real, 0.15);
    }
    return ok;
}

enum { CELLS = 81, MOST_FOUND = 2, LEAST_EMPTY = 46 };

static void swap_ranks(int *ranks, int a, int b) {
    int kept = ranks[a];
    ranks[a] = ranks[b], ranks[b] = kept;
}

/* The order of nine rows or columns: threes and those in each three are mixed. */
static void mix_ranks(int *ranks, uint32_t *state) {
    for (int i = 0; i < 9; i++) {
        ranks[i] = i;
    }
    for (int i = 0; i < 9; i++) {
        swap_ranks(ranks, i, i / 3 * 3 + (int)(random_word(state) % 3));
    }
    for (int i = 0, other = (int)(random_word(state) % 3); i < 3; i++) {
        swap_ranks(ranks, i, other * 3 + i);
    }
}

/* Puzzles from solutions by taking digits away; in some of them one digit is wrong. */
static void sudoku_search_prepare(struct clbench *b) {
    unsigned char *puzzles = make(b, 0, (size_t)(b->size * CELLS));
    uint32_t state = 2003;
    for (long id = 0; id < b->size; id++) {
        unsigned char *cells = puzzles + id * CELLS;
        int rows[9], columns[9], digits[9], empty = LEAST_EMPTY + (int)(random_word(&state) % 8);
        mix_ranks(rows, &state), mix_ranks(columns, &state), mix_ranks(digits, &state);
        for (int i = 0; i < CELLS; i++) {
            int row = rows[i / 9], column = columns[i % 9];
            cells[i] = (unsigned char)(1 + digits[(row % 3 * 3 + row / 3 + column) % 9]);
        }
        while (empty > 0) {
            uint32_t at = random_word(&state) % CELLS;
            empty -= cells[at] != 0, cells[at] = 0;
        }
        for (uint32_t at = random_word(&state) % CELLS; id % 9 == 4 && cells[at] == 0; at = (at + 1) % CELLS) {
            /* An empty cell is given a digit that is not that of the solution, mostly. */
            cells[at] = (unsigned char)(1 + random_word(&state) % 9);
            for (uint32_t i = 0; i < CELLS; i++) {
                int meets = i / 9 == at / 9 || i % 9 == at % 9 || (i / 27 == at / 27 && i % 9 / 3 == at % 9 / 3);
                if (i != at && meets && cells[i] == cells[at]) {
                    cells[at] = 0;
                    break;
                }
            }
            if (cells[at] != 0) {
                break;
            }
        }
    }
    make(b, 1, (size_t)(b->size * CELLS)), make(b, 2, (size_t)b->size * sizeof(cl_int2));
    up(b, 0);
}

static void sudoku_search_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, most = MOST_FOUND;
    launch(b, "sudoku_search", RANGE1(round_up(count, 64), 64), B(0), V(count), V(most), B(1), B(2));
}

/* Which digits the cells have that a cell meets, a bit for each. */
static unsigned met_digits(const unsigned char *cells, int at) {
    unsigned digits = 0;
    for (int i = 0; i < 9; i++) {
        int in_box = at / 27 * 27 + at % 9 / 3 * 3 + i / 3 * 9 + i % 3, in_row = at / 9 * 9 + i, in_column = i * 9 + at % 9;
        digits |= in_box == at ? 0 : 1u << cells[in_box];
        digits |= in_row == at ? 0 : 1u << cells[in_row];
        digits |= in_column == at ? 0 : 1u << cells[in_column];
    }
    return digits >> 1;
}

static int count_solutions(unsigned char *cells) {
    int best = -1, fewest = 10, found = 0;
    unsigned met = 0;
    for (int i = CELLS - 1; i >= 0; i--) {
        unsigned digits = cells[i] == 0 ? met_digits(cells, i) : 0;
        int size = 9 - __builtin_popcount(digits);
        if (cells[i] == 0 && size < fewest) {
            best = i, fewest = size, met = digits;
        }
    }
    if (best < 0) {
        return 1;
    }
    for (int digit = 9; digit >= 1 && found < MOST_FOUND; digit--) {
        if (!(met >> (digit - 1) & 1)) {
            cells[best] = (unsigned char)digit;
            found += count_solutions(cells);
        }
    }
    cells[best] = 0;
    return found < MOST_FOUND ? found : MOST_FOUND;
}

static int sudoku_search_check(struct clbench *b) {
    const unsigned char *puzzles = b->buffer[0].host, *solved = b->buffer[1].host;
    const cl_int2 *results = b->buffer[2].host;
    long kinds[MOST_FOUND + 1] = {0};
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long id = 0; ok && id < b->size; id++) {
        const unsigned char *given = puzzles + id * CELLS, *cells = solved + id * CELLS;
        unsigned char copy[CELLS];
        memcpy(copy, given, CELLS);
        int found = count_solutions(copy);
        ok = same("solutions", id, results[id].s[0], found) && same("tried", id, results[id].s[1] >= (found > 0 ? 40 : 0), 1);
        for (int i = 0; ok && found > 0 && i < CELLS; i++) {
            int fits = cells[i] >= 1 && cells[i] <= 9 && !(met_digits(cells, i) >> (cells[i] - 1) & 1);
            ok = same("digit fits", id * CELLS + i, fits, 1) &&
                 (given[i] == 0 || same("given digit", id * CELLS + i, cells[i], given[i]));
        }
        kinds[found]++;
    }
    return ok && same("puzzles are of all kinds", 0, b->size < 50 || (kinds[0] > 0 && kinds[1] > 0 && kinds[2] > 0), 1);
}

const struct workload round16_data_workloads[] = {
    WORKLOAD(round16_data, base64_text, 3001, 400009, 4000037, 30000001),
    WORKLOAD(round16_data, distinct_keys, 1003, 100003, 600011, 4000037),
    WORKLOAD(round16_data, sudoku_search, 33, 201, 3001, 30011),
    END_OF_WORKLOADS,
};
