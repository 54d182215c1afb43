/* Streams. Sizes are strips, records, reads, places. */
#include "workloads.h"

enum { STRIP = 6000, CLEAR = 256, END = 257, ENTRIES = 4096, MOST_PACKED = STRIP * 2, STRIPS_GROUP = 16 };

/* A picture's bytes: flat parts, gradients, some that have much noise. */
static void fill_strip(long strip, unsigned char bytes[STRIP]) {
    uint32_t state = mixed_word((uint32_t)strip + 4229);
    uint32_t noise = strip % 7 == 6 ? 61 : 3;
    for (long i = 0; i < STRIP; i++) {
        uint32_t part = mixed_word((uint32_t)(strip * 100 + i / 97)), word = random_word(&state);
        bytes[i] = (unsigned char)(part % 4 == 0 ? part >> 8 & 255 : (uint32_t)(i / 9 + strip) + (word % 5 == 0 ? (word >> 8) % noise : 0));
    }
}

/* Codes, their highest bit first. */
struct writer {
    unsigned char *to;
    uint64_t bits;
    int held;
    size_t length;
};

static void put_code(struct writer *writer, uint32_t code, int width) {
    writer->bits = writer->bits << width | code, writer->held += width;
    for (; writer->held >= 8; writer->held -= 8) {
        writer->to[writer->length++] = (unsigned char)(writer->bits >> (writer->held - 8));
    }
}

/* Strings with one more byte than another one are a list: the first of them, and the next one. */
static size_t pack_strip(const unsigned char bytes[STRIP], unsigned char *to) {
    static short first[ENTRIES], other[ENTRIES];
    static unsigned char last[ENTRIES];
    struct writer writer = {.to = to};
    int width = 9, next = END + 1, now = bytes[0];
    memset(first, 0, sizeof first);
    put_code(&writer, CLEAR, width);
    for (long i = 1; i < STRIP; i++) {
        int longer = first[now];
        while (longer != 0 && last[longer] != bytes[i]) {
            longer = other[longer];
        }
        if (longer != 0) {
            now = longer;
            continue;
        }
        put_code(&writer, (uint32_t)now, width);
        last[next] = bytes[i], other[next] = first[now], first[now] = (short)next, next++;
        now = bytes[i];
        if (next >= ENTRIES - 1) {
            put_code(&writer, CLEAR, width);
            memset(first, 0, sizeof first), width = 9, next = END + 1;
        } else if (next >= 1 << width && width < 12) {
            width++;
        }
    }
    put_code(&writer, (uint32_t)now, width);
    next++, width += next >= 1 << width && width < 12;
    put_code(&writer, END, width), put_code(&writer, 0, 7);
    return writer.length;
}

static void lzw_strips_prepare(struct clbench *b) {
    unsigned char bytes[STRIP], *packed = malloc((size_t)b->size * MOST_PACKED);
    cl_uint *starts = make(b, 1, (size_t)b->size * sizeof *starts);
    size_t used = 0;
    for (long i = 0; i < b->size; i++) {
        fill_strip(i, bytes), starts[i] = (cl_uint)used;
        used += pack_strip(bytes, packed + used);
    }
    memcpy(make(b, 0, used), packed, used), free(packed);
    make(b, 2, (size_t)b->size * ENTRIES * sizeof(cl_ushort2)), make(b, 3, (size_t)b->size * STRIP);
    make(b, 4, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void lzw_strips_once(struct clbench *b) {
    cl_int strips = (cl_int)b->size, strip_bytes = STRIP;
    launch(b, "lzw_strips", RANGE1(round_up(strips, STRIPS_GROUP), STRIPS_GROUP), B(0), B(1), V(strips), V(strip_bytes), B(2), B(3), B(4));
}

static int lzw_strips_check(struct clbench *b) {
    const unsigned char *got = b->buffer[3].host;
    const cl_int *lengths = b->buffer[4].host;
    unsigned char want[STRIP];
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        fill_strip(i, want), ok = same("length", i, lengths[i], STRIP);
        for (long k = 0; ok && k < STRIP; k++) {
            ok = same("byte", i * STRIP + k, got[i * STRIP + k], want[k]);
        }
    }
    return ok;
}

enum { LEAST_RECORD = 40, MOST_RECORD = 900, SLICES = 8, DAMAGED_EACH = 97, RECORDS_GROUP = 40 };

struct record {
    cl_uint start, length, checksum;
};

/* CRC-32 as it is defined, a bit after the other. */
static uint32_t checksum_of(const unsigned char *bytes, size_t length) {
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        sum ^= bytes[i];
        for (int k = 0; k < 8; k++) {
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
        }
    }
    return ~sum;
}

