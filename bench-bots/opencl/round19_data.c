/* Data. Sizes are passwords, packets, sales. */
#include "workloads.h"
#include <time.h>

enum { WANTED = 24, MOST = 64, LETTERS = 36 };

static const cl_uint first_password = 300000007;
static const cl_ushort salt = 0x7a51;

static uint32_t turned(uint32_t word, unsigned by) { return word << by | word >> (32 - by); }

/* The digest of a message of eight bytes, with the steps' numbers as they are made. */
static void digest_of(const unsigned char bytes[8], uint32_t digest[4]) {
    static const unsigned turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t words[16] = {0, 0, 128}, a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, f = 0;
    for (unsigned i = 0; i < 8; i++) {
        words[i / 4] |= (uint32_t)bytes[i] << i % 4 * 8;
    }
    words[14] = 64;
    for (unsigned i = 0; i < 64; i++) {
        unsigned at = 0;
        switch (i / 16) {
        case 0: f = (b & c) | (~b & d), at = i; break;
        case 1: f = (d & b) | (~d & c), at = 5 * i + 1; break;
        case 2: f = b ^ c ^ d, at = 3 * i + 5; break;
        default: f = c ^ (b | ~d), at = 7 * i; break;
        }
        f += a + (uint32_t)floor(4294967296.0 * fabs(sin((double)(i + 1)))) + words[at % 16];
        a = d, d = c, c = b, b += turned(f, turns[i / 16][i % 4]);
    }
    digest[0] = a + 0x67452301, digest[1] = b + 0xefcdab89, digest[2] = c + 0x98badcfe, digest[3] = d + 0x10325476;
}

static void digest_of_number(uint32_t number, uint32_t digest[4]) {
    unsigned char text[8] = {salt & 255, salt >> 8};
    for (int i = 2; i < 8; i++, number /= LETTERS) {
        text[i] = (unsigned char)(number % LETTERS < 26 ? 'a' + number % LETTERS : '0' + number % LETTERS - 26);
    }
    digest_of(text, digest);
}

/* Which password has a digest: of every third one none that is looked at. */
static uint32_t password_of(const struct clbench *b, long i) {
    return first_password + (uint32_t)(i * b->size / WANTED) + (uint32_t)(i % 3 == 2 ? b->size : i);
}

/* The filter also has others. */
static void md5_search_prepare(struct clbench *b) {
    cl_uint4 *wanted = make(b, 0, WANTED * sizeof *wanted);
    cl_uint *filter = make(b, 1, 256 * sizeof *filter);
    uint32_t state = 2447;
    for (int i = 0; i < 256; i++) {
        filter[i] = 1u << random_word(&state) % 32;
    }
    for (int i = 0; i < WANTED; i++) {
        digest_of_number(password_of(b, i), wanted[i].s);
        filter[wanted[i].s[0] >> 5 & 255] |= 1u << (wanted[i].s[0] & 31);
        wanted[i].s[2] ^= i % 4 == 3;
    }
    make(b, 2, sizeof(cl_int)), make(b, 3, MOST * sizeof(cl_uint2));
    up(b, 0), up(b, 1);
}

static void md5_search_once(struct clbench *b) {
    cl_uint passwords = (cl_uint)b->size;
    cl_int count = WANTED, most = MOST;
    struct range range = RANGE1(round_up(b->size, 64), 64);
    launch(b, "nothing_found", RANGE1(1, 0), B(2));
    launch(b, "md5_search", range, V(first_password), V(passwords), V(salt), B(0), V(count), B(1), V(most), B(2), B(3));
}

static int md5_search_check(struct clbench *b) {
    const cl_int *found = b->buffer[2].host;
    const cl_uint2 *places = b->buffer[3].host;
    long wanted = 0;
    int ok = 1;
    unsigned char is_found[WANTED] = {0};
    down(b, 2), down(b, 3);
    for (long i = 0; i < WANTED; i++) {
        wanted += i % 4 != 3 && password_of(b, i) < first_password + (uint32_t)b->size;
    }
    ok = same("found", 0, found[0], wanted) && same("some are found", 0, wanted > WANTED / 4, 1);
    for (long i = 0; ok && i < wanted; i++) {
        cl_uint at = places[i].s[1];
        ok = same("digest is known", i, at < WANTED && !is_found[at % WANTED], 1) &&
             same("password", i, places[i].s[0], password_of(b, at));
        is_found[at % WANTED] = 1;
    }
    return ok;
}

enum { HOPS = 64, PREFIXES = 1200 };

static const cl_uint is_block = 0x80000000;

struct packet {
    cl_uint address;
    cl_ushort bytes;
    cl_uchar lifetime, kind;
};

