/* Data. Sizes are bytes of text, rows of a table, points. */
#include "workloads.h"

enum { REPLACEMENT = 0xfffd, GROUP_BYTES = 64 * 16 };

/* Puts a character's bytes, without the last one if it is to be broken. */
static long put_character(unsigned char *text, uint32_t number, int broken) {
    int more = number < 0x80 ? 0 : number < 0x800 ? 1 : number < 0x10000 ? 2 : 3;
    static const unsigned char leads[4] = {0, 0xc0, 0xe0, 0xf0};
    text[0] = (unsigned char)(leads[more] | number >> (6 * more));
    for (int i = 1; i <= more; i++) {
        text[i] = (unsigned char)(0x80 | (number >> (6 * (more - i)) & 0x3f));
    }
    return more + 1 - (broken && more > 0);
}

/* Words in the letters of several languages, and symbols. The words that are expected are in buffer 4, on this side alone. */
static void utf16_text_prepare(struct clbench *b) {
    static const uint32_t first[5] = {0x61, 0x61, 0x430, 0x4e00, 0x1f300}, range[5] = {26, 26, 32, 20000, 300};
    unsigned char *text = make(b, 0, (size_t)b->size), character[8];
    cl_ushort *want = make(b, 4, ((size_t)b->size + 1) * sizeof *want), words = 0;
    uint32_t state = 1637;
    long at = 0, to = 0;
    for (uint32_t left = 0, kind = 0; at < b->size; left--) {
        if (left == 0) {
            left = 2 + random_word(&state) % 12, kind = random_word(&state) % 5;
        }
        uint32_t number = left == 1 ? ' ' : first[kind] + random_word(&state) % range[kind];
        int broken = random_word(&state) % 500 == 0 && number >= 0x80;
        long bytes = put_character(character, number, broken), kept = bytes < b->size - at ? bytes : b->size - at;
        memcpy(text + at, character, (size_t)kept);
        at += kept;
        number = broken || kept < bytes ? REPLACEMENT : number;
        words = (cl_ushort)(number >= 0x10000 ? 0xd7c0 + (number >> 10) : number);
        want[to++] = words;
        if (number >= 0x10000) {
            want[to++] = (cl_ushort)(0xdc00 | (number & 0x3ff));
        }
    }
    b->buffer[4].bytes = (size_t)to * sizeof *want;
    make(b, 1, (size_t)(b->size / GROUP_BYTES + 1) * sizeof(cl_uint)), make(b, 2, ((size_t)b->size + 1) * sizeof(cl_ushort));
    make(b, 3, sizeof(cl_uint));
    up(b, 0);
}

static void utf16_text_once(struct clbench *b) {
    cl_uint bytes = (cl_uint)b->size, groups = (bytes + GROUP_BYTES - 1) / GROUP_BYTES;
    struct range range = RANGE1((size_t)groups * 64, 64);
    launch(b, "count_words", range, B(0), V(bytes), B(1));
    launch(b, "place_groups", RANGE1(256, 256), B(1), V(groups), LOCAL(256 * sizeof(cl_uint)), B(3));
    launch(b, "write_words", range, B(0), V(bytes), B(1), B(2));
}

static int utf16_text_check(struct clbench *b) {
    const cl_ushort *got = b->buffer[2].host, *want = b->buffer[4].host;
    const cl_uint *total = b->buffer[3].host;
    long words = (long)(b->buffer[4].bytes / sizeof *want);
    int ok;
    down(b, 2), down(b, 3);
    ok = same("words", 0, *total, words);
    for (long i = 0; ok && i < words; i++) {
        ok = same("word", i, got[i], want[i]);
    }
    return ok;
}

enum { PROBES = 3 };

static const cl_uint key_factor = 2654435761u;

/* Less than half of the places are taken. */
static cl_uint cuckoo_places(const struct clbench *b) {
    cl_uint places = 64;
    while ((long)places * 9 < b->size * 20) {
        places *= 2;
    }
    return places;
}