/* Of a table's entries: a byte, and so many zeros after it. */
static void fill_tables(cl_uint *tables) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t sum = i;
        for (int k = 0; k < 8 * SLICES; k++) {
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
            if (k % 8 == 7) {
                tables[k / 8 * 256 + (int)i] = sum;
            }
        }
    }
}

static int is_damaged(long record) { return record % DAMAGED_EACH == 13; }

static void crc_slices_prepare(struct clbench *b) {
    struct record *records = make(b, 1, (size_t)b->size * sizeof *records);
    uint32_t state = 4231, words = 0;
    for (long i = 0; i < b->size; i++) {
        records[i].start = words, records[i].length = LEAST_RECORD + random_word(&state) % (MOST_RECORD - LEAST_RECORD + 1);
        words += (records[i].length + 3) / 4;
    }
    cl_uint *content = make(b, 0, words * sizeof *content);
    for (uint32_t i = 0; i < words; i++) {
        content[i] = random_word(&state);
    }
    for (long i = 0; i < b->size; i++) {
        unsigned char *bytes = (unsigned char *)(content + records[i].start);
        records[i].checksum = checksum_of(bytes, records[i].length);
        if (is_damaged(i)) {
            bytes[records[i].checksum % records[i].length] ^= (unsigned char)(1 << i % 8);
        }
    }
    fill_tables(make(b, 2, SLICES * 256 * sizeof(cl_uint)));
    make(b, 3, (size_t)b->size * sizeof(cl_uint)), make(b, 4, sizeof(cl_int)), make(b, 5, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2);
}

static void crc_slices_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "none_damaged", RANGE1(1, 1), B(4));
    launch(b, "crc_slices", RANGE1(round_up(count, RECORDS_GROUP), RECORDS_GROUP), B(0), B(1), V(count), B(2), B(3), B(4), B(5));
}

/* What checksums records have was told before some were damaged: those must differ. First the checksum that all books have. */
static int crc_slices_check(struct clbench *b) {
    const struct record *records = b->buffer[1].host;
    const unsigned char *bytes = b->buffer[0].host;
    const cl_uint *got = b->buffer[3].host;
    const cl_int *damaged = b->buffer[4].host, *list = b->buffer[5].host;
    long wanted = 0, sum = 0;
    int ok = same("example", 0, checksum_of((const unsigned char *)"123456789", 9), 0xcbf43926L);
    down(b, 3), down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        if (is_damaged(i)) {
            ok = same("checksum", i, got[i], checksum_of(bytes + 4 * (size_t)records[i].start, records[i].length)), wanted++, sum += i;
        } else {
            ok = same("checksum", i, got[i], records[i].checksum);
        }
    }
    ok = ok && same("damaged records", 0, *damaged, wanted);
    for (long i = 0; ok && i < wanted; i++) {
        ok = same("is damaged", i, is_damaged(list[i]), 1), sum -= list[i];
    }
    return ok && same("all of them", 0, sum, 0);
}

enum { MOST_BASES = 150, LEAST_BASES = 90, GENOME = 160, BAND = 12, NEVER = -16000, READS_GROUP = 64 };

static const cl_short4 scores = {{2, -3, 5, 1}};

/* Reads are copies with bases that are other ones, lost or more. */
static void banded_affine_prepare(struct clbench *b) {
    long count = b->size;
    unsigned char *reads = make(b, 0, (size_t)count * MOST_BASES), *lengths = make(b, 1, (size_t)count);
    unsigned char *genomes = make(b, 2, (size_t)count * GENOME);
    uint32_t state = 4241;
    for (long id = 0; id < count; id++) {
        for (long i = 0; i < GENOME; i++) {
            uint32_t word = random_word(&state) >> 3;
            genomes[i * count + id] = (unsigned char)(word % 211 == 0 ? 4 : word >> 8 & 3);
        }
        lengths[id] = (unsigned char)(LEAST_BASES + random_word(&state) % (MOST_BASES - LEAST_BASES + 1));
        for (long i = 0, from = 0; i < lengths[id]; i++) {
            uint32_t word = random_word(&state) >> 3;
            from += word % 61 == 0 ? 1 + (word >> 8) % 5 : 0;
            int is_new = word % 67 == 1 || from >= GENOME;
            reads[i * count + id] = is_new || word % 29 == 2 ? (unsigned char)(word >> 8 & 3) : genomes[from * count + id];
            from += !is_new;
        }
    }
    make(b, 3, (size_t)count * sizeof(cl_int2));
    up(b, 0), up(b, 1), up(b, 2);
}