struct prefix {
    cl_uint address;
    int length, hop;
};

/* So many bits from the highest on. */
static uint32_t high_bits(int count) { return count == 0 ? 0 : ~(uint32_t)0 << (32 - count); }

/* A prefix becomes part of a level's entries: `bits` of its address, of which `known` are given. */
static void cover(cl_uint *entries, const struct prefix *prefix, int before, int bits) {
    int open = before + bits - prefix->length;
    cl_uint begin = prefix->address << before >> (32 - bits);
    for (cl_uint i = 0; i < 1u << open; i++) {
        entries[begin + i] = (cl_uint)prefix->hop;
    }
}

/* The block behind an entry, which is made where there is none yet. */
static cl_uint *block_of(cl_uint *entry, cl_uint *blocks, cl_uint *count) {
    if ((*entry & is_block) == 0) {
        for (int i = 0; i < 256; i++) {
            blocks[*count * 256 + (cl_uint)i] = *entry;
        }
        *entry = is_block | *count, *count += 1;
    }
    return blocks + (*entry & ~is_block) * 256;
}

static int by_length(const void *a, const void *c) { return ((const struct prefix *)a)->length - ((const struct prefix *)c)->length; }

/* Buffer 7 has the prefixes, on this side alone; some are within others. Shorter ones come first, so that longer ones go over them. */
static void make_routes(struct clbench *b, uint32_t *state) {
    struct prefix *prefixes = make(b, 7, PREFIXES * sizeof *prefixes);
    cl_uint *first = make(b, 1, 65536 * sizeof *first), *blocks = make(b, 2, (size_t)PREFIXES * 2 * 256 * sizeof *blocks), count = 0;
    for (int i = 0; i < PREFIXES; i++) {
        struct prefix *prefix = prefixes + i;
        uint32_t kind = random_word(state) % 10, low = random_word(state);
        prefix->length = (int)(kind < 2 ? 6 + low % 11 : kind < 8 ? 17 + low % 8 : 25 + low % 8);
        prefix->address = i > 0 && i % 3 == 0 ? prefixes[random_word(state) % (uint32_t)i].address | low >> 9 : random_word(state);
        prefix->address &= high_bits(prefix->length), prefix->hop = 1 + (int)(random_word(state) % (HOPS - 1));
    }
    qsort(prefixes, PREFIXES, sizeof *prefixes, by_length);
    for (int i = 0; i < PREFIXES; i++) {
        const struct prefix *prefix = prefixes + i;
        if (prefix->length <= 16) {
            cover(first, prefix, 0, 16);
            continue;
        }
        cl_uint *block = block_of(first + (prefix->address >> 16), blocks, &count);
        if (prefix->length <= 24) {
            cover(block, prefix, 16, 8);
        } else {
            cover(block_of(block + (prefix->address >> 8 & 255), blocks, &count), prefix, 24, 8);
        }
    }
}

static void route_lookup_prepare(struct clbench *b) {
    struct packet *packets = make(b, 0, (size_t)b->size * sizeof *packets);
    uint32_t state = 2459;
    make_routes(b, &state);
    for (long i = 0; i < b->size; i++) {
        const struct prefix *prefix = (const struct prefix *)b->buffer[7].host + random_word(&state) % PREFIXES;
        uint32_t low = random_word(&state);
        packets[i].address = i % 4 == 0 ? low : prefix->address | (low & ~high_bits(prefix->length));
        packets[i].bytes = (cl_ushort)(40 + random_word(&state) % 1460);
        packets[i].lifetime = (cl_uchar)(random_word(&state) % 64), packets[i].kind = 6;
    }
    make(b, 3, (size_t)b->size * sizeof(cl_ushort)), make(b, 4, HOPS * sizeof(cl_uint)), make(b, 5, HOPS * sizeof(cl_uint));
    up(b, 0), up(b, 1), up(b, 2);
}

static void route_lookup_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "nothing_sent", RANGE1(HOPS, 0), B(4), B(5));
    launch(b, "route_lookup", RANGE1(round_up(count, 256), 256), B(0), V(count), B(1), B(2), B(3), B(4), B(5));
}

/* Where a packet goes: the last prefix that fits is the longest one. Two of the same length and address may be there, of which
 * the table has the last one too. */
static int hop_of(const struct clbench *b, const struct packet *packet) {
    const struct prefix *prefixes = b->buffer[7].host;
    int i = PREFIXES - 1;
    while (i >= 0 && ((packet->address ^ prefixes[i].address) & high_bits(prefixes[i].length)) != 0) {
        i--;
    }
    return packet->lifetime <= 1 || i < 0 ? 0 : prefixes[i].hop;
}

