/* Rows. Sizes are thousands of bytes, blocks, blocks of bits, a side of a cube. */
#include "workloads.h"

enum { KINDS = 32, CHUNK = 128, SIGNATURES = 32, SHORTEST = 3, LONGEST = 11,
    STATES = SIGNATURES * LONGEST + 1, SCAN_GROUP = 128 };

/* A signature, of letters from a to z; its length is told. Some are the ends of others. */
static int signature_of(uint32_t number, char letters[LONGEST]) {
    uint32_t state = mixed_word(number / 2 + 4523);
    int length = SHORTEST + 1 + (int)(random_word(&state) % (LONGEST - SHORTEST));
    for (int i = 0; i < length; i++) {
        letters[i] = (char)('a' + random_word(&state) % 26);
    }
    if (number % 2 == 1) {
        memmove(letters, letters + 1, (size_t)--length);
    }
    return length;
}

/* The automaton: steps of a tree first, then those that go back to shorter states, level after
 * level. */
static void fill_automaton(cl_ushort *steps, cl_short2 *outputs) {
    int states = 1, links[STATES] = {0}, queue[STATES], last = 1;
    char letters[LONGEST];
    memset(steps, 0, STATES * KINDS * sizeof *steps), queue[0] = 0;
    for (int i = 0; i < STATES; i++) {
        outputs[i].s[0] = -1, outputs[i].s[1] = 0;
    }
    for (uint32_t i = 0; i < SIGNATURES; i++) {
        int state = 0, length = signature_of(i, letters);
        for (int k = 0; k < length; k++) {
            cl_ushort *step = steps + state * KINDS + letters[k] - 'a' + 1;
            *step = *step == 0 ? (cl_ushort)states++ : *step, state = *step;
        }
        outputs[state].s[0] = (cl_short)i;
    }
    for (int i = 0; i < last; i++) {
        for (int kind = 0, state = queue[i]; kind < KINDS; kind++) {
            cl_ushort *step = steps + state * KINDS + kind;
            cl_ushort back = state == 0 ? 0 : steps[links[state] * KINDS + kind];
            if (*step == 0) {
                *step = back;
                continue;
            }
            links[*step] = back, queue[last++] = *step;
            outputs[*step].s[1] = outputs[back].s[0] >= 0 ? (cl_short)back : outputs[back].s[1];
        }
    }
}

/* Letters, capital ones and others between; signatures now and then. */
static void signature_scan_prepare(struct clbench *b) {
    long length = b->size * 1000 + 1;
    unsigned char *bytes = make(b, 0, (size_t)length), *kinds = make(b, 1, 256);
    uint32_t state = 4547;
    for (long i = 0; i < length;) {
        uint32_t word = random_word(&state);
        char letters[LONGEST];
        int count = word % 64 == 0 ? signature_of(word / 64 % SIGNATURES, letters) : 0;
        for (int k = 0; k < count && i + 1 < length; k++) {
            bytes[i++] = (unsigned char)letters[k];
        }
        bytes[i++] = (unsigned char)(word >> 16 & 15 ? 'a' + (word >> 8) % 26 : word >> 8);
    }
    for (int i = 0; i < 26; i++) {
        kinds['a' + i] = (unsigned char)(i + 1);
    }
    fill_automaton(make(b, 2, STATES * KINDS * sizeof(cl_ushort)),
                   make(b, 3, STATES * sizeof(cl_short2)));
    make(b, 4, SIGNATURES * sizeof(cl_uint)), make(b, 5, SIGNATURES * sizeof(cl_uint));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void signature_scan_once(struct clbench *b) {
    cl_uint length = (cl_uint)b->buffer[0].bytes, longest = LONGEST;
    struct range pieces = RANGE1(round_up((long)(length + CHUNK - 1) / CHUNK, SCAN_GROUP),
                                 SCAN_GROUP);
    launch(b, "no_signatures", RANGE1(SIGNATURES, 0), B(4), B(5));
    launch(b, "signature_scan", pieces, B(0), V(length), B(1), B(2), B(3), V(longest), B(4), B(5));
}

/* Signature by signature. */
static int signature_scan_check(struct clbench *b) {
    const unsigned char *bytes = b->buffer[0].host;
    const cl_uint *counts = b->buffer[4].host, *firsts = b->buffer[5].host;
    long length = (long)b->buffer[0].bytes;
    int ok = 1;
    down(b, 4), down(b, 5);
    for (uint32_t i = 0; ok && i < SIGNATURES; i++) {
        char letters[LONGEST];
        long own = signature_of(i, letters), count = 0, first = UINT32_MAX;
        for (long at = 0; at + own <= length; at++) {
            if (memcmp(bytes + at, letters, (size_t)own) == 0) {
                first = count == 0 ? at + own - 1 : first, count++;
            }
        }
        ok = same("count", i, counts[i], count) && same("first", i, firsts[i], first);
    }
    return ok;
}

enum { BLOCK = 2000, LETTERS = 256 };

/* Bytes that mostly were there not long ago. */
static void front_moves_prepare(struct clbench *b) {
    unsigned char *bytes = make(b, 0, (size_t)b->size * BLOCK), row[LETTERS];
    uint32_t state = 4549;
    for (long i = 0; i < b->size * BLOCK; i++) {
        for (int k = 0; i % BLOCK == 0 && k < LETTERS; k++) {
            row[k] = (unsigned char)(k * 37 + i / BLOCK);
        }
        uint32_t word = random_word(&state),
            rank = word % 64 == 0 ? word >> 8 & 255 : (word >> 8 & 31) * (word >> 16 & 31) / 32;
        bytes[i] = row[rank], memmove(row + 1, row, rank), row[0] = bytes[i];
    }
    make(b, 1, (size_t)b->size * BLOCK), make(b, 2, (size_t)b->size * BLOCK);
    up(b, 0);
}

static void front_moves_once(struct clbench *b) {
    cl_int length = BLOCK;
    launch(b, "front_ranks", RANGE1((size_t)b->size, 1), B(0), V(length), B(1));
    launch(b, "front_moves", RANGE1((size_t)b->size, 1), B(1), V(length), B(2));
}

/* A rank is how many bytes of other kinds there were since; of those that were not there yet, the
 * lower ones count as well. */
static long rank_of(const unsigned char *bytes, long at) {
    unsigned char is_seen[LETTERS] = {0};
    long count = 0;
    for (long i = at - 1; i >= 0; i--) {
        if (bytes[i] == bytes[at]) {
            return count;
        }
        count += !is_seen[bytes[i]], is_seen[bytes[i]] = 1;
    }
    for (int letter = 0; letter < bytes[at]; letter++) {
        count += !is_seen[letter];
    }
    return count;
}

static int front_moves_check(struct clbench *b) {
    const unsigned char *bytes = b->buffer[0].host, *ranks = b->buffer[1].host;
    const unsigned char *got = b->buffer[2].host;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < b->size * BLOCK; i++) {
        ok = same("rank", i, ranks[i], rank_of(bytes + i / BLOCK * BLOCK, i % BLOCK)) &&
            same("byte", i, got[i], bytes[i]);
    }
    return ok;
}