static void banded_affine_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, genome_length = GENOME;
    launch(b, "banded_affine", RANGE1(round_up(count, READS_GROUP), READS_GROUP), B(0), B(1), B(2), V(count), V(genome_length), V(scores),
           B(3));
}

static long larger_of(long a, long c) { return a > c ? a : c; }

/* The best score of a read whose last base is used up, and the genome's end of it: whole tables, of which only the band is filled. */
static long aligned(const struct clbench *b, long id, long *end) {
    static long best[MOST_BASES + 1][GENOME + 1], down_gap[MOST_BASES + 1][GENOME + 1], right_gap[MOST_BASES + 1][GENOME + 1];
    const unsigned char *reads = b->buffer[0].host, *lengths = b->buffer[1].host, *genomes = b->buffer[2].host;
    const long open = scores.s[2], extend = scores.s[3];
    for (long i = 0; i <= lengths[id]; i++) {
        for (long j = 0; j <= GENOME; j++) {
            best[i][j] = down_gap[i][j] = right_gap[i][j] = NEVER;
            if (labs(i - j) > BAND) {
                continue;
            }
            if (i == 0 || j == 0) {
                best[i][j] = i + j == 0 ? 0 : -(open + extend * (i + j));
                down_gap[i][j] = j == 0 && i > 0 ? best[i][j] : NEVER;
                continue;
            }
            int base = reads[(i - 1) * b->size + id], other = genomes[(j - 1) * b->size + id];
            down_gap[i][j] = larger_of(down_gap[i - 1][j] - extend, best[i - 1][j] - open - extend);
            right_gap[i][j] = larger_of(right_gap[i][j - 1] - extend, best[i][j - 1] - open - extend);
            best[i][j] = best[i - 1][j - 1] + (base > 3 || other > 3 ? -1 : base == other ? scores.s[0] : scores.s[1]);
            best[i][j] = larger_of(best[i][j], larger_of(down_gap[i][j], right_gap[i][j]));
        }
    }
    *end = 0;
    for (long j = 1; j <= GENOME; j++) {
        *end = best[lengths[id]][j] > best[lengths[id]][*end] ? j : *end;
    }
    return best[lengths[id]][*end];
}

/* Of many reads not all are looked at. */
static int banded_affine_check(struct clbench *b) {
    const cl_int2 *got = b->buffer[3].host;
    long good = 0, seen = 0;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i += b->size / 907 + 1, seen++) {
        long end, score = aligned(b, i, &end);
        ok = same("score", i, got[i].s[0], score) && same("end", i, got[i].s[1], end), good += score > 60;
    }
    return ok && same("many are good", good, good > seen / 2, 1);
}

enum { GENOTYPES = 10, LEAST_QUALITY = 7, MOST_DEPTH = 61 };

struct call {
    unsigned char genotype, quality;
    cl_ushort depth;
    cl_int strands;
};

static double error_of(int quality) { return pow(10.0, -0.1 * quality); }

