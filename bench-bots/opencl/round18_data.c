/* Data. Sizes are messages and names. */
#include "workloads.h"

enum { LONGEST_MESSAGE = 160 };

struct record {
    cl_ulong number;
    cl_long change;
    cl_double price;
    cl_float ratio;
    cl_uint flags, name;
    cl_int status;
};

static unsigned char *write_number(unsigned char *at, uint64_t number) {
    for (; number >= 128; number >>= 7) {
        *at++ = (unsigned char)(number | 128);
    }
    *at++ = (unsigned char)number;
    return at;
}

static unsigned char *write_field(unsigned char *at, unsigned field, unsigned kind) { return write_number(at, field << 3 | kind); }

static uint64_t some_number(uint32_t *state) {
    uint64_t number = (uint64_t)random_word(state) << 32 | random_word(state);
    return number >> random_word(state) % 64;
}

/* A field of some kind, and what a record has after it. */
static unsigned char *add_field(unsigned char *at, struct record *record, uint32_t *state) {
    unsigned field = random_word(state) % 8 + 1, length = random_word(state) % 24;
    uint64_t number = some_number(state);
    switch (field) {
    case 1:
        record->number = number;
        return write_number(write_field(at, 1, 0), number);
    case 2:
        record->change = (cl_long)(number >> 1) * (number & 1 ? -1 : 1);
        at = write_field(at, 2, 0);
        return write_number(at, (uint64_t)record->change << 1 ^ (record->change < 0 ? ~(uint64_t)0 : 0));
    case 3:
        record->price = (double)(number >> 20) * 0.01;
        memcpy(at = write_field(at, 3, 1), &record->price, 8);
        return at + 8;
    case 5:
        record->ratio = random_unit(state);
        memcpy(at = write_field(at, 5, 5), &record->ratio, 4);
        return at + 4;
    case 6:
        record->flags |= 1u << number % 32;
        return write_number(write_field(at, 6, 0), number % 32);
    case 7: return write_number(write_field(at, 300, 0), number);
    default: break;
    }
    at = write_number(write_field(at, field == 4 ? 4 : 19, 2), length);
    record->name = field == 4 ? 2166136261u : record->name;
    for (unsigned i = 0; i < length; i++) {
        *at = (unsigned char)random_word(state);
        record->name = field == 4 ? (record->name ^ *at) * 16777619u : record->name;
        at++;
    }
    return at;
}

/* Buffer 6 has the records as they are to be, on this side alone. Some messages are cut off, some have a kind that there isn't. */
static void tagged_records_prepare(struct clbench *b) {
    unsigned char *bytes = make(b, 0, (size_t)(b->size * LONGEST_MESSAGE)), *at = bytes;
    cl_int *ends = make(b, 1, (size_t)b->size * sizeof *ends);
    struct record *records = make(b, 6, (size_t)b->size * sizeof *records);
    uint32_t state = 2297;
    for (long i = 0; i < b->size; i++) {
        struct record *record = records + i;
        record->ratio = 1.0f;
        for (uint32_t fields = random_word(&state) % 5; fields < 5; fields++) {
            at = add_field(at, record, &state);
        }
        if (i % 50 == 17) {
            at = write_field(at, 9, 3), record->status = 2;
        } else if (i % 40 == 3) {
            at = write_field(at, 3, 1), *at++ = 77, record->status = 1;
        }
        ends[i] = (cl_int)(at - bytes);
    }
    make(b, 2, (size_t)b->size * sizeof(struct record));
    up(b, 0), up(b, 1);
}

static void tagged_records_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "tagged_records", RANGE1(round_up(count, 64), 64), B(0), B(1), V(count), B(2));
}

static int tagged_records_check(struct clbench *b) {
    const struct record *got = b->buffer[2].host, *wanted = b->buffer[6].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("number", i, (long)got[i].number, (long)wanted[i].number) && same("change", i, got[i].change, wanted[i].change) &&
             same("price is exact", i, got[i].price == wanted[i].price, 1) && same("flags", i, got[i].flags, wanted[i].flags) &&
             same("ratio is exact", i, got[i].ratio == wanted[i].ratio, 1) && same("name", i, got[i].name, wanted[i].name) &&
             same("status", i, got[i].status, wanted[i].status);
    }
    return ok;
}

enum { PATTERNS = 12, LONGEST_NAME = 48 };

static const char *const patterns[PATTERNS] = {
    "*.c",        "src/*/[a-d]*_?est.h", "*[0-9][0-9]*.txt", "data?.bin", "*/*/*e*.c*",   "lib*.so*",
    "[!a-m]*.md", "*test*main*.c",       "doc/*",            "",          "*-[a-f0-9x]", "*a*b*c*",
};