/* Of many packets not all are looked at; what the hops get is told from where the kernel sends them. */
static int route_lookup_check(struct clbench *b) {
    const struct packet *packets = b->buffer[0].host;
    const cl_ushort *hops = b->buffer[3].host;
    const cl_uint *counts = b->buffer[4].host, *bytes = b->buffer[5].host;
    cl_uint all[HOPS] = {0}, all_bytes[HOPS] = {0};
    long step = b->size / 300007 + 1;
    int ok = 1;
    down(b, 3), down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        ok = hops[i] < HOPS && (i % step != 0 || same("hop", i, hops[i], hop_of(b, packets + i)));
        all[hops[i] % HOPS]++, all_bytes[hops[i] % HOPS] += packets[i].bytes;
    }
    for (int i = 0; ok && i < HOPS; i++) {
        ok = same("packets", i, counts[i], all[i]) && same("bytes", i, bytes[i], all_bytes[i]);
    }
    return ok && same("some have no way, some have", 0, counts[0] > 0 && counts[0] < b->size / 2, 1);
}

enum { FIRST_YEAR = 1990, YEARS = 40, MONTHS = YEARS * 12, SELLERS = 48, SELLERS_OF_GROUP = 64 };

static const cl_uchar shop = 2;
static const cl_int seconds_east = 19800;

/* Most sales are of the years that are counted, some long before or after. */
static void month_totals_prepare(struct clbench *b) {
    cl_long *moments = make(b, 0, (size_t)b->size * sizeof *moments);
    cl_int *prices = make(b, 1, (size_t)b->size * sizeof *prices);
    unsigned char *shops = make(b, 2, (size_t)b->size);
    uint32_t state = 2467;
    for (long i = 0; i < b->size; i++) {
        cl_long span = i % 19 == 4 ? 200L * 31556952 : 38L * 31556952;
        moments[i] = (i % 19 == 4 ? -100L * 31556952 : 631152000L) + (cl_long)((double)random_unit(&state) * (double)span);
        moments[i] += random_word(&state) % 300;
        prices[i] = (cl_int)(random_word(&state) % 20000) - (i % 23 == 6 ? 20000 : 0);
        shops[i] = (unsigned char)(random_word(&state) % 8 < 5 ? shop : random_word(&state) % 7);
    }
    make(b, 3, MONTHS * sizeof(cl_int)), make(b, 4, MONTHS * sizeof(cl_int)), make(b, 5, MONTHS * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2);
}

static void month_totals_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size;
    launch(b, "nothing_sold", RANGE1(MONTHS, 0), B(3), B(4), B(5));
    struct range range = RANGE1(SELLERS * SELLERS_OF_GROUP, SELLERS_OF_GROUP);
    launch(b, "month_totals", range, B(0), B(1), B(2), V(rows), V(shop), V(seconds_east), B(3), B(4), B(5));
}

static int month_totals_check(struct clbench *b) {
    const cl_long *moments = b->buffer[0].host;
    const cl_int *prices = b->buffer[1].host, *counts = b->buffer[3].host, *sums = b->buffer[4].host, *most = b->buffer[5].host;
    const unsigned char *shops = b->buffer[2].host;
    long all[MONTHS] = {0}, total[MONTHS] = {0}, highest[MONTHS], others = 0;
    int ok = 1;
    down(b, 3), down(b, 4), down(b, 5);
    for (long i = 0; i < MONTHS; i++) {
        highest[i] = INT32_MIN;
    }
    for (long i = 0; i < b->size; i++) {
        time_t moment = moments[i] + seconds_east;
        struct tm day;
        gmtime_r(&moment, &day);
        long month = (day.tm_year + 1900 - FIRST_YEAR) * 12 + day.tm_mon;
        if (shops[i] != shop || day.tm_wday == 0 || day.tm_wday == 6 || month < 0 || month >= MONTHS) {
            others++;
            continue;
        }
        all[month]++, total[month] += prices[i];
        highest[month] = prices[i] > highest[month] ? prices[i] : highest[month];
    }
    for (long i = 0; ok && i < MONTHS; i++) {
        ok = same("count", i, counts[i], all[i]) && same("sum", i, sums[i], total[i]) && same("most", i, most[i], highest[i]);
    }
    return ok && same("some are others", 0, others > b->size / 4 && others < b->size, 1);
}

const struct workload round19_data_workloads[] = {
    WORKLOAD(round19_data, md5_search, 3001, 100003, 2000003, 30000001),
    WORKLOAD(round19_data, route_lookup, 2003, 100003, 1000003, 2000003),
    WORKLOAD(round19_data, month_totals, 3001, 120011, 2000003, 10000019),
    END_OF_WORKLOADS,
};
