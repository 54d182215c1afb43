/* Data. Sizes are blocks of 1024 rows, rows of the left table, records, passwords. */
#include "workloads.h"

enum { BLOCK = 1024, KINDS = 256 };

static const cl_int low = 20000, high = 60000;

struct block {
    cl_uint first_word;
    cl_int base, most;
    unsigned char width, unused[3];
};

/* Buffer 6 has the column as it was before it was packed. Some blocks are all between the bounds or all not. */
static void packed_scan_prepare(struct clbench *b) {
    struct block *blocks = make(b, 1, (size_t)b->size * sizeof *blocks);
    unsigned char *kinds = make(b, 2, (size_t)(b->size * BLOCK));
    cl_uint *words = make(b, 0, (size_t)b->size * BLOCK * sizeof *words), *wanted = make(b, 3, KINDS / 8);
    cl_int *column = make(b, 6, (size_t)(b->size * BLOCK) * sizeof *column);
    uint32_t state = 2777, next = 0;
    for (long i = 0; i < b->size; i++) {
        int width = (int)(random_word(&state) % 18), base = (int)(random_word(&state) % 70000);
        cl_int least = INT32_MAX, most = INT32_MIN;
        for (long k = i * BLOCK; k < (i + 1) * BLOCK; k++) {
            uint32_t word = random_word(&state);
            column[k] = base + (cl_int)(word >> 8 & ((1u << width) - 1)), kinds[k] = (unsigned char)word;
            least = column[k] < least ? column[k] : least, most = column[k] > most ? column[k] : most;
        }
        blocks[i].first_word = next, blocks[i].base = least, blocks[i].most = most, blocks[i].width = (unsigned char)width;
        for (long k = 0; k < BLOCK * width; k++) {
            cl_uint bit = (cl_uint)(column[i * BLOCK + k / width] - least) >> k % width & 1;
            words[next + (cl_uint)k / 32] |= bit << k % 32;
        }
        next += (cl_uint)(BLOCK / 32 * width);
    }
    for (int i = 0; i < KINDS / 32; i++) {
        wanted[i] = random_word(&state) & random_word(&state);
    }
    make(b, 4, (size_t)(b->size * BLOCK / 8)), make(b, 5, sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void packed_scan_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    struct range range = RANGE1(round_up((long)count * 32, 128), 128);
    launch(b, "no_matches", RANGE1(1, 0), B(5));
    launch(b, "packed_scan", range, B(0), B(1), V(count), B(2), B(3), V(low), V(high), B(4), B(5));
}

static int packed_scan_check(struct clbench *b) {
    const unsigned char *kinds = b->buffer[2].host;
    const cl_uint *wanted = b->buffer[3].host, *bitmap = b->buffer[4].host;
    const cl_int *matches = b->buffer[5].host, *column = b->buffer[6].host;
    long all = 0;
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size * BLOCK; i++) {
        int is_match = column[i] >= low && column[i] <= high && (wanted[kinds[i] / 32] >> kinds[i] % 32 & 1) == 1;
        ok = same("bit", i, bitmap[i / 32] >> i % 32 & 1, is_match);
        all += is_match;
    }
    return ok && same("matches", 0, matches[0], all);
}

static int by_key(const void *left, const void *right) {
    cl_long a = *(const cl_long *)left, c = *(const cl_long *)right;
    return (a > c) - (a < c);
}

/* Sorted keys, some of which are there several times. */
static cl_long *fill_keys(struct clbench *b, int buffer, long rows, long range, uint32_t *state) {
    cl_long *keys = make(b, buffer, (size_t)rows * sizeof *keys);
    for (long i = 0; i < rows; i++) {
        keys[i] = (cl_long)(random_word(state) % (uint32_t)range) * 1000003007 - range * 400000000;
    }
    qsort(keys, (size_t)rows, sizeof *keys, by_key);
    return keys;
}

static long right_rows(const struct clbench *b) { return b->size * 3 / 2; }