/* A path of words, now and then with a number. Gives its length. */
static int write_name(char *name, uint32_t *state) {
    static const char *const words[16] = {"src/", "doc/",  "lib",   "test", "main", "data", "cab", "a",
                                          "be",   "core/", "notes", "bac",  "d_",   "x-",   "abc", "/"};
    static const char *const ends[8] = {".c", ".h", ".txt", ".so.1", ".md", ".bin", "-f", "_test.h"};
    int length = 0;
    for (uint32_t i = 0, count = random_word(state) % 6; i < count; i++) {
        length += sprintf(name + length, "%s", words[random_word(state) % 16]);
        length += random_word(state) % 5 == 0 ? sprintf(name + length, "%u", random_word(state) % 300) : 0;
    }
    return length + sprintf(name + length, "%s", random_word(state) % 9 == 0 ? "" : ends[random_word(state) % 8]);
}

static void glob_names_prepare(struct clbench *b) {
    char *names = make(b, 0, (size_t)(b->size * LONGEST_NAME)), *text = make(b, 2, 512);
    cl_int *ends = make(b, 1, (size_t)b->size * sizeof *ends), *starts = make(b, 3, PATTERNS * sizeof *starts), length = 0;
    uint32_t state = 2309;
    for (long i = 0; i < b->size; i++) {
        length += write_name(names + length, &state);
        ends[i] = length;
    }
    for (int i = 0, at = 0; i < PATTERNS; i++) {
        starts[i] = at;
        at += sprintf(text + at, "%s", patterns[i]) + 1;
    }
    make(b, 4, (size_t)b->size * sizeof(cl_uint)), make(b, 5, PATTERNS * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void glob_names_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, all = PATTERNS;
    launch(b, "none_fit", RANGE1(PATTERNS, 0), B(5));
    launch(b, "glob_names", RANGE1(round_up(count, 16), 0), B(0), B(1), V(count), B(2), B(3), V(all), B(4), B(5));
}

/* How long the first part of a pattern is, and whether it fits a letter. */
static long part_of(const char *pattern, char letter, int *is_fit) {
    const char *end = *pattern == '[' ? strchr(pattern, ']') : pattern;
    int is_other = pattern[1] == '!', is_in = 0;
    for (const char *at = pattern + 1 + is_other; *pattern == '[' && at < end; at++) {
        int is_range = at[1] == '-' && at + 2 < end;
        is_in |= is_range ? letter >= at[0] && letter <= at[2] : letter == *at;
        at += is_range ? 2 : 0;
    }
    *is_fit = *pattern == '[' ? is_in != is_other : *pattern == '?' || *pattern == letter;
    return end - pattern + 1;
}

/* Whether a pattern fits: for each of its parts all of the name's beginnings that fit so far. */
static unsigned fit(const char *name, long length, const char *pattern) {
    unsigned char is_so_far[LONGEST_NAME + 1] = {1};
    while (*pattern != '\0') {
        int is_fit = 0;
        long part = 1;
        if (*pattern == '*') {
            for (long i = 1; i <= length; i++) {
                is_so_far[i] |= is_so_far[i - 1];
            }
        } else {
            for (long i = length; i > 0; i--) {
                part = part_of(pattern, name[i - 1], &is_fit), is_so_far[i] = is_so_far[i - 1] && is_fit;
            }
            is_so_far[0] = 0, part = part_of(pattern, 'a', &is_fit);
        }
        pattern += part;
    }
    return is_so_far[length];
}

static int glob_names_check(struct clbench *b) {
    const char *names = b->buffer[0].host;
    const cl_int *ends = b->buffer[1].host, *counts = b->buffer[5].host;
    const cl_uint *found = b->buffer[4].host;
    long all[PATTERNS] = {0};
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        long begin = i == 0 ? 0 : ends[i - 1];
        unsigned bits = 0;
        for (int k = 0; k < PATTERNS; k++) {
            unsigned is_fit = fit(names + begin, ends[i] - begin, patterns[k]);
            bits |= is_fit << k, all[k] += is_fit;
        }
        ok = same("patterns that fit", i, found[i], bits);
    }
    for (long k = 0; ok && k < PATTERNS; k++) {
        ok = same("names that fit", k, counts[k], all[k]) && same("some names fit", k, all[k] > 0 || b->size < 3000, 1);
    }
    return ok;
}

const struct workload round18_data_workloads[] = {
    WORKLOAD(round18_data, tagged_records, 501, 20011, 200003, 2000003),
    WORKLOAD(round18_data, glob_names, 301, 10007, 200003, 2000003),
    END_OF_WORKLOADS,
};