static void cuckoo_table_prepare(struct clbench *b) {
    cl_uint *keys = make(b, 0, (size_t)b->size * sizeof *keys), *probes = make(b, 4, (size_t)(b->size * PROBES) * sizeof *probes);
    uint32_t state = 1657;
    for (long i = 0; i < b->size; i++) {
        keys[i] = (cl_uint)i * key_factor;
    }
    for (long i = 0; i < b->size * PROBES; i++) {
        probes[i] = random_word(&state) % (uint32_t)(b->size * 2) * key_factor;
    }
    make(b, 1, cuckoo_places(b) * sizeof(cl_uint)), make(b, 2, (size_t)b->size * sizeof(cl_uint));
    make(b, 3, 2 * sizeof(cl_uint)), make(b, 5, (size_t)(b->size * PROBES) * sizeof(cl_uint));
    up(b, 0), up(b, 4);
}

static void cuckoo_table_once(struct clbench *b) {
    cl_uint rows = (cl_uint)b->size, count = rows * PROBES, places = cuckoo_places(b), mask = places - 1, quads = places / 4;
    launch(b, "cuckoo_clear", RANGE1(round_up(quads, 64), 64), B(1), V(quads), B(3));
    launch(b, "cuckoo_insert", RANGE1(round_up(rows, 128), 128), B(0), V(rows), B(1), V(mask), B(2), B(3));
    launch(b, "cuckoo_find", RANGE1(round_up(count, 128), 128), B(0), B(1), V(mask), B(2), B(3), B(4), V(count), B(5));
}

/* A key is the product of its row, so that a product by the inverse factor is the row again. */
static int cuckoo_table_check(struct clbench *b) {
    const cl_uint *counts = b->buffer[3].host, *probes = b->buffer[4].host, *found = b->buffer[5].host;
    cl_uint inverse = key_factor;
    long hits = 0;
    int ok = 1;
    down(b, 3), down(b, 5);
    for (int i = 0; i < 5; i++) {
        inverse *= 2 - key_factor * inverse;
    }
    for (long i = 0; ok && i < b->size * PROBES; i++) {
        cl_uint row = probes[i] * inverse;
        ok = same("row", i, found[i], row < (cl_uint)b->size ? row : UINT32_MAX);
        hits += row < (cl_uint)b->size;
    }
    return ok && same("found", 0, counts[1], hits) && same("few are left", 0, counts[0] < 1 + (cl_uint)b->size / 1000, 1);
}

enum { AREAS = 700, GRID_SIDE = 64, GRID_SHIFT = 14, MOST_CORNERS = 40 };

/* An area has corners all around its middle, near and far; only its box counts for the grid. */
static void make_areas(cl_int *boxes, cl_int *starts, cl_int *corners) {
    const int end = (GRID_SIDE << GRID_SHIFT) - 1;
    uint32_t state = 1663;
    starts[0] = 0;
    for (int area = 0; area < AREAS; area++) {
        int count = 5 + (int)(random_word(&state) % (MOST_CORNERS - 4));
        double x = (double)random_unit(&state) * end, y = (double)random_unit(&state) * end;
        double reach = 8000.0 + 40000.0 * (double)random_unit(&state);
        cl_int *box = boxes + 4 * area;
        box[0] = box[1] = end, box[2] = box[3] = 0;
        for (int i = 0; i < count; i++) {
            double angle = 6.283185 * i / count, far = reach * (0.4 + 0.6 * (double)random_unit(&state));
            cl_int *corner = corners + 2 * (starts[area] + i);
            corner[0] = (cl_int)fmin(fmax(x + far * cos(angle), 0.0), end);
            corner[1] = (cl_int)fmin(fmax(y + far * sin(angle), 0.0), end);
            for (int axis = 0; axis < 2; axis++) {
                box[axis] = corner[axis] < box[axis] ? corner[axis] : box[axis];
                box[2 + axis] = corner[axis] > box[2 + axis] ? corner[axis] : box[2 + axis];
            }
        }
        starts[area + 1] = starts[area] + count;
    }
}