static void merge_join_prepare(struct clbench *b) {
    long right = right_rows(b), pairs = 0;
    uint32_t state = 2789;
    const cl_long *left_keys = fill_keys(b, 0, b->size, b->size, &state), *right_keys = fill_keys(b, 1, right, b->size, &state);
    double *prices = make(b, 4, (size_t)b->size * sizeof *prices);
    cl_short *amounts = make(b, 5, (size_t)right * sizeof *amounts);
    for (long i = 0; i < b->size; i++) {
        prices[i] = (double)(random_word(&state) % 100000) * 0.01;
    }
    for (long i = 0; i < right; i++) {
        amounts[i] = (cl_short)(random_word(&state) % 2000 - 1000u);
    }
    for (long i = 0, k = 0; i < b->size; i++) {
        for (; k < right && right_keys[k] < left_keys[i]; k++) {
        }
        for (long same_key = k; same_key < right && right_keys[same_key] == left_keys[i]; same_key++) {
            pairs++;
        }
    }
    make(b, 2, (size_t)b->size * sizeof(cl_int)), make(b, 3, (size_t)(b->size + 1) * sizeof(cl_int));
    make(b, 6, (size_t)(pairs + 1) * sizeof(cl_int2)), make(b, 7, (size_t)(pairs + 1) * sizeof(cl_double));
    up(b, 0), up(b, 1), up(b, 4), up(b, 5);
}

static void merge_join_once(struct clbench *b) {
    cl_int left = (cl_int)b->size, right = (cl_int)right_rows(b);
    launch(b, "join_counts", RANGE1(round_up(left, 16), 0), B(0), V(left), B(1), V(right), B(2), B(3));
    launch(b, "scan_counts", RANGE1(256, 256), B(3), V(left));
    launch(b, "join_rows", RANGE1(1024, 64), B(2), B(3), V(left), B(4), B(5), B(6), B(7));
}

/* The same by two places that go through the tables. */
static int merge_join_check(struct clbench *b) {
    const cl_long *left_keys = b->buffer[0].host, *right_keys = b->buffer[1].host;
    const cl_int *places = b->buffer[3].host;
    const double *prices = b->buffer[4].host, *totals = b->buffer[7].host;
    const cl_short *amounts = b->buffer[5].host;
    const cl_int2 *got = b->buffer[6].host;
    long next = 0, k = 0;
    int ok = 1;
    down(b, 3), down(b, 6), down(b, 7);
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("place", i, places[i], next);
        for (; k < right_rows(b) && right_keys[k] < left_keys[i]; k++) {
        }
        for (long other = k; ok && other < right_rows(b) && right_keys[other] == left_keys[i]; other++, next++) {
            ok = same("left", next, got[next].s[0], i) && same("right", next, got[next].s[1], other) &&
                 near("total", next, totals[next], prices[i] * amounts[other], 0.0);
        }
    }
    return ok && same("pairs", 0, places[b->size], next);
}

enum { MOST_TOKENS = 80, LONGEST = 2000, ENOUGH = 50, OBJECT = 0, ARRAY, END, KEY, STRING, WHOLE, REAL, WORD };

struct token {
    cl_ushort start, length;
    unsigned char kind, depth;
};

struct record {
    cl_long sum;
    cl_short tokens, error;
    cl_int deepest;
};

/* A record as it is written, and the tokens that it should have. */
struct writer {
    char *text;
    int length, depth;
    uint32_t state;
    struct token *tokens;
    struct record *record;
};

static int chance_of(struct writer *writer, uint32_t one_of) { return (int)(random_word(&writer->state) % one_of); }

static void put_text(struct writer *writer, const char *text) {
    strcpy(writer->text + writer->length, text);
    writer->length += (int)strlen(text);
}

static void put_token(struct writer *writer, const char *text, int kind) {
    struct token *token = writer->tokens + writer->record->tokens++;
    token->start = (cl_ushort)writer->length, token->length = (cl_ushort)strlen(text);
    token->kind = (unsigned char)kind, token->depth = (unsigned char)writer->depth;
    put_text(writer, text);
}

static void put_string(struct writer *writer, int kind) {
    static const char *const parts[8] = {"name", "\\\"", "x", "[", "long words", "\\\\", "}", "\\u00e9, "};
    char text[200] = "\"";
    for (int i = chance_of(writer, 6) + 1; i > 0; i--) {
        strcat(text, parts[chance_of(writer, 8)]);
    }
    put_token(writer, strcat(text, "\""), kind);
}

