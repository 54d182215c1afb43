/* Data. Sizes are spectra, pairs of sequences, blocks. */
#include "workloads.h"

enum { PEPTIDES = 40000, LETTERS = 16, BINS = 2048, PEAKS = 40, WATER = 1801, PROTON = 101 };

static const cl_int tolerance = 150;

static const int masses[26] = {7104,  0, 10301, 11503, 12904, 14707, 5702, 13706, 11308, 0, 12809, 11308, 13104,
                               11404, 0, 9705,  12806, 15610, 8703,  10105, 0,    9907,  18608, 0, 16306, 0};

struct spectrum {
    int mass, first_peak, peaks;
};

struct peak {
    cl_ushort bin, height;
};

struct peptide {
    int mass;
    char letters[LETTERS];
};

static int by_mass(const void *a, const void *b) { return ((const struct peptide *)a)->mass - ((const struct peptide *)b)->mass; }

static void make_peptides(struct clbench *b, uint32_t *state) {
    struct peptide *all = calloc(PEPTIDES, sizeof *all);
    cl_int *peptide_masses = make(b, 2, PEPTIDES * sizeof *peptide_masses);
    char *letters = make(b, 3, PEPTIDES * LETTERS);
    for (int i = 0; i < PEPTIDES; i++) {
        int length = 7 + (int)(random_word(state) % (LETTERS - 7));
        all[i].mass = WATER;
        for (int k = 0; k < length;) {
            uint32_t letter = random_word(state) % 26;
            if (masses[letter] > 0) {
                all[i].letters[k++] = (char)('A' + letter), all[i].mass += masses[letter];
            }
        }
    }
    qsort(all, PEPTIDES, sizeof *all, by_mass);
    for (int i = 0; i < PEPTIDES; i++) {
        peptide_masses[i] = all[i].mass;
        memcpy(letters + i * LETTERS, all[i].letters, LETTERS);
    }
    free(all);
}

/* Of a peptide about half of the parts are seen, and some noise. No two peaks of a spectrum are in one bin. */
static void peptide_scores_prepare(struct clbench *b) {
    struct spectrum *spectra = make(b, 0, (size_t)b->size * sizeof *spectra);
    struct peak *peaks = make(b, 1, (size_t)b->size * PEAKS * sizeof *peaks);
    uint32_t state = 2663;
    int next = 0;
    make_peptides(b, &state);
    for (long i = 0; i < b->size; i++) {
        long peptide = random_word(&state) % PEPTIDES;
        const char *letters = (const char *)b->buffer[3].host + peptide * LETTERS;
        unsigned char is_taken[BINS] = {0};
        int mass = ((const cl_int *)b->buffer[2].host)[peptide], part = 0;
        spectra[i].mass = mass + (int)(random_word(&state) % 100) - 50, spectra[i].first_peak = next;
        for (int k = 0; k < PEAKS; k++) {
            int is_noise = k >= LETTERS * 2 || letters[k / 2] == 0 || random_word(&state) % 2 == 0;
            part += k % 2 == 0 && k < LETTERS * 2 && letters[k / 2] != 0 ? masses[letters[k / 2] - 'A'] : 0;
            int bin = is_noise ? (int)(random_word(&state) % BINS) : ((k % 2 == 0 ? part : mass - part) + PROTON) / 100;
            if (bin < BINS && !is_taken[bin]) {
                is_taken[bin] = 1;
                peaks[next].bin = (cl_ushort)bin, peaks[next++].height = (cl_ushort)(1 + random_word(&state) % (is_noise ? 300 : 1000));
            }
        }
        spectra[i].peaks = next - spectra[i].first_peak;
    }
    make(b, 4, (size_t)b->size * sizeof(cl_int2));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void peptide_scores_once(struct clbench *b) {
    cl_int count = PEPTIDES;
    launch(b, "peptide_scores", RANGE1((size_t)b->size * 64, 64), B(0), B(1), B(2), B(3), V(count), V(tolerance), B(4));
}

/* The height of a spectrum's peak in a bin, or 0. */
static int height_in(const struct spectrum *spectrum, const struct peak *peaks, int bin) {
    for (int i = 0; i < spectrum->peaks; i++) {
        if (peaks[spectrum->first_peak + i].bin == bin) {
            return peaks[spectrum->first_peak + i].height;
        }
    }
    return 0;
}

static int score_of(const struct spectrum *spectrum, const struct peak *peaks, const char *letters, int mass) {
    int sum = 0, seen = 0, part = 0;
    for (int i = 0; i < (int)strnlen(letters, LETTERS) - 1; i++) {
        part += masses[letters[i] - 'A'];
        int left = height_in(spectrum, peaks, (part + PROTON) / 100), right = height_in(spectrum, peaks, (mass - part + PROTON) / 100);
        sum += left + right, seen += (left > 0) + (right > 0);
    }
    return sum * seen;
}

/* Of many spectra not all are looked at. */
static int peptide_scores_check(struct clbench *b) {
    const struct spectrum *spectra = b->buffer[0].host;
    const cl_int *peptide_masses = b->buffer[2].host;
    const cl_int2 *got = b->buffer[4].host;
    long step = b->size / 503 + 1;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < b->size; i += step) {
        int best = 0, which = -1;
        for (int k = 0; k < PEPTIDES; k++) {
            if (abs(peptide_masses[k] - spectra[i].mass) <= tolerance) {
                int score = score_of(spectra + i, b->buffer[1].host, (const char *)b->buffer[3].host + k * LETTERS, peptide_masses[k]);
                which = score > best ? k : which, best = score > best ? score : best;
            }
        }
        ok = same("score", i, got[i].s[0], best) && same("peptide", i, got[i].s[1], which);
    }
    return ok;
}