/* Some places have no reads, some two kinds of bases. */
static void pileup_calls_prepare(struct clbench *b) {
    cl_uint *starts = make(b, 0, (size_t)(b->size + 1) * sizeof *starts), used = 0;
    uint32_t state = 4243;
    for (long i = 0; i < b->size; i++) {
        starts[i] = used;
        used += i % 53 == 7 ? 0 : 1 + random_word(&state) % MOST_DEPTH;
    }
    starts[b->size] = used;
    cl_ushort *bases = make(b, 1, used * sizeof *bases);
    float *errors = make(b, 2, 64 * sizeof *errors);
    for (long i = 0; i < b->size; i++) {
        uint32_t kinds = random_word(&state) >> 5;
        for (cl_uint k = starts[i]; k < starts[i + 1]; k++) {
            uint32_t word = random_word(&state) >> 3, quality = 2 + word % 39, is_other = kinds % 5 == 0 && word >> 12 & 1;
            uint32_t own = (word >> 13) % 50 == 0 ? word >> 20 & 3 : kinds >> (is_other ? 4 : 8) & 3;
            bases[k] = (cl_ushort)(own | quality << 2 | (word >> 24 & 1) << 8);
        }
    }
    for (int i = 0; i < 64; i++) {
        errors[i] = (float)error_of(i);
    }
    make(b, 3, (size_t)b->size * GENOTYPES * sizeof(float)), make(b, 4, (size_t)b->size * sizeof(struct call));
    up(b, 0), up(b, 1), up(b, 2);
}

static void pileup_calls_once(struct clbench *b) {
    cl_int places = (cl_int)b->size, least_quality = LEAST_QUALITY;
    launch(b, "pileup_calls", RANGE1((size_t)b->size, 0), B(0), B(1), V(places), V(least_quality), B(2), B(3), B(4));
}

/* How likely the bases of a place are, if it has these two: a base is half of the one's and half of the other's. */
static double likelihood(const struct clbench *b, long place, int first, int second) {
    const cl_uint *starts = b->buffer[0].host;
    const cl_ushort *bases = b->buffer[1].host;
    double sum = 0.0;
    for (cl_uint i = starts[place]; i < starts[place + 1]; i++) {
        int own = bases[i] & 3, quality = bases[i] >> 2 & 63;
        double error = error_of(quality), part[2] = {own == first ? 1.0 - error : error / 3.0, own == second ? 1.0 - error : error / 3.0};
        sum += quality >= LEAST_QUALITY ? log10(0.5 * part[0] + 0.5 * part[1]) : 0.0;
    }
    return sum;
}

static int pileup_calls_check(struct clbench *b) {
    const cl_uint *starts = b->buffer[0].host;
    const cl_ushort *bases = b->buffer[1].host;
    const float *got = b->buffer[3].host;
    const struct call *calls = b->buffer[4].host;
    long mixed = 0;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        double best = -1e30, next = -1e30, called = -1e30;
        long depth = 0, strands = 0;
        for (cl_uint n = starts[i]; n < starts[i + 1]; n++) {
            int counts = (bases[n] >> 2 & 63) >= LEAST_QUALITY;
            depth += counts, strands += counts ? (bases[n] >> 8 & 1) * 2 - 1 : 0;
        }
        for (int k = 0, first = 0; starts[i] < starts[i + 1] && first < 4; first++) {
            for (int second = first; ok && second < 4; second++, k++) {
                double want = likelihood(b, i, first, second);
                ok = near("likelihood", k * b->size + i, (double)got[k * b->size + i], want, 1e-4);
                next = want > best ? best : want > next ? want : next, best = want > best ? want : best;
                called = calls[i].genotype == k ? want : called;
            }
        }
        ok = ok && same("depth", i, calls[i].depth, depth) && same("strands", i, calls[i].strands, strands);
        if (depth == 0) {
            ok = ok && same("no genotype", i, calls[i].genotype, GENOTYPES) && same("no quality", i, calls[i].quality, 0);
        } else {
            ok = ok && near("the best", i, called, best, 1e-4);
            ok = ok && same("quality", i, fabs(calls[i].quality + 0.5 - fmin(10.0 * (best - next), 99.0)) < 0.6, 1);
            mixed += calls[i].genotype != 0 && calls[i].genotype != 4 && calls[i].genotype != 7 && calls[i].genotype != 9;
        }
    }
    return ok && same("some are mixed", mixed, mixed > b->size / 20, 1);
}

const struct workload round25_streams_workloads[] = {
    WORKLOAD(round25_streams, lzw_strips, 19, 701, 2003, 9001),
    WORKLOAD(round25_streams, crc_slices, 211, 30011, 100003, 300007),
    WORKLOAD(round25_streams, banded_affine, 67, 3001, 12007, 60013),
    WORKLOAD(round25_streams, pileup_calls, 401, 30011, 100003, 400009),
    END_OF_WORKLOADS,
};
