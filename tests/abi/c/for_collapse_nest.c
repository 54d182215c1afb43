// Nests that a compiler leaves to the runtime to collapse: each thread gets a run of the iterations, all get all of them.
// threads: 1 3 8
// peer-fails: libgomp it has no such calls
// peer-fails: libomp it stops at nests whose outer loop goes down, and in triangles no thread has the last iteration
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// What Intel's compilers call; the runtime is asked, because this one's may not know them.
enum comparison { LESS_EQUAL, GREATER_EQUAL, NOT_EQUAL, LESS, GREATER };
enum type { UINT32 = 4, INT32, UINT64, INT64 };
struct bounds {
    int32_t type, variable, comparison, outer;
    uint64_t lower0, lower1, upper0, upper1;
    int64_t step;
    uint64_t trips;
};
static int32_t (*collapsed_init)(void *, int32_t, struct bounds *, struct bounds *, int32_t, int32_t *);
static uint64_t (*process_nest)(void *, int32_t, struct bounds *, int32_t);
static void (*original_values)(void *, uint64_t, const struct bounds *, uint64_t *, int32_t);
static int32_t (*number)(void *);
static int here[6] = {0, 2};

enum { DEPTH = 4, MOST = 20000 };
struct nest {
    int depth;
    struct bounds loops[DEPTH];
};
struct points {
    int count;
    uint64_t at[MOST][DEPTH];
};
static struct points serial;
static int visits[MOST], parts_with_last;

static uint64_t keep(int type, uint64_t value) {
    return type == UINT32 ? (uint32_t)value : type == INT32 ? (uint64_t)(int32_t)value : value;
}

static int order(int type, uint64_t a, uint64_t b) {
    if (type % 2) return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
    return (a > b) - (a < b);
}

static bool goes_on(const struct bounds *loop, uint64_t at, uint64_t end) {
    int order_ = order(loop->type, at, end);
    switch (loop->comparison) {
    case LESS_EQUAL: return order_ <= 0;
    case GREATER_EQUAL: return order_ >= 0;
    case LESS: return order_ < 0;
    case GREATER: return order_ > 0;
    default: return order_ != 0;
    }
}

static bool upwards(const struct bounds *loop) {
    if (loop->comparison == NOT_EQUAL) return loop->step > 0;
    return loop->comparison == LESS || loop->comparison == LESS_EQUAL;
}

typedef void visitor(const uint64_t *point, int depth);

// Runs a nest, as a compiler's code does: all of it, or from the first to the last point of a thread's own part.
static void run(const struct nest *nest, int level, uint64_t *point, const struct bounds *from, const struct bounds *to,
                visitor *visit) {
    if (level == nest->depth) return visit(point, level);
    const struct bounds *loop = &nest->loops[level];
    uint64_t outer = level ? point[loop->outer] : 0;
    uint64_t at = keep(loop->type, loop->lower0 + loop->lower1 * outer);
    uint64_t end = keep(loop->type, loop->upper0 + loop->upper1 * outer);
    if (from) at = from[level].lower0;
    for (; goes_on(loop, at, end); at = keep(loop->type, at + loop->step)) {
        if (to && order(loop->type, at, to[level].upper0) * (upwards(loop) ? 1 : -1) > 0) return;
        point[level] = at;
        bool first = from && at == from[level].lower0, last = to && at == to[level].upper0;
        run(nest, level + 1, point, first ? from : NULL, last ? to : NULL, visit);
    }
}

static void remember(const uint64_t *point, int depth) {
    CHECK(serial.count < MOST);
    memcpy(serial.at[serial.count++], point, depth * sizeof *point);
}

// Where the thread's next point must be among the serial ones; -1 before its first.
static _Thread_local int next;

static void compare(const uint64_t *point, int depth) {
    size_t size = depth * sizeof *point;
    if (next < 0) {
        for (next = 0; next < serial.count && memcmp(serial.at[next], point, size); next++) continue;
    }
    CHECK(next < serial.count);
    EQUAL(memcmp(serial.at[next], point, size), 0);
    add_int(&visits[next++], 1);
}

static void check(const struct nest *nest) {
    uint64_t point[DEPTH];
    serial.count = 0;
    run(nest, 0, point, NULL, NULL, remember);
    memset(visits, 0, sizeof visits);
    parts_with_last = 0;
#pragma omp parallel
    {
        struct bounds all[DEPTH], own[DEPTH];
        uint64_t at[DEPTH];
        int32_t last = 7;
        memcpy(all, nest->loops, sizeof all);
        next = -1;
        if (collapsed_init(here, number(here), all, own, nest->depth, &last)) {
            run(nest, 0, at, own, own, compare);
            EQUAL(last, next == serial.count);
            add_int(&parts_with_last, last);
        } else {
            EQUAL(last, 0);
        }
    }
    for (int i = 0; i < serial.count; i++) EQUAL(visits[i], 1);
    EQUAL(parts_with_last, serial.count > 0);
}

