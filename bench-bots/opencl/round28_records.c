/* Records. Sizes are numbers, names, blocks of numbers. */
#include "workloads.h"

static const cl_uchar small_primes[] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61,
    67, 71};

/* Odd numbers below 2^62, some of them products of two large ones. */
static void strong_primes_prepare(struct clbench *b) {
    cl_ulong *numbers = make(b, 0, (size_t)b->size * sizeof *numbers);
    uint32_t state = 4721;
    for (long i = 0; i < b->size; i++) {
        uint64_t high = random_word(&state), low = random_word(&state);
        numbers[i] = i % 4 == 0 ? (high >> 1 | 1) * (low >> 1 | 1) : (high << 32 | low) >> (2 + i % 16) | 1;
    }
    make(b, 1, (size_t)b->size), make(b, 2, 3 * sizeof(cl_uint));
    up(b, 0);
}

static void strong_primes_once(struct clbench *b) {
    launch(b, "no_totals", RANGE1(3, 3), B(2));
    launch(b, "strong_primes", RANGE1((size_t)b->size, 1), B(0), B(1), B(2));
}

static uint64_t power_modulo(uint64_t base, uint64_t power, uint64_t n) {
    uint64_t result = 1;
    for (base %= n; power > 0; power /= 2) {
        result = power % 2 ? (uint64_t)((unsigned __int128)result * base % n) : result;
        base = (uint64_t)((unsigned __int128)base * base % n);
    }
    return result;
}

/* With Sinclair's seven bases, which are enough as well. */
static int is_prime(uint64_t n) {
    static const uint64_t bases[7] = {2, 325, 9375, 28178, 450775, 9780504, 1795265022};
    int twos = __builtin_ctzll(n - 1), ok = 1;
    for (int i = 0; ok && i < 7; i++) {
        uint64_t power = power_modulo(bases[i], (n - 1) >> twos, n);
        ok = power <= 1 || bases[i] % n == 0;
        for (int k = 0; !ok && k < twos; k++) {
            ok = power == n - 1, power = (uint64_t)((unsigned __int128)power * power % n);
        }
    }
    return ok;
}

static int strong_primes_check(struct clbench *b) {
    const cl_ulong *numbers = b->buffer[0].host;
    const unsigned char *got = b->buffer[1].host;
    const cl_uint *totals = b->buffer[2].host;
    long counts[3] = {0};
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        long want = 1;
        for (size_t k = 0; k < sizeof small_primes; k++) {
            want = numbers[i] % small_primes[k] == 0 ? 0 : want;
        }
        want = want == 1 && is_prime(numbers[i]) ? 2 : want;
        counts[want]++, ok = same("answer", i, got[i], want);
    }
    for (int i = 0; ok && i < 3; i++) {
        ok = same("total", i, totals[i], counts[i]) && same("all kinds are there", i, counts[i] > 0, 1);
    }
    return ok;
}

enum { LETTERS = 24, WANTED = 37, SQUARE = 16 };
static const cl_float least_alike = 0.92f;

/* A name of syllables, with a slip of the pen. */
static void spell(unsigned char *name, uint32_t number, uint32_t slip) {
    static const char *const parts[16] = {"an", "ber", "cho", "da", "el", "fri", "gar", "hol",
        "ing", "jo", "kas", "lin", "mar", "nov", "son", "wies"};
    size_t length = 0;
    for (uint32_t word = mixed_word(number), i = 0; i < 2 + number % 4; i++, word >>= 4) {
        size_t more = strlen(parts[word & 15]);
        memcpy(name + length, parts[word & 15], more), length += more;
    }
    size_t at = slip / 4 % (length - 1);
    unsigned char letter = name[at];
    if (slip % 4 == 1) {
        name[at] = name[at + 1], name[at + 1] = letter;
    } else if (slip % 4 == 2) {
        memmove(name + at, name + at + 1, length - at);
    } else if (slip % 4 == 3) {
        name[at] = (unsigned char)('a' + slip / 64 % 26);
    }
}

static void jaro_names_prepare(struct clbench *b) {
    unsigned char *names = make(b, 0, (size_t)b->size * LETTERS), *wanted = make(b, 1, WANTED * LETTERS);
    uint32_t state = 4723;
    for (long i = 0; i < b->size; i++) {
        uint32_t word = random_word(&state);
        spell(names + i * LETTERS, word % 997, word >> 12);
    }
    for (uint32_t i = 0; i < WANTED; i++) {
        spell(wanted + i * LETTERS, i * 23, 0);
    }
    make(b, 2, (size_t)b->size * WANTED), make(b, 3, WANTED * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void jaro_names_once(struct clbench *b) {
    cl_int name_count = (cl_int)b->size, wanted_count = WANTED;
    struct range range = RANGE2(round_up(b->size, SQUARE), round_up(WANTED, SQUARE), SQUARE, SQUARE);
    launch(b, "no_totals", RANGE1(WANTED, 1), B(3));
    launch(b, "jaro_names", range, B(0), V(name_count), B(1), V(wanted_count), V(least_alike), B(2), B(3));
}

/* With copies of the names, whose letters are crossed out. */
static double alike(const unsigned char *a, const unsigned char *b) {
    char left[LETTERS + 1] = {0}, right[LETTERS + 1] = {0}, a_row[LETTERS + 1], b_row[LETTERS + 1];
    memcpy(left, a, LETTERS), memcpy(right, b, LETTERS);
    int m = (int)strlen(left), n = (int)strlen(right), found = 0, count = 0, others = 0, start = 0;
    int reach = (m > n ? m : n) / 2 - 1;
    for (; start < 4 && left[start] == right[start] && left[start] != 0; start++) {
    }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < n; k++) {
            if (abs(i - k) <= (reach < 0 ? 0 : reach) && left[i] == right[k]) {
                a_row[found++] = left[i], right[k] = '*';
                break;
            }
        }
    }
    for (int k = 0; k < n; k++) {
        if (right[k] == '*') {
            b_row[count++] = (char)b[k];
        }
    }
    for (int i = 0; i < found; i++) {
        others += a_row[i] != b_row[i];
    }
    double share = found, value = found == 0 ? 0.0
        : (share / m + share / n + (share - others / 2) / share) / 3.0;
    value = value > 0.6999 ? value + 0.1 * start * (1.0 - value) : value;
    return m * 3 < n || n * 3 < m ? 0.0 : value;
}