static void put_number(struct writer *writer) {
    char text[40];
    int number = chance_of(writer, 2000000) - 1000000;
    if (chance_of(writer, 3) == 0) {
        snprintf(text, sizeof text, chance_of(writer, 2) == 0 ? "%d.5" : "%d.25e-3", number);
        put_token(writer, text, REAL);
    } else {
        snprintf(text, sizeof text, "%d", number);
        put_token(writer, text, WHOLE);
        writer->record->sum += number;
    }
}

static void put_value(struct writer *writer, int kind);

static void put_group(struct writer *writer, int is_object) {
    put_token(writer, is_object ? "{" : "[", is_object ? OBJECT : ARRAY);
    writer->depth++;
    writer->record->deepest = writer->depth > writer->record->deepest ? writer->depth : writer->record->deepest;
    for (int i = chance_of(writer, 7); i > 0 && writer->record->tokens < ENOUGH; i--) {
        if (is_object) {
            put_string(writer, KEY);
            put_text(writer, chance_of(writer, 2) == 0 ? ": " : ":");
        }
        put_value(writer, chance_of(writer, writer->depth < 6 ? 8 : 5));
        put_text(writer, i == 1 || writer->record->tokens >= ENOUGH ? "" : chance_of(writer, 2) == 0 ? ", " : ",");
    }
    writer->depth--;
    put_token(writer, is_object ? "}" : "]", END);
}

static void put_value(struct writer *writer, int kind) {
    static const char *const words[3] = {"true", "false", "null"};
    if (kind >= 5) {
        put_group(writer, kind % 2);
    } else if (kind == 4) {
        put_token(writer, words[chance_of(writer, 3)], WORD);
    } else if (kind >= 2) {
        put_string(writer, STRING);
    } else {
        put_number(writer);
    }
}

/* Buffers 4 and 5 have what should be found. Of each sixteen records one ends with a wrong bracket, another one without it. */
static void json_tokens_prepare(struct clbench *b) {
    char *text = calloc((size_t)b->size, LONGEST * 2);
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    for (int i = 2; i < 6; i++) {
        make(b, i, (size_t)b->size * (i % 2 == 0 ? MOST_TOKENS * sizeof(struct token) : sizeof(struct record)));
    }
    struct writer writer = {.text = text, .state = 2791};
    for (long i = 0; i < b->size; i++) {
        writer.tokens = (struct token *)b->buffer[4].host + i * MOST_TOKENS;
        writer.record = (struct record *)b->buffer[5].host + i;
        starts[i] = (cl_int)(writer.text - text), writer.length = 0, writer.record->error = -1;
        while (writer.record->tokens < ENOUGH / 2) {
            memset(writer.record, 0, sizeof *writer.record);
            writer.record->error = -1, writer.length = 0;
            put_group(&writer, 1);
        }
        if (i % 16 == 3) {
            writer.text[writer.length - 1] = ']', writer.record->error = (cl_short)(writer.length - 1), writer.record->tokens--;
        } else if (i % 16 == 9) {
            writer.length--, writer.record->error = (cl_short)writer.length, writer.record->tokens--;
        }
        writer.text += writer.length;
    }
    starts[b->size] = (cl_int)(writer.text - text);
    memcpy(make(b, 0, (size_t)starts[b->size]), text, (size_t)starts[b->size]);
    free(text);
    up(b, 0), up(b, 1);
}

static void json_tokens_once(struct clbench *b) {
    cl_int records = (cl_int)b->size;
    launch(b, "json_tokens", RANGE1(round_up(records, 64), 64), B(0), B(1), V(records), B(2), B(3));
}