// A nest without lines, as one loop over numbers.
static void check_rectangular(const struct nest *nest) {
    struct bounds all[DEPTH];
    uint64_t point[DEPTH];
    serial.count = 0;
    run(nest, 0, point, NULL, NULL, remember);
    memcpy(all, nest->loops, sizeof all);
    EQUAL(process_nest(here, 0, all, nest->depth), serial.count);
    for (int i = 0; i < serial.count; i++) {
        original_values(here, i, all, point, nest->depth);
        for (int level = 0; level < nest->depth; level++) EQUAL(point[level], serial.at[i][level]);
    }
}

static unsigned state = 1;
static int below(int n) {
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

static struct nest random_nest(bool lines) {
    // Unsigned variables stay away from 0, where their bounds would wrap.
    int type = UINT32 + below(4), base = type % 2 ? 0 : 500;
    struct nest nest = {.depth = 1 + below(3)};
    for (int level = 0; level < nest.depth; level++) {
        struct bounds *loop = &nest.loops[level];
        *loop = (struct bounds){.type = type, .variable = type, .comparison = below(5)};
        loop->outer = level ? below(level) : 0;
        int64_t slopes[2] = {0, 0};
        for (int i = 0; i < 2 && lines && level; i++) slopes[i] = below(2) ? below(5) - 2 : 0;
        int64_t lower = base - slopes[0] * base + below(13) - 6, upper = base - slopes[1] * base + below(13) - 6;
        loop->step = 1 + below(4);
        if (loop->comparison == GREATER || loop->comparison == GREATER_EQUAL) loop->step = -loop->step;
        if (loop->comparison == NOT_EQUAL) {
            // It must meet its end.
            loop->step = 1;
            slopes[1] = slopes[0];
            upper = lower + below(6);
        }
        loop->lower0 = keep(type, lower), loop->upper0 = keep(type, upper);
        loop->lower1 = keep(type, slopes[0]), loop->upper1 = keep(type, slopes[1]);
    }
    return nest;
}

static const struct nest fixed[] = {
    // i < 50, j < i; i <= 50, j <= i; i <= 50, j from i; unsigned, and empty at its first i.
    {2, {{INT32, INT32, LESS, 0, 0, 0, 50, 0, 1, 0}, {INT32, INT32, LESS, 0, 0, 0, 0, 1, 1, 0}}},
    {2, {{INT64, INT64, LESS_EQUAL, 0, 0, 0, 50, 0, 1, 0}, {INT64, INT64, LESS_EQUAL, 0, 0, 0, 0, 1, 1, 0}}},
    {2, {{INT32, INT32, LESS_EQUAL, 0, 0, 0, 50, 0, 1, 0}, {INT32, INT32, LESS_EQUAL, 0, 0, 1, 50, 0, 1, 0}}},
    {2, {{UINT64, UINT64, LESS, 0, 0, 0, 30, 0, 1, 0}, {UINT64, UINT64, LESS, 0, 0, 0, 0, 1, 1, 0}}},
    // A triangle in a triangle, and one whose inner loop steps over two.
    {3, {{INT32, INT32, LESS, 0, 0, 0, 20, 0, 1, 0}, {INT32, INT32, LESS, 0, 0, 0, 0, 1, 1, 0},
         {INT32, INT32, LESS_EQUAL, 1, 0, 1, 19, 0, 1, 0}}},
    {2, {{INT32, INT32, GREATER, 0, 40, 0, 0, 0, -3, 0}, {INT32, INT32, LESS, 0, 0, 0, 0, 1, 2, 0}}},
};

int main(void) {
    *(void **)&collapsed_init = dlsym(RTLD_DEFAULT, "__kmpc_for_collapsed_init");
    *(void **)&process_nest = dlsym(RTLD_DEFAULT, "__kmpc_process_loop_nest_rectang");
    *(void **)&original_values = dlsym(RTLD_DEFAULT, "__kmpc_calc_original_ivs_rectang");
    *(void **)&number = dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num");
    CHECK(collapsed_init && process_nest && original_values && number);
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++) check(&fixed[i]);
    for (int i = 0; i < 300; i++) {
        struct nest nest = random_nest(true);
        check(&nest);
        nest = random_nest(false);
        check(&nest);
        check_rectangular(&nest);
    }
    return 0;
}