enum { KINDS = 20, BAND = 31, LONGEST = 160, FAR_DOWN = -10000 };

static const cl_int opening = 11, longer = 2, drop = 24;

/* The second sequence is the first one with changes, up to some place, or another one from the start. */
static void xdrop_extend_prepare(struct clbench *b) {
    signed char *sequences = make(b, 0, (size_t)b->size * 2 * LONGEST), *matrix = make(b, 2, KINDS * KINDS);
    cl_int4 *pairs = make(b, 1, (size_t)b->size * sizeof *pairs);
    uint32_t state = 2671;
    for (int i = 0; i < KINDS * KINDS; i++) {
        int row = i / KINDS, column = i % KINDS;
        uint32_t word = random_word(&state);
        matrix[i] = row == column ? (signed char)(4 + word % 6) : column < row ? matrix[column * KINDS + row] : (signed char)(word % 5) - 4;
    }
    for (long i = 0; i < b->size; i++) {
        signed char *left = sequences + i * 2 * LONGEST, *right = left + LONGEST;
        long alike = random_word(&state) % (LONGEST * 5 / 4), from = 0;
        for (long k = 0; k < LONGEST; k++) {
            left[k] = (signed char)(random_word(&state) % KINDS);
        }
        for (long k = 0; k < LONGEST; k++, from++) {
            uint32_t chance = random_word(&state) % 64;
            from += chance == 0 ? 2 : chance == 1 && from > 2 ? -2 : 0;
            right[k] = chance < 12 || k > alike || from >= LONGEST ? (signed char)(random_word(&state) % KINDS) : left[from];
        }
        pairs[i].s[0] = (cl_int)(i * 2 * LONGEST), pairs[i].s[1] = (cl_int)((i * 2 + 1) * LONGEST);
        pairs[i].s[2] = LONGEST - (cl_int)(random_word(&state) % 60), pairs[i].s[3] = LONGEST - (cl_int)(random_word(&state) % 60);
    }
    make(b, 3, (size_t)b->size * sizeof(cl_int4));
    up(b, 0), up(b, 1), up(b, 2);
}

static void xdrop_extend_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    struct range range = RANGE1(round_up(count, 64), 64);
    launch(b, "xdrop_extend", range, B(0), B(1), V(count), B(2), V(opening), V(longer), V(drop), B(3));
}