/* A score at the border may be rounded to both sides. */
static int jaro_names_check(struct clbench *b) {
    const unsigned char *names = b->buffer[0].host, *wanted = b->buffer[1].host;
    const unsigned char *scores = b->buffer[2].host;
    const cl_int *matches = b->buffer[3].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long row = 0; ok && row < WANTED; row++) {
        long count = 0, unsure = 0;
        for (long i = 0; ok && i < b->size; i++) {
            double want = alike(wanted + row * LETTERS, names + i * LETTERS), apart = want - 0.92;
            count += apart > 0.0, unsure += fabs(apart) < 1e-5;
            ok = near("score", row * b->size + i, scores[row * b->size + i], 200.0 * want,
                      0.501 / fmax(200.0 * want, 1.0));
        }
        ok = ok && near("matches", row, matches[row], (double)count,
                        ((double)unsure + 0.1) / fmax((double)count, 1.0));
    }
    return ok;
}

enum { BLOCK = 256, PLANES = 32, PLANE_WORDS = 8 };

/* Measurements that mostly change little; some blocks do not change at all, others are wild. */
static void bit_planes_prepare(struct clbench *b) {
    cl_int *numbers = make(b, 0, (size_t)(b->size * BLOCK) * sizeof *numbers);
    uint32_t state = 4729, value = 0;
    for (long i = 0; i < b->size * BLOCK; i++) {
        uint32_t wide = mixed_word((uint32_t)(i / BLOCK)) % 20, word = random_word(&state);
        value += wide == 0 ? 0 : wide == 19 ? word : (word >> 8) % (1u << wide) - (1u << wide) / 2;
        numbers[i] = (cl_int)value;
    }
    make(b, 1, (size_t)b->size * sizeof(cl_uint));
    make(b, 2, (size_t)(b->size * BLOCK) * sizeof(cl_uint)), make(b, 3, b->buffer[0].bytes);
    up(b, 0);
}

static void bit_planes_once(struct clbench *b) {
    launch(b, "pack_planes", RANGE1((size_t)b->size * BLOCK, BLOCK), B(0), B(1), B(2));
    launch(b, "bit_planes", RANGE1((size_t)b->size * PLANE_WORDS, PLANE_WORDS), B(1), B(2), B(3));
}

/* Plane after plane, bit after bit. */
static int bit_planes_check(struct clbench *b) {
    const cl_int *numbers = b->buffer[0].host, *again = b->buffer[3].host;
    const cl_uint *masks = b->buffer[1].host, *packed = b->buffer[2].host;
    int ok = 1;
    down(b, 1), down(b, 2), down(b, 3);
    for (long block = 0; ok && block < b->size; block++) {
        const cl_uint *plane = packed + block * BLOCK;
        cl_uint steps[BLOCK], all = 0;
        for (long i = 0; i < BLOCK; i++) {
            int64_t step = (cl_int)((cl_uint)numbers[block * BLOCK + i] -
                                    (i == 0 ? 0 : (cl_uint)numbers[block * BLOCK + i - 1]));
            steps[i] = (cl_uint)(step < 0 ? -2 * step - 1 : 2 * step), all |= steps[i];
        }
        ok = same("mask", block, masks[block], all);
        for (int p = 0; ok && p < PLANES; plane += (all >> p & 1) * PLANE_WORDS, p++) {
            for (long i = 0; ok && (all >> p & 1) && i < BLOCK; i++) {
                ok = same("bit", block * BLOCK + i, plane[i / 32] >> i % 32 & 1, steps[i] >> p & 1);
            }
        }
    }
    return ok && same("all is found again", 0, memcmp(numbers, again, b->buffer[0].bytes), 0);
}

const struct workload round28_records_workloads[] = {
    WORKLOAD(round28_records, strong_primes, 101, 10007, 30011, 100003),
    WORKLOAD(round28_records, jaro_names, 61, 1501, 7001, 30011),
    WORKLOAD(round28_records, bit_planes, 7, 1501, 7001, 30011),
    END_OF_WORKLOADS,
};