static int json_tokens_check(struct clbench *b) {
    const struct token *got = b->buffer[2].host, *wanted = b->buffer[4].host;
    const struct record *results = b->buffer[3].host, *records = b->buffer[5].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("error", i, results[i].error, records[i].error) && same("tokens", i, results[i].tokens, records[i].tokens) &&
             same("sum", i, results[i].sum, records[i].sum) && same("deepest", i, results[i].deepest, records[i].deepest);
        for (long k = i * MOST_TOKENS; ok && k < i * MOST_TOKENS + records[i].tokens; k++) {
            ok = same("start", k, got[k].start, wanted[k].start) && same("length", k, got[k].length, wanted[k].length) &&
                 same("kind", k, got[k].kind, wanted[k].kind) && same("depth", k, got[k].depth, wanted[k].depth);
        }
    }
    return ok;
}

enum { WORDS = 128, MEMORY = 48 };

static void argon_fill_prepare(struct clbench *b) {
    cl_ulong *firsts = make(b, 0, (size_t)b->size * 2 * WORDS * sizeof *firsts);
    for (long i = 0; i < b->size * 2 * WORDS; i++) {
        firsts[i] = (cl_ulong)mixed_word((uint32_t)i * 2 + 1) << 32 | mixed_word((uint32_t)i * 2 + 2);
    }
    make(b, 1, (size_t)b->size * MEMORY * WORDS * sizeof *firsts), make(b, 2, (size_t)b->size * WORDS * sizeof *firsts);
    up(b, 0);
}

static void argon_fill_once(struct clbench *b) { launch(b, "argon_fill", RANGE1((size_t)b->size * 32, 32), B(0), B(1), B(2)); }

/* One of the four steps that two words and a third one take. */
static void step_of(cl_ulong *a, cl_ulong c, cl_ulong *d, int right) {
    *a += c + 2 * (cl_ulong)(cl_uint)*a * (cl_uint)c;
    *d = (*d ^ *a) >> right | (*d ^ *a) << (64 - right);
}

/* The permutation of 16 words of a block: `first`, then pairs of words that are so far apart. */
static void permute(cl_ulong *block, int first, int apart) {
    cl_ulong *words[16];
    for (int i = 0; i < 16; i++) {
        words[i] = block + first + i / 2 * apart + i % 2;
    }
    for (int i = 0; i < 8; i++) {
        int turn = i / 4;
        cl_ulong *a = words[i % 4], *c = words[4 + (i + turn) % 4], *d = words[8 + (i + 2 * turn) % 4], *e = words[12 + (i + 3 * turn) % 4];
        step_of(a, *c, e, 32), step_of(d, *e, c, 24), step_of(a, *c, e, 16), step_of(d, *e, c, 63);
    }
}

/* Of many passwords not all are looked at. */
static int argon_fill_check(struct clbench *b) {
    static cl_ulong blocks[MEMORY][WORDS];
    const cl_ulong *firsts = b->buffer[0].host, *got = b->buffer[2].host;
    long step = b->size / 503 + 1;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i += step) {
        memcpy(blocks, firsts + i * 2 * WORDS, 2 * sizeof blocks[0]);
        for (long number = 2; number < MEMORY; number++) {
            cl_ulong chance = (cl_uint)blocks[number - 1][0], mixed[WORDS];
            long other = number - 2 - (long)((cl_ulong)(number - 1) * (chance * chance >> 32) >> 32);
            for (int k = 0; k < WORDS; k++) {
                mixed[k] = blocks[number][k] = blocks[number - 1][k] ^ blocks[other][k];
            }
            for (int k = 0; k < 8; k++) {
                permute(mixed, k * 16, 2);
            }
            for (int k = 0; k < 8; k++) {
                permute(mixed, k * 2, 16);
            }
            for (int k = 0; k < WORDS; k++) {
                blocks[number][k] ^= mixed[k];
            }
        }
        for (long k = 0; ok && k < WORDS; k++) {
            ok = same("word", i * WORDS + k, (long)got[i * WORDS + k], (long)blocks[MEMORY - 1][k]);
        }
    }
    return ok;
}

const struct workload round21_data_workloads[] = {
    WORKLOAD(round21_data, packed_scan, 21, 1003, 6007, 40009),
    WORKLOAD(round21_data, merge_join, 301, 20011, 100003, 1000003),
    WORKLOAD(round21_data, json_tokens, 33, 2003, 12007, 100003),
    WORKLOAD(round21_data, argon_fill, 3, 61, 401, 3001),
    END_OF_WORKLOADS,
};