static int larger(int a, int b) { return a > b ? a : b; }

/* The same with a table of all places, of which row and column 0 come before the sequences. */
static void extend(const struct clbench *b, const cl_int4 *pair, int want[4]) {
    static int scores[LONGEST + 1][LONGEST + 1], downs[LONGEST + 1][LONGEST + 1], acrosses[LONGEST + 1][LONGEST + 1];
    const signed char *sequences = b->buffer[0].host, *matrix = b->buffer[2].host;
    const signed char *left = sequences + pair->s[0], *right = sequences + pair->s[1];
    memset(want, 0, 4 * sizeof *want);
    for (int i = 0; i < (LONGEST + 1) * (LONGEST + 1); i++) {
        int row = i / (LONGEST + 1), column = i % (LONGEST + 1);
        scores[row][column] = downs[row][column] = acrosses[row][column] = FAR_DOWN;
    }
    scores[0][0] = 0;
    for (int i = 1, is_any = 1; is_any && i <= pair->s[2]; i++) {
        is_any = 0, want[3] = i;
        for (int k = larger(1, i - BAND / 2); k <= pair->s[3] && k <= i + BAND / 2; k++) {
            downs[i][k] = larger(scores[i - 1][k] - opening, downs[i - 1][k] - longer);
            acrosses[i][k] = larger(scores[i][k - 1] - opening, acrosses[i][k - 1] - longer);
            int score = scores[i - 1][k - 1] + matrix[left[i - 1] * KINDS + right[k - 1]];
            score = larger(score, larger(downs[i][k], acrosses[i][k]));
            if (score < want[0] - drop) {
                continue;
            }
            is_any = 1, scores[i][k] = score;
            if (score > want[0]) {
                want[0] = score, want[1] = i, want[2] = k;
            }
        }
    }
}

static int xdrop_extend_check(struct clbench *b) {
    const cl_int4 *pairs = b->buffer[1].host, *got = b->buffer[3].host;
    long all = 0, tried = 0, step = b->size / 10007 + 1;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i += step, tried++) {
        int want[4];
        extend(b, pairs + i, want);
        ok = same("score", i, got[i].s[0], want[0]) && same("left end", i, got[i].s[1], want[1]) &&
             same("right end", i, got[i].s[2], want[2]) && same("rows", i, got[i].s[3], want[3]);
        all += want[3];
    }
    return ok && same("some end early", 0, all > tried * 20 && all < tried * (LONGEST - 40), 1);
}

enum { LENGTH = 120, BLOCK_WORDS = LENGTH * 5 };

/* Bits are written from each word's highest on. */
struct bits {
    cl_uint *words;
    long place;
};

static void put_bits(struct bits *bits, uint64_t value, int count) {
    for (int i = count - 1; i >= 0; i--, bits->place++) {
        bits->words[bits->place / 32] |= (cl_uint)(value >> i & 1) << (31 - bits->place % 32);
    }
}

static void put_change(struct bits *bits, cl_long change) {
    if (change == 0) {
        put_bits(bits, 0, 1);
    } else if (change >= -64 && change < 64) {
        put_bits(bits, 2, 2), put_bits(bits, (uint64_t)change, 7);
    } else if (change >= -256 && change < 256) {
        put_bits(bits, 6, 3), put_bits(bits, (uint64_t)change, 9);
    } else if (change >= -2048 && change < 2048) {
        put_bits(bits, 14, 4), put_bits(bits, (uint64_t)change, 12);
    } else {
        put_bits(bits, 15, 4), put_bits(bits, (uint64_t)change, 32);
    }
}

/* Which bits of a value differ, in a window of so many bits after so many zeros, or in a new one. */
static void put_difference(struct bits *bits, uint64_t differ, int *zeros, int *size) {
    if (differ == 0) {
        put_bits(bits, 0, 1);
        return;
    }
    int leading = __builtin_clzll(differ), trailing = __builtin_ctzll(differ);
    leading = leading > 31 ? 31 : leading;
    if (leading >= *zeros && trailing >= 64 - *zeros - *size) {
        put_bits(bits, 2, 2);
    } else {
        *zeros = leading, *size = 64 - leading - trailing;
        put_bits(bits, 3, 2), put_bits(bits, (uint64_t)leading, 5), put_bits(bits, (uint64_t)(*size - 1), 6);
    }
    put_bits(bits, differ >> (64 - *zeros - *size), *size);
}