static void polygon_join_prepare(struct clbench *b) {
    cl_int *points = make(b, 0, (size_t)b->size * sizeof(cl_int2)), *boxes = make(b, 3, AREAS * sizeof(cl_int4));
    cl_int *starts = make(b, 4, (AREAS + 1) * sizeof *starts), *corners = make(b, 5, AREAS * MOST_CORNERS * sizeof(cl_int2));
    cl_int *cells = make(b, 1, (GRID_SIDE * GRID_SIDE + 1) * sizeof *cells), *members;
    uint32_t state = 1667;
    for (long i = 0; i < b->size * 2; i++) {
        points[i] = (cl_int)(random_word(&state) % (GRID_SIDE << GRID_SHIFT));
    }
    memset(corners, 0, b->buffer[5].bytes);
    make_areas(boxes, starts, corners);
    members = make(b, 2, (size_t)GRID_SIDE * GRID_SIDE * AREAS * sizeof *members / 64);
    memset(members, 0, b->buffer[2].bytes);
    cells[0] = 0;
    for (int cell = 0; cell < GRID_SIDE * GRID_SIDE; cell++) {
        int left = cell % GRID_SIDE, top = cell / GRID_SIDE, count = cells[cell];
        for (int area = 0; area < AREAS; area++) {
            const cl_int *box = boxes + 4 * area;
            int across = box[0] >> GRID_SHIFT <= left && box[2] >> GRID_SHIFT >= left;
            if (across && box[1] >> GRID_SHIFT <= top && box[3] >> GRID_SHIFT >= top) {
                members[count++] = area;
            }
        }
        cells[cell + 1] = count;
    }
    make(b, 6, (size_t)b->size * sizeof(cl_int)), make(b, 7, AREAS * sizeof(cl_int));
    for (int i = 0; i < 6; i++) {
        up(b, i);
    }
}

static void polygon_join_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, areas = AREAS;
    launch(b, "clear_counts", RANGE1(round_up(areas, 64), 64), B(7), V(areas));
    launch(b, "points_in_areas", RANGE1(round_up(count, 128), 128), B(0), V(count), B(1), B(2), B(3), B(4), B(5), B(6), B(7));
}

/* Whether a point is in an area: how often the border goes around it, by where each edge crosses its row. */
static int is_within(const cl_int *corners, int count, const cl_int *point) {
    int around = 0;
    for (int i = 0; i < count; i++) {
        const cl_int *from = corners + 2 * i, *to = corners + 2 * ((i + 1) % count);
        double across = from[0] + (double)(to[0] - from[0]) * (point[1] - from[1]) / (to[1] == from[1] ? 1 : to[1] - from[1]);
        if (from[1] <= point[1] && to[1] > point[1]) {
            around += across > point[0];
        } else if (from[1] > point[1] && to[1] <= point[1]) {
            around -= across > point[0];
        }
    }
    return around != 0;
}

static int polygon_join_check(struct clbench *b) {
    const cl_int *points = b->buffer[0].host, *starts = b->buffer[4].host, *corners = b->buffer[5].host;
    const cl_int *got = b->buffer[6].host, *inside = b->buffer[7].host, *boxes = b->buffer[3].host;
    long counts[AREAS] = {0}, nowhere = 0;
    int ok = 1;
    down(b, 6), down(b, 7);
    for (long i = 0; ok && i < b->size; i++) {
        int want = -1;
        for (int area = AREAS - 1; area >= 0; area--) {
            const cl_int *box = boxes + 4 * area, *point = points + 2 * i;
            int near_by = box[0] <= point[0] && box[1] <= point[1] && point[0] <= box[2] && point[1] <= box[3];
            if (near_by && is_within(corners + 2 * starts[area], starts[area + 1] - starts[area], point)) {
                counts[area]++, want = area;
            }
        }
        ok = same("area", i, got[i], want);
        nowhere += want < 0;
    }
    for (int area = 0; ok && area < AREAS; area++) {
        ok = same("points of an area", area, inside[area], counts[area]);
    }
    return ok && same("some are nowhere", 0, nowhere > 0 && nowhere < b->size / 2, 1);
}

const struct workload round14_data_workloads[] = {
    WORKLOAD(round14_data, utf16_text, 5003, 500009, 4000037, 30000001),
    WORKLOAD(round14_data, cuckoo_table, 1003, 60013, 400009, 3000017),
    WORKLOAD(round14_data, polygon_join, 1001, 30011, 150001, 1000003),
    END_OF_WORKLOADS,
};
