/* Data. Sizes are sequences, reads, places. */
#include "workloads.h"

enum { STATES = 48, SYMBOLS = 21, ITEMS = 64 };

/* Sequences have 20 to 99 symbols. No state shows the last symbol, which few sequences have. */
static void hmm_forward_prepare(struct clbench *b) {
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    uint32_t state = 891;
    for (long i = 0; i < b->size; i++) {
        starts[i + 1] = starts[i] + 20 + (cl_int)(random_word(&state) % 80);
    }
    unsigned char *symbols = make(b, 0, (size_t)starts[b->size]);
    for (cl_int i = 0; i < starts[b->size]; i++) {
        symbols[i] = (unsigned char)(random_word(&state) % 700 == 5 ? SYMBOLS - 1 : random_word(&state) % (SYMBOLS - 1));
    }
    float *begin = make(b, 2, STATES * sizeof *begin), *moves = make(b, 3, STATES * STATES * sizeof *moves);
    float *shows = make(b, 4, STATES * SYMBOLS * sizeof *shows);
    fill_between(begin, STATES, 892, 0.0f, 2.0f / STATES);
    fill_between(moves, STATES * STATES, 893, 0.0f, 2.0f / STATES);
    fill_between(shows, STATES * SYMBOLS, 894, 0.0f, 2.0f / SYMBOLS);
    for (int i = 0; i < STATES; i++) {
        shows[i * SYMBOLS + SYMBOLS - 1] = 0.0f;
    }
    make(b, 5, (size_t)b->size * sizeof(float));
    for (int i = 0; i < 5; i++) {
        up(b, i);
    }
}

static void hmm_forward_once(struct clbench *b) {
    cl_int symbols = SYMBOLS;
    launch(b, "hmm_forward", RANGE1((size_t)b->size * ITEMS, ITEMS), B(0), B(1), V(symbols), B(2), B(3), B(4), B(5));
}

/* The logarithm is that of a product which no scaling has kept near 1 before its end. */
static double likelihood_of(struct clbench *b, const unsigned char *symbols, int count) {
    const float *begin = b->buffer[2].host, *moves = b->buffer[3].host, *shows = b->buffer[4].host;
    double now[STATES], next[STATES], sum = 0.0;
    for (int t = 0; t < count; t++) {
        for (int j = 0; j < STATES; j++) {
            next[j] = t == 0 ? begin[j] : 0.0;
            for (int i = 0; t > 0 && i < STATES; i++) {
                next[j] += now[i] * moves[i * STATES + j];
            }
            next[j] *= shows[j * SYMBOLS + symbols[t]];
        }
        memcpy(now, next, sizeof now);
    }
    for (int j = 0; j < STATES; j++) {
        sum += now[j];
    }
    return log(sum);
}

static int hmm_forward_check(struct clbench *b) {
    const cl_int *starts = b->buffer[1].host;
    const float *got = b->buffer[5].host;
    long never = 0;
    int ok = 1;
    down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        double want = likelihood_of(b, (unsigned char *)b->buffer[0].host + starts[i], starts[i + 1] - starts[i]);
        never += isinf(want) != 0;
        ok = isinf(want) ? same("never", i, isinf(got[i]) && got[i] < 0.0f, 1) : near("likelihood", i, got[i], want, 1e-5);
    }
    return ok && same("some may be", 0, never > 0 && never < b->size, 1);
}

enum { WORD = 9, WORDS = 1 << 2 * WORD, BINS = 32 };

/* Reads of 40 to 239 letters from both strands of a genome that holds a quarter of their letters; some are not known. */
static void kmer_counts_prepare(struct clbench *b) {
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    long length = b->size * 35 + 240;
    char *genome = malloc((size_t)length);
    uint32_t state = 901;
    for (long i = 0; i < length; i++) {
        genome[i] = (char)(random_word(&state) % 4);
    }
    for (long i = 0; i < b->size; i++) {
        starts[i + 1] = starts[i] + 40 + (cl_int)(random_word(&state) % 200);
    }
    char *letters = make(b, 0, (size_t)starts[b->size]);
    for (long i = 0; i < b->size; i++) {
        long from = random_word(&state) % (uint32_t)(length - 240), count = starts[i + 1] - starts[i];
        uint32_t strand = random_word(&state) % 2, kind = random_word(&state) % 5;
        for (long k = 0; k < count; k++) {
            int letter = strand ? genome[from + k] : 3 - genome[from + count - 1 - k];
            letters[starts[i] + k] = random_word(&state) % 150 == 7 ? 'N' : (kind == 0 ? "acgt" : "ACGT")[letter];
        }
    }
    free(genome);
    make(b, 2, WORDS * sizeof(cl_uint));
    make(b, 3, BINS * sizeof(cl_uint));
    up(b, 0), up(b, 1);
}

static void kmer_counts_once(struct clbench *b) {
    cl_int reads = (cl_int)b->size;
    cl_uint words = WORDS;
    memset(b->buffer[2].host, 0, b->buffer[2].bytes);
    memset(b->buffer[3].host, 0, b->buffer[3].bytes);
    up(b, 2), up(b, 3);
    launch(b, "kmer_counts", RANGE1(round_up(reads, 64), 64), B(0), B(1), V(reads), B(2));
    launch(b, "kmer_spectrum", RANGE1(16 * 128, 128), B(2), V(words), B(3));
}