/* Buffers 5 and 6 have what was packed. Values are whole, have one digit after the point, or are any. */
static void gorilla_blocks_prepare(struct clbench *b) {
    struct bits bits = {make(b, 0, (size_t)b->size * BLOCK_WORDS * sizeof(cl_uint)), 0};
    cl_long *starts = make(b, 1, (size_t)b->size * sizeof *starts), *moments = make(b, 5, (size_t)b->size * LENGTH * sizeof *moments);
    double *values = make(b, 6, (size_t)b->size * LENGTH * sizeof *values);
    uint32_t state = 2677;
    memset(bits.words, 0, (size_t)b->size * BLOCK_WORDS * sizeof(cl_uint));
    for (long i = 0; i < b->size; i++) {
        cl_long moment = 1700000000000 + i * 7200000, between = 0;
        double value = 20.0;
        uint64_t last = 0, now;
        int zeros = 0, size = 64;
        starts[i] = bits.place;
        for (long k = i * LENGTH; k < (i + 1) * LENGTH; k++) {
            uint32_t kind = random_word(&state) % 16, off = random_word(&state);
            cl_long change = kind < 8 ? 0 : kind < 15 ? (cl_long)(off % 200) - 100 : (cl_long)(off % 20000);
            change = k == i * LENGTH ? 0 : k == i * LENGTH + 1 ? 60000 : between + change < 0 ? 0 : change;
            between += change, moment += between;
            const double changed[3] = {floor(value) + off % 5 - 2.0, 0.1 * (off % 500), value * 1.001 - 0.02};
            value = kind % 4 == 0 ? value : changed[i % 3];
            moments[k] = moment, values[k] = value;
            memcpy(&now, &value, sizeof now);
            if (k == i * LENGTH) {
                put_bits(&bits, (uint64_t)moment, 64), put_bits(&bits, now, 64);
            } else {
                put_change(&bits, change), put_difference(&bits, now ^ last, &zeros, &size);
            }
            last = now;
        }
    }
    for (int i = 2; i < 4; i++) {
        make(b, i, (size_t)b->size * LENGTH * 8);
    }
    make(b, 4, (size_t)b->size * sizeof(cl_double2));
    up(b, 0), up(b, 1);
}

static void gorilla_blocks_once(struct clbench *b) {
    cl_int blocks = (cl_int)b->size, length = LENGTH;
    launch(b, "gorilla_blocks", RANGE1(round_up(blocks, 32), 32), B(0), B(1), V(blocks), V(length), B(2), B(3), B(4));
}

static int gorilla_blocks_check(struct clbench *b) {
    const cl_long *got = b->buffer[2].host, *moments = b->buffer[5].host;
    const double *got_values = b->buffer[3].host, *values = b->buffer[6].host;
    const cl_double2 *extremes = b->buffer[4].host;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        double least = INFINITY, most = -INFINITY;
        for (long k = i * LENGTH; ok && k < (i + 1) * LENGTH; k++) {
            ok = same("moment", k, got[k], moments[k]) && near("value", k, got_values[k], values[k], 0.0);
            least = fmin(least, values[k]), most = fmax(most, values[k]);
        }
        ok = ok && near("least", i, extremes[i].s[0], least, 0.0) && near("most", i, extremes[i].s[1], most, 0.0);
    }
    return ok;
}

const struct workload round20_data_workloads[] = {
    WORKLOAD(round20_data, peptide_scores, 7, 701, 5003, 20011),
    WORKLOAD(round20_data, xdrop_extend, 33, 701, 5003, 100003),
    WORKLOAD(round20_data, gorilla_blocks, 21, 1009, 10007, 50021),
    END_OF_WORKLOADS,
};
