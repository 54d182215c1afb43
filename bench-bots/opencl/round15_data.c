/* Data. Sizes are reads, containers of a set, words of a code. */
#include "workloads.h"

enum { READ_BASES = 24, BASES_EACH = 16, KEPT_EACH = 16, MOST_LOCATED = 4 };

struct block {
    cl_uint counts[4];
    cl_ulong letters[2];
};

/* The text whose suffixes are being sorted: letters are 1 to 4, and a 0 ends it. */
static const unsigned char *sorted_text;

static int by_suffix(const void *a, const void *b) {
    return strcmp((const char *)sorted_text + *(const cl_uint *)a, (const char *)sorted_text + *(const cl_uint *)b);
}

/* A text parts of which come again. */
static void make_text(unsigned char *text, long bases) {
    uint32_t state = 1823;
    long copied = 0, from = 0;
    for (long i = 0; i < bases; i++) {
        if (copied == 0 && i > 2000 && random_word(&state) % 400 == 0) {
            copied = 30 + random_word(&state) % 100, from = random_word(&state) % (uint32_t)(i - 200);
        }
        text[i] = copied > 0 ? text[from] : (unsigned char)(1 + random_word(&state) % 4);
        copied -= copied > 0, from++;
    }
    text[bases] = 0;
}

/* The block's letters are those before each suffix, in the order of these. Buffers 6 and 7 are for this side alone. */
static void fm_search_prepare(struct clbench *b) {
    long bases = b->size * BASES_EACH, rows = bases + 1, blocks = rows / 64 + 1;
    struct block *block = make(b, 0, (size_t)blocks * sizeof *block);
    cl_uint *firsts = make(b, 1, 4 * sizeof *firsts), *kept = make(b, 2, (size_t)(rows / KEPT_EACH + 1) * sizeof *kept);
    cl_ulong *reads = make(b, 3, (size_t)b->size * sizeof *reads);
    unsigned char *text = make(b, 6, (size_t)rows);
    cl_uint *suffixes = make(b, 7, (size_t)rows * sizeof *suffixes), counts[4] = {0};
    uint32_t state = 1831;
    make_text(text, bases);
    for (long i = 0; i < rows; i++) {
        suffixes[i] = (cl_uint)i;
    }
    sorted_text = text;
    qsort(suffixes, (size_t)rows, sizeof *suffixes, by_suffix);
    for (long i = 0; i < blocks * 64; i++) {
        cl_ulong letter = i < rows && suffixes[i] > 0 ? text[suffixes[i] - 1] - 1u : 0;
        if (i % 64 == 0) {
            memcpy(block[i / 64].counts, counts, sizeof counts);
        }
        block[i / 64].letters[i / 32 % 2] |= letter << i % 32 * 2;
        counts[letter]++;
        if (i < rows && i % KEPT_EACH == 0) {
            kept[i / KEPT_EACH] = suffixes[i];
        }
    }
    firsts[0] = 1;
    for (long i = 0; i < bases; i++) {
        for (int letter = text[i]; letter < 4; letter++) {
            firsts[letter]++;
        }
    }
    for (int letter = 1; letter < 4; letter++) {
        firsts[letter]++;
    }
    for (long i = 0; i < b->size; i++) {
        long from = random_word(&state) % (uint32_t)(bases - READ_BASES), wrong = random_word(&state) % (READ_BASES * 3);
        int is_other = random_word(&state) % 2;
        for (long k = 0; k < READ_BASES; k++) {
            cl_ulong letter = is_other ? 4u - text[from + READ_BASES - 1 - k] : text[from + k] - 1u;
            reads[i] |= (k == wrong ? (letter + 1) % 4 : letter) << 2 * k;
        }
    }
    make(b, 4, (size_t)b->size * sizeof(cl_int4));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void fm_search_once(struct clbench *b) {
    cl_uint rows = (cl_uint)b->size * BASES_EACH + 1, end_row = 0;
    cl_int count = (cl_int)b->size;
    for (const cl_uint *suffixes = b->buffer[7].host; suffixes[end_row] != 0;) {
        end_row++;
    }
    launch(b, "fm_search", RANGE1(round_up(count, 64), 64), B(0), V(rows), V(end_row), B(1), B(2), B(3), V(count), B(4));
}

/* The first suffix, in order, that begins with letters or comes after those that do. */
static long first_suffix(const struct clbench *b, const char *letters, int is_after) {
    const cl_uint *suffixes = b->buffer[7].host;
    const char *text = b->buffer[6].host;
    long low = 0, high = b->size * BASES_EACH + 1;
    while (low < high) {
        long middle = (low + high) / 2;
        int order = strncmp(text + suffixes[middle], letters, READ_BASES);
        if (order < 0 || (is_after && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int fm_search_check(struct clbench *b) {
    const cl_ulong *reads = b->buffer[3].host;
    const cl_int4 *got = b->buffer[4].host;
    const cl_uint *suffixes = b->buffer[7].host;
    long absent = 0, many = 0;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        char letters[READ_BASES];
        for (int strand = 0; ok && strand < 2; strand++) {
            for (int k = 0; k < READ_BASES; k++) {
                int letter = (int)(reads[i] >> 2 * (strand == 0 ? k : READ_BASES - 1 - k) & 3);
                letters[k] = (char)(strand == 0 ? 1 + letter : 4 - letter);
            }
            long first = first_suffix(b, letters, 0), last = first_suffix(b, letters, 1), least = last > first ? INT32_MAX : -1;
            for (long k = first; k < last && k < first + MOST_LOCATED; k++) {
                least = suffixes[k] < least ? suffixes[k] : least;
            }
            ok = same("times", 2 * i + strand, got[i].s[2 * strand], last - first) &&
                 same("place", 2 * i + strand, got[i].s[2 * strand + 1], least);
            absent += last == first, many += last > first + 1;
        }
    }
    return ok && same("reads are of all kinds", 0, absent > b->size && absent < b->size * 2 && many > b->size / 50, 1);
}

enum { SET_WORDS = 2048, SET_ITEMS = 64, MOST_LISTED = 4096, BITS = 65536 };
enum kind { LIST, BITMAP, RUNS };

struct container {
    cl_uint key, kind, count, start;
};

/* A random set of one of the three kinds. Gives how many words of the pool it takes, which are SET_WORDS at most. */
static long make_container(struct container *container, cl_uint *words, uint32_t *state) {
    cl_ushort *halves = (cl_ushort *)words;
    long at = random_word(state) % 64, last, count = 0;
    switch (container->kind = random_word(state) % 3) {
    case LIST:
        for (uint32_t apart = 20 + random_word(state) % 100; at < BITS; at += 1 + random_word(state) % (2 * apart)) {
            if (count < MOST_LISTED) {
                halves[count++] = (cl_ushort)at;
            }
        }
        break;
    case BITMAP:
        for (long i = 0; i < SET_WORDS; i++) {
            words[i] = random_word(state) | (i % 5 == 0 ? random_word(state) : 0);
            for (cl_uint left = words[i]; left != 0; left &= left - 1) {
                count++;
            }
        }
        break;
    default:
        for (uint32_t apart = 50 + random_word(state) % 400; at < BITS; at = last + 2 + random_word(state) % (2 * apart)) {
            last = at + random_word(state) % apart;
            last = last < BITS ? last : BITS - 1;
            if (count < MOST_LISTED / 4) {
                halves[2 * count] = (cl_ushort)at, halves[2 * count + 1] = (cl_ushort)(last - at), count++;
            }
        }
    }
    container->count = (cl_uint)count;
    return container->kind == LIST ? (count + 1) / 2 : container->kind == RUNS ? count : SET_WORDS;
}

/* A set of containers and its pool, in two buffers. */
static void make_set(struct clbench *b, int i, uint32_t seed) {
    struct container *containers = make(b, i, (size_t)b->size * sizeof *containers);
    cl_uint *pool = make(b, i + 1, (size_t)(b->size * SET_WORDS) * sizeof *pool), key = 0, start = 0;
    for (long k = 0; k < b->size; k++) {
        key += 1 + (random_word(&seed) % 4 == 0);
        containers[k] = (struct container){key, 0, 0, start};
        start += (cl_uint)make_container(containers + k, pool + start, &seed);
    }
    up(b, i), up(b, i + 1);
}

static void roaring_and_prepare(struct clbench *b) {
    make_set(b, 0, 1847), make_set(b, 2, 1861);
    make(b, 4, (size_t)b->size * sizeof(struct container)), make(b, 5, (size_t)(b->size * SET_WORDS) * sizeof(cl_uint));
}

static void roaring_and_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "roaring_and", RANGE1((size_t)count * SET_ITEMS, SET_ITEMS), B(0), B(1), B(2), V(count), B(3), B(4), B(5));
}

/* Adds one to each of the container's numbers. */
static void add_numbers(const struct container *container, const cl_uint *pool, unsigned char *numbers) {
    const cl_uint *words = pool + container->start;
    const cl_ushort *halves = (const cl_ushort *)words;
    for (long i = 0; container->kind == LIST && i < container->count; i++) {
        numbers[halves[i]]++;
    }
    for (long i = 0; container->kind == BITMAP && i < BITS; i++) {
        numbers[i] = (unsigned char)(numbers[i] + (words[i / 32] >> i % 32 & 1));
    }
    for (long i = 0; container->kind == RUNS && i < container->count; i++) {
        for (long k = 0; k <= halves[2 * i + 1]; k++) {
            numbers[halves[2 * i] + k]++;
        }
    }
}

static int roaring_and_check(struct clbench *b) {
    const struct container *firsts = b->buffer[0].host, *seconds = b->buffer[2].host, *results = b->buffer[4].host;
    const cl_uint *pool = b->buffer[5].host;
    long kinds[2] = {0}, none = 0, match = 0;
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        static unsigned char numbers[BITS], got[BITS];
        long count = 0, lists;
        memset(numbers, 0, sizeof numbers), memset(got, 0, sizeof got);
        while (match < b->size && seconds[match].key < firsts[i].key) {
            match++;
        }
        add_numbers(firsts + i, b->buffer[1].host, numbers);
        if (match < b->size && seconds[match].key == firsts[i].key) {
            add_numbers(seconds + match, b->buffer[3].host, numbers);
        }
        for (long k = 0; k < BITS; k++) {
            count += numbers[k] == 2;
        }
        lists = count <= MOST_LISTED;
        ok = same("key", i, results[i].key, firsts[i].key) && same("numbers", i, results[i].count, count) &&
             same("kind", i, results[i].kind, lists ? LIST : BITMAP) && same("start", i, results[i].start, i * SET_WORDS);
        if (ok) {
            add_numbers(results + i, pool, got);
        }
        for (long k = 0; ok && k < BITS; k++) {
            ok = same("number", i * BITS + k, got[k], numbers[k] == 2);
        }
        for (long k = 1; ok && lists && k < count; k++) {
            const cl_ushort *list = (const cl_ushort *)(pool + results[i].start);
            ok = same("in order", i * MOST_LISTED + k, list[k - 1] < list[k], 1);
        }
        kinds[lists ? LIST : BITMAP]++, none += count == 0;
    }
    return ok && same("results are of both kinds", 0, kinds[LIST] > none && kinds[BITMAP] > 0 && none < b->size / 2, 1);
}

enum { LIFT = 64, COLUMNS = 24, CODE_ROWS = 12, MOST_EDGES = 72, MOST_OF_CHECK = 8, MOST_SIZE = 127, MOST_ROUNDS = 20 };
enum { CODE_BITS = COLUMNS * LIFT, DATA_COLUMNS = COLUMNS - CODE_ROWS };

/* Each column of data has edges to the rows that have the fewest, most columns three; a column of checks has one to its own row
 * and one to the next. */
static void make_code(cl_int *starts, unsigned char *edges, uint32_t *state) {
    unsigned char rows[CODE_ROWS][MOST_OF_CHECK][2];
    int counts[CODE_ROWS] = {0};
    for (int column = 0; column < COLUMNS; column++) {
        unsigned taken = 0;
        int many = column >= DATA_COLUMNS ? 0 : column < 2 ? 6 : 3;
        for (int i = 0; i < many; i++) {
            int best = -1, first = (int)(random_word(state) % CODE_ROWS);
            for (int k = 0; k < CODE_ROWS; k++) {
                int row = (first + k) % CODE_ROWS;
                if (!(taken >> row & 1) && (best < 0 || counts[row] < counts[best])) {
                    best = row;
                }
            }
            taken |= 1u << best;
            rows[best][counts[best]][0] = (unsigned char)column;
            rows[best][counts[best]++][1] = (unsigned char)(random_word(state) % LIFT);
        }
        for (int row = column - DATA_COLUMNS; row >= 0 && row < CODE_ROWS && row <= column - DATA_COLUMNS + 1; row++) {
            rows[row][counts[row]][0] = (unsigned char)column, rows[row][counts[row]++][1] = 0;
        }
    }
    starts[0] = 0;
    for (int row = 0; row < CODE_ROWS; row++) {
        starts[row + 1] = starts[row] + counts[row];
        memcpy(edges + 2 * starts[row], rows[row], (size_t)counts[row] * 2);
    }
}

/* A word: the columns of checks follow from those of data. */
static void make_word(const cl_int *starts, const unsigned char *edges, unsigned char *bits, uint32_t *state) {
    for (int i = 0; i < CODE_BITS; i++) {
        bits[i] = (unsigned char)(i < DATA_COLUMNS * LIFT ? random_word(state) >> 16 & 1 : 0);
    }
    for (int row = 0; row < CODE_ROWS; row++) {
        for (int i = 0; i < LIFT; i++) {
            int odd = 0;
            for (int k = starts[row]; k < starts[row + 1]; k++) {
                odd ^= bits[edges[2 * k] * LIFT + (i + edges[2 * k + 1]) % LIFT];
            }
            bits[(DATA_COLUMNS + row) * LIFT + i] = (unsigned char)odd;
        }
    }
}

/* Words that arrive with noise. Buffer 5 has them as they were sent, on this side alone. */
static void ldpc_min_sum_prepare(struct clbench *b) {
    signed char *received = make(b, 0, (size_t)(b->size * CODE_BITS));
    cl_int *starts = make(b, 1, (CODE_ROWS + 1) * sizeof *starts);
    unsigned char *edges = make(b, 2, MOST_EDGES * 2), *sent = make(b, 5, (size_t)(b->size * CODE_BITS));
    uint32_t state = 1867;
    make_code(starts, edges, &state);
    for (long word = 0; word < b->size; word++) {
        make_word(starts, edges, sent + word * CODE_BITS, &state);
    }
    for (long i = 0; i < b->size * CODE_BITS; i++) {
        float noise = -6.0f, value = sent[i] ? -1.0f : 1.0f;
        for (int k = 0; k < 12; k++) {
            noise += random_unit(&state);
        }
        received[i] = (signed char)fminf(fmaxf(rintf((value + 0.7f * noise) * 16.0f), -63.0f), 63.0f);
    }
    make(b, 3, (size_t)(b->size * CODE_BITS / 8)), make(b, 4, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2);
}

static void ldpc_min_sum_once(struct clbench *b) {
    cl_int most = MOST_ROUNDS;
    launch(b, "ldpc_min_sum", RANGE1((size_t)b->size * LIFT, LIFT), B(0), B(1), B(2), V(most), B(3), B(4));
}

static int is_odd(const cl_int *starts, const unsigned char *edges, const int *beliefs) {
    for (int row = 0; row < CODE_ROWS; row++) {
        for (int i = 0; i < LIFT; i++) {
            int odd = 0;
            for (int k = starts[row]; k < starts[row + 1]; k++) {
                odd ^= beliefs[edges[2 * k] * LIFT + (i + edges[2 * k + 1]) % LIFT] < 0;
            }
            if (odd) {
                return 1;
            }
        }
    }
    return 0;
}

/* What a check tells the bit of one of its edges: the product of the others' signs, and three quarters of the least of their
 * sizes. */
static int check_message(const int *values, int count, int edge) {
    int sign = 1, least = MOST_SIZE;
    for (int i = 0; i < count; i++) {
        if (i != edge) {
            sign = values[i] < 0 ? -sign : sign;
            least = abs(values[i]) < least ? abs(values[i]) : least;
        }
    }
    return sign * (least * 3 / 4);
}

static int mend(const cl_int *starts, const unsigned char *edges, int *beliefs) {
    static int messages[MOST_EDGES][LIFT];
    int round = 0, values[MOST_OF_CHECK];
    memset(messages, 0, sizeof messages);
    for (; round < MOST_ROUNDS && is_odd(starts, edges, beliefs); round++) {
        for (int i = 0; i < CODE_ROWS * LIFT; i++) {
            int row = i / LIFT, bit = i % LIFT;
            for (int k = starts[row]; k < starts[row + 1]; k++) {
                int value = beliefs[edges[2 * k] * LIFT + (bit + edges[2 * k + 1]) % LIFT] - messages[k][bit];
                values[k - starts[row]] = value < -MOST_SIZE ? -MOST_SIZE : value > MOST_SIZE ? MOST_SIZE : value;
            }
            for (int k = starts[row]; k < starts[row + 1]; k++) {
                messages[k][bit] = check_message(values, starts[row + 1] - starts[row], k - starts[row]);
                beliefs[edges[2 * k] * LIFT + (bit + edges[2 * k + 1]) % LIFT] = values[k - starts[row]] + messages[k][bit];
            }
        }
    }
    return round;
}

static int ldpc_min_sum_check(struct clbench *b) {
    const signed char *received = b->buffer[0].host;
    const unsigned char *sent = b->buffer[5].host;
    const cl_uint *words = b->buffer[3].host;
    const cl_int *rounds = b->buffer[4].host;
    long mended = 0, all_rounds = 0;
    int ok = 1, beliefs[CODE_BITS];
    down(b, 3), down(b, 4);
    for (long word = 0; ok && word < b->size; word++) {
        int is_mended = 1;
        for (int i = 0; i < CODE_BITS; i++) {
            beliefs[i] = received[word * CODE_BITS + i];
        }
        ok = same("rounds", word, rounds[word], mend(b->buffer[1].host, b->buffer[2].host, beliefs));
        for (long i = 0; ok && i < CODE_BITS; i++) {
            int got = words[(word * CODE_BITS + i) / 32] >> i % 32 & 1;
            ok = same("bit", word * CODE_BITS + i, got, beliefs[i] < 0);
            is_mended &= got == sent[word * CODE_BITS + i];
        }
        mended += is_mended, all_rounds += rounds[word];
    }
    return ok && same("most are mended, in some rounds", 0, mended > b->size * 3 / 4 && all_rounds > b->size * 2, 1);
}

const struct workload round15_data_workloads[] = {
    WORKLOAD(round15_data, fm_search, 203, 8009, 30011, 150001),
    WORKLOAD(round15_data, roaring_and, 23, 401, 1501, 8003),
    WORKLOAD(round15_data, ldpc_min_sum, 5, 41, 401, 4001),
    END_OF_WORKLOADS,
};