/* Each word is read anew, in both directions. */
static long word_at(const char *letters, int count) {
    long forward = 0, backward = 0;
    if (count < WORD) {
        return -1;
    }
    for (int i = 0; i < WORD; i++) {
        const char *one = strchr("ACGTacgt", letters[i]), *other = strchr("TGCAtgca", letters[WORD - 1 - i]);
        if (one == NULL || other == NULL) {
            return -1;
        }
        forward = forward * 4 + (one - strchr("ACGTacgt", letters[i] < 'a' ? 'A' : 'a'));
        backward = backward * 4 + (other - strchr("TGCAtgca", letters[WORD - 1 - i] < 'a' ? 'T' : 't'));
    }
    return forward < backward ? forward : backward;
}

static int kmer_counts_check(struct clbench *b) {
    const char *letters = b->buffer[0].host;
    const cl_int *starts = b->buffer[1].host;
    const cl_uint *got = b->buffer[2].host, *spectrum = b->buffer[3].host;
    cl_uint *want = calloc(WORDS, sizeof *want);
    long bins[BINS] = {0};
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long read = 0; read < b->size; read++) {
        for (cl_int i = starts[read]; i < starts[read + 1]; i++) {
            long word = word_at(letters + i, starts[read + 1] - i);
            if (word >= 0) {
                want[word]++;
            }
        }
    }
    for (long word = 0; ok && word < WORDS; word++) {
        ok = same("count", word, got[word], want[word]);
        bins[want[word] < BINS ? want[word] : BINS - 1] += want[word] > 0;
    }
    for (long bin = 0; ok && bin < BINS; bin++) {
        ok = same("spectrum", bin, spectrum[bin], bins[bin]);
    }
    free(want);
    return ok;
}

enum { REGIONS = 61, SPACE = 1 << 20 };

/* Stars of 5 to 60 corners around places of their own, some one above the other. */
static void find_region_prepare(struct clbench *b) {
    cl_int2 *places = make(b, 0, (size_t)b->size * sizeof *places);
    cl_int4 *boxes = make(b, 1, REGIONS * sizeof *boxes);
    cl_int *starts = make(b, 2, (REGIONS + 1) * sizeof *starts);
    cl_int2 *corners = make(b, 3, REGIONS * 60 * sizeof *corners);
    uint32_t state = 911;
    for (long i = 0; i < b->size; i++) {
        places[i].s[0] = (cl_int)(random_word(&state) >> 3) % SPACE;
        places[i].s[1] = (cl_int)(random_word(&state) >> 3) % SPACE;
    }
    for (int r = 0; r < REGIONS; r++) {
        double x = SPACE * (double)random_unit(&state), y = SPACE * (double)random_unit(&state);
        double size = SPACE * (0.05 + 0.1 * random_unit(&state));
        int count = 5 + (int)(random_word(&state) % 56);
        starts[r + 1] = starts[r] + count;
        boxes[r] = (cl_int4){{INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN}};
        for (int c = 0; c < count; c++) {
            double turn = 2.0 * acos(-1.0) * c / count, far = size * (0.4 + 0.6 * random_unit(&state));
            cl_int2 *corner = &corners[starts[r] + c];
            corner->s[0] = (cl_int)(x + far * cos(turn)), corner->s[1] = (cl_int)(y + far * sin(turn));
            for (int axis = 0; axis < 2; axis++) {
                boxes[r].s[axis] = corner->s[axis] < boxes[r].s[axis] ? corner->s[axis] : boxes[r].s[axis];
                boxes[r].s[2 + axis] = corner->s[axis] > boxes[r].s[2 + axis] ? corner->s[axis] : boxes[r].s[2 + axis];
            }
        }
    }
    make(b, 4, (size_t)b->size * sizeof(cl_int));
    for (int i = 0; i < 4; i++) {
        up(b, i);
    }
}

static void find_region_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, regions = REGIONS;
    launch(b, "find_region", RANGE1(round_up(count, 128), 128), B(0), V(count), B(1), B(2), V(regions), B(3), B(4));
}

/* How often a border goes around a place: up on its right is one, down on its right one back. Stars go around once or not at all.
 * Products are below 2^43, so that doubles have them exactly. */
static long turns_around(const cl_int2 *corners, int count, const cl_int2 *place) {
    long turns = 0;
    for (int c = 0; c < count; c++) {
        const cl_int2 *a = &corners[c], *b = &corners[(c + 1) % count];
        double ax = (double)a->s[0] - place->s[0], ay = (double)a->s[1] - place->s[1];
        double bx = (double)b->s[0] - place->s[0], by = (double)b->s[1] - place->s[1];
        double cross = ax * by - ay * bx;
        if (ay <= 0.0 && by > 0.0 && cross > 0.0) {
            turns++;
        } else if (ay > 0.0 && by <= 0.0 && cross < 0.0) {
            turns--;
        }
    }
    return turns;
}

static int find_region_check(struct clbench *b) {
    const cl_int2 *places = b->buffer[0].host, *corners = b->buffer[3].host;
    const cl_int *starts = b->buffer[2].host, *got = b->buffer[4].host;
    long inside = 0;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        long want = 0;
        while (want < REGIONS && turns_around(corners + starts[want], starts[want + 1] - starts[want], &places[i]) == 0) {
            want++;
        }
        inside += want < REGIONS;
        ok = same("region", i, got[i], want < REGIONS ? want : -1);
    }
    return ok && same("some are inside", 0, inside * 10 > b->size && inside * 10 < b->size * 9, 1);
}

const struct workload round8_data_workloads[] = {
    WORKLOAD(round8_data, hmm_forward, 37, 61, 203, 1009),
    WORKLOAD(round8_data, kmer_counts, 150, 2003, 10007, 100003),
    WORKLOAD(round8_data, find_region, 501, 20011, 100003, 600011),
    END_OF_WORKLOADS,
};