enum { WORDS = 8, QUESTIONS = 8, SCANNERS = 256 };

static long question_count(const struct clbench *b) { return b->size * QUESTIONS; }

/* Regions with few ones, and with many. A few questions are for more ones than there are. */
static void select_bits_prepare(struct clbench *b) {
    cl_ulong *words = make(b, 0, (size_t)(b->size * WORDS) * sizeof *words);
    cl_uint *numbers = make(b, 2, (size_t)question_count(b) * sizeof *numbers), ones = 0;
    uint32_t state = 4561;
    for (long i = 0; i < b->size * WORDS; i++) {
        words[i] = UINT64_MAX;
        for (uint32_t k = 0; k <= mixed_word((uint32_t)(i / 300)) % 6; k++) {
            uint64_t high = random_word(&state);
            words[i] &= high << 32 | random_word(&state);
        }
        ones += (cl_uint)__builtin_popcountll(words[i]);
    }
    for (long i = 0; i < question_count(b); i++) {
        numbers[i] = (cl_uint)(((uint64_t)random_word(&state) * (ones + ones / 100)) >> 32);
    }
    make(b, 1, (size_t)(b->size + 1) * sizeof(cl_uint));
    make(b, 3, (size_t)question_count(b) * sizeof *numbers);
    up(b, 0), up(b, 2);
}

static void select_bits_once(struct clbench *b) {
    cl_int blocks = (cl_int)b->size;
    launch(b, "count_ones", RANGE1((size_t)b->size, 0), B(0), B(1));
    launch(b, "scan_ones", RANGE1(SCANNERS, SCANNERS), B(1), V(blocks));
    launch(b, "select_bits", RANGE1((size_t)question_count(b), 0), B(0), B(1), V(blocks), B(2),
           B(3));
}

/* Bit after bit. */
static int select_bits_check(struct clbench *b) {
    const cl_ulong *words = b->buffer[0].host;
    const cl_uint *numbers = b->buffer[2].host, *got = b->buffer[3].host;
    long bits = b->size * WORDS * 64, ones = 0;
    cl_uint *places = malloc((size_t)bits * sizeof *places);
    int ok = 1;
    down(b, 3);
    for (long i = 0; i < bits; i++) {
        places[ones] = (cl_uint)i, ones += (long)(words[i / 64] >> i % 64 & 1);
    }
    for (long i = 0; ok && i < question_count(b); i++) {
        ok = same("place", i, got[i], numbers[i] < ones ? places[numbers[i]] : UINT32_MAX);
    }
    free(places);
    return ok;
}

enum { DIAGONALS = 7, ROWS = 256, TURNS = 16 };

static long rows_of(const struct clbench *b) { return b->size * b->size * b->size; }

/* How well heat goes from a cell of the cube to the next one along an axis; nothing leaves the cube
 * that way. */
