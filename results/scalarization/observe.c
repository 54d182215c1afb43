/* What kernels of VICINITY_ORDER=observed tell of their values, counted by vectors of LANES items (8 unless set).
 *
 * Preload it, with one thread. At the end it appends a line for each value to the file OBSERVED: what the translator says of it
 * (translator/src/vector/observe.rs), then how many vectors made or used it, how many items of them there were, in how many vectors all had
 * the same, in how many each had so much more than its neighbour, in how many of these as many bytes as are accessed, and of these from a
 * multiple of the whole vector on, and in how many the translator was wrong.
 *
 * Items of a vector are together in an instruction if they are in the same iterations of all loops around it. All memory is kept
 * until the end of a vector; a vector is over when an item begins that is not the next of it.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64, SITES = 1 << 16 };

struct site {
    const char *text; /* Where it is in the program. */
    char *copy;
    char class;
    int64_t stride;
    int bits;
    uint64_t bytes;
    uint64_t vectors, items, uniform, affine, unit, aligned, wrong;
};

/* One instruction of a vector, in certain iterations. */
struct met {
    uint64_t key, stamp;
    struct site *site;
    uint64_t first, last; /* values */
    uint64_t stride;
    unsigned first_lane, last_lane, items;
    char uniform, affine;
};

static struct site sites[SITES];
static struct met *table;
static uint64_t size, used, stamp = 1;
static struct met **order; /* the entries that are used, by when they came */
static uint64_t lanes = 8, lane = UINT64_MAX;
static struct { uint32_t loop; uint64_t round, hash; } around[DEPTH];
static int inside;
static uint32_t now_in; /* the region */

static uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    return (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
}

static uint64_t within(uint64_t value, int bits) { return bits == 0 || bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1); }

/* Counts a vector's values. */
static void flush(void) {
    for (uint64_t at = 0; at < used; at++) {
        struct met *met = order[at];
        struct site *site = met->site;
        int strided = !met->uniform && met->affine;
        site->vectors++;
        site->items += met->items;
        site->uniform += met->uniform;
        site->affine += strided;
        int unit = met->items > 1 && strided && site->bytes > 0 && met->stride == site->bytes;
        uint64_t begin = met->first - met->stride * met->first_lane;
        site->unit += unit;
        site->aligned += unit && begin % (lanes * site->bytes) == 0;
        uint64_t stride = within((uint64_t)site->stride, site->bits);
        site->wrong += site->class == 'u' && !met->uniform;
        site->wrong += site->class == 'a' && met->items > 1 && !(met->affine && met->stride == stride);
    }
    used = 0;
    stamp++;
}

void vicinity_observe_item(uint32_t region, uint64_t x) {
    if (region != now_in) {
        flush();
    }
    now_in = region;
    if (x % lanes == 0 || x != lane + 1) {
        flush();
    }
    lane = x;
    inside = 0;
}

void vicinity_observe_round(uint32_t region, uint32_t depth, uint32_t loop) {
    if (region != now_in) {
        return;
    }
    if (depth >= DEPTH) {
        abort();
    }
    int goes_on = (int)depth < inside && around[depth].loop == loop;
    around[depth].round = goes_on ? around[depth].round + 1 : 0;
    around[depth].loop = loop;
    uint64_t outer = depth > 0 ? around[depth - 1].hash : 0;
    around[depth].hash = mixed(outer + mixed(loop * UINT64_C(0x100000001) + around[depth].round + 1));
    inside = (int)depth + 1;
}

static struct site *site_of(const char *text) {
    uint64_t at = mixed((uintptr_t)text) % SITES;
    while (sites[at].text != NULL && sites[at].text != text) {
        at = (at + 1) % SITES;
    }
    struct site *site = &sites[at];
    if (site->text == NULL) {
        char class[16];
        site->text = text;
        site->copy = strdup(text);
        if (sscanf(text, "%*s %*s %*s %*s %15s %" SCNd64 " %d %" SCNu64, class, &site->stride, &site->bits, &site->bytes) != 4) {
            abort();
        }
        site->class = class[0];
    } else if (strcmp(site->copy, text) != 0) {
        abort(); /* Another program has come to its place. */
    }
    return site;
}

static void grow(void) {
    struct met *old = table;
    uint64_t old_size = size;
    size = size == 0 ? 1 << 16 : size * 2;
    table = calloc(size, sizeof *table);
    order = realloc(order, size * sizeof *order);
    if (table == NULL || order == NULL) {
        abort();
    }
    uint64_t count = 0;
    for (uint64_t from = 0; from < old_size; from++) {
        if (old[from].stamp == stamp) {
            uint64_t at = old[from].key & (size - 1);
            while (table[at].stamp == stamp) {
                at = (at + 1) & (size - 1);
            }
            table[at] = old[from];
            order[count++] = &table[at];
        }
    }
    free(old);
}

void vicinity_observe_value(const char *text, uint32_t region, uint32_t depth, uint64_t bits) {
    if (region != now_in) {
        return;
    }
    if (2 * used >= size) {
        grow();
    }
    uint64_t rounds = depth > 0 ? around[depth - 1].hash : 0;
    uint64_t key = mixed((uintptr_t)text + mixed(rounds));
    uint64_t at = key & (size - 1);
    while (table[at].stamp == stamp && table[at].key != key) {
        at = (at + 1) & (size - 1);
    }
    struct met *met = &table[at];
    unsigned now = (unsigned)(lane % lanes);
    if (met->stamp != stamp) {
        order[used++] = met;
        *met = (struct met){.key = key, .stamp = stamp, .site = site_of(text), .first = bits, .last = bits, .uniform = 1, .affine = 1};
        met->first_lane = met->last_lane = now;
        met->items = 1;
        return;
    }
    int width = met->site->bits;
    unsigned steps = now - met->last_lane;
    if (met->items == 1) {
        /* Division of the difference by an odd or even number of steps: the stride is that which the translator would claim, a signed one. */
        int64_t difference = (int64_t)(bits - met->first);
        if (width > 0 && width < 64) {
            difference = (int64_t)((uint64_t)difference << (64 - width)) >> (64 - width);
        }
        met->affine = width > 1 && steps > 0 && difference % (int64_t)steps == 0;
        met->stride = met->affine ? within((uint64_t)(difference / (int64_t)steps), width) : 0;
    }
    met->uniform = met->uniform && bits == met->first;
    met->affine = met->affine && within(met->last + met->stride * steps, width) == bits;
    met->last = bits;
    met->last_lane = now;
    met->items++;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("LANES");
    lanes = text != NULL ? strtoull(text, NULL, 10) : 8;
}

__attribute__((destructor)) static void end(void) {
    const char *name = getenv("OBSERVED");
    flush();
    if (name == NULL) {
        return;
    }
    FILE *out = fopen(name, "a");
    for (int at = 0; out != NULL && at < SITES; at++) {
        struct site *site = &sites[at];
        if (site->copy != NULL) {
            fprintf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", site->copy, site->vectors,
                    site->items, site->uniform, site->affine, site->unit, site->aligned, site->wrong);
        }
    }
    if (out != NULL) {
        fclose(out);
    }
}