static double flow_between(const struct clbench *b, long row, int axis) {
    long step = axis == 0 ? 1 : axis == 1 ? b->size : b->size * b->size;
    return row / step % b->size == b->size - 1 ? 0.0
        : 0.5 + mixed_word((uint32_t)(3 * row + axis)) % 64 / 64.0;
}

/* How well it goes from the one before. */
static double flow_before(const struct clbench *b, long row, int axis) {
    long step = axis == 0 ? 1 : axis == 1 ? b->size : b->size * b->size;
    return row / step % b->size == 0 ? 0.0 : flow_between(b, row - step, axis);
}

static void dia_chebyshev_prepare(struct clbench *b) {
    long rows = rows_of(b), steps[3] = {1, b->size, b->size * b->size};
    double *diagonals = make(b, 0, (size_t)rows * DIAGONALS * sizeof *diagonals);
    double *right = make(b, 2, (size_t)rows * sizeof *right);
    int *offsets = make(b, 1, DIAGONALS * sizeof *offsets);
    for (int axis = 0; axis < 3; axis++) {
        offsets[3 + axis + 1] = (int)steps[axis], offsets[3 - axis - 1] = -(int)steps[axis];
    }
    for (long i = 0; i < rows; i++) {
        diagonals[3 * rows + i] = 0.5, right[i] = mixed_word((uint32_t)i) / 4294967296.0 - 0.5;
        for (int axis = 0; axis < 3; axis++) {
            double after = flow_between(b, i, axis), before = flow_before(b, i, axis);
            diagonals[(4 + axis) * rows + i] = -after, diagonals[(2 - axis) * rows + i] = -before;
            diagonals[3 * rows + i] += after + before;
        }
    }
    for (int i = 3; i < 6; i++) {
        make(b, i, (size_t)rows * sizeof *right);
    }
    up(b, 0), up(b, 1), up(b, 2);
}

/* Chebyshev's factors for values of the matrix between 0.5 and 18.5. */
static void next_factors(int turn, double *share, cl_double *keep, cl_double *add) {
    double middle = 9.5, half = 9.0, before = *share;
    *share = turn == 0 ? half / middle : 1.0 / (2.0 * middle / half - before);
    *keep = turn == 0 ? 0.0 : *share * before;
    *add = turn == 0 ? 1.0 / middle : 2.0 * *share / half;
}

static void dia_chebyshev_once(struct clbench *b) {
    cl_int count = DIAGONALS, rows = (cl_int)rows_of(b);
    cl_double keep, add;
    double share = 0.0;
    launch(b, "no_guess", RANGE1((size_t)rows, 0), B(3));
    for (int turn = 0; turn < TURNS; turn++) {
        int from = 3 + turn % 2, to = 4 - turn % 2;
        next_factors(turn, &share, &keep, &add);
        launch(b, "dia_chebyshev", RANGE1(round_up(rows, ROWS), ROWS), B(0), B(1), V(count),
               V(rows), B(2), B(from), V(keep), V(add), B(5), B(to));
    }
}

/* The same steps by what flows between cells, and whether they solve the system. */
static int dia_chebyshev_check(struct clbench *b) {
    const double *right = b->buffer[2].host, *got = b->buffer[3].host;
    long rows = rows_of(b), steps[3] = {1, b->size, b->size * b->size};
    double *guess = calloc((size_t)rows * 3, sizeof *guess), *rest = guess + rows;
    double *way = rest + rows, share = 0.0, left = 0.0;
    int ok = 1;
    down(b, 3);
    for (int turn = 0; turn < TURNS; turn++) {
        cl_double keep, add;
        next_factors(turn, &share, &keep, &add);
        for (long i = 0; i < rows; i++) {
            rest[i] = right[i] - 0.5 * guess[i];
        }
        for (long i = 0; i < 3 * rows; i++) {
            long at = i / 3, other = at + steps[i % 3] < rows ? at + steps[i % 3] : at;
            double flow = flow_between(b, at, (int)(i % 3)) * (guess[at] - guess[other]);
            rest[at] -= flow, rest[other] += flow;
        }
        left = 0.0;
        for (long i = 0; i < rows; i++) {
            way[i] = keep * way[i] + add * rest[i], guess[i] += way[i];
            left = fmax(left, fabs(rest[i]));
        }
    }
    for (long i = 0; ok && i < rows; i++) {
        ok = near("guess", i, got[i], guess[i], 1e-10);
    }
    free(guess);
    return ok && same("little is left", 0, left < 0.02, 1);
}

const struct workload round27_rows_workloads[] = {
    WORKLOAD(round27_rows, signature_scan, 11, 700, 3000, 15000),
    WORKLOAD(round27_rows, front_moves, 5, 211, 1009, 5003),
    WORKLOAD(round27_rows, select_bits, 300, 8009, 30011, 120011),
    WORKLOAD(round27_rows, dia_chebyshev, 7, 35, 61, 101),
    END_OF_WORKLOADS,
};
