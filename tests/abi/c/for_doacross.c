// doacross: ordered(n) with depend(sink) and depend(source), one and two dimensions, every schedule.
#include "check.h"

enum { N = 120, H = 9, W = 12 };
static int done[N + 1], grid[H + 1][W + 1];

#define PRAGMA(text) _Pragma(#text)
#define LINE(type, ...)                                              \
    do {                                                             \
        memset(done, 0, sizeof done);                                \
        PRAGMA(omp parallel for ordered(1) schedule(__VA_ARGS__))    \
        for (type i = 1; i <= N; i++) {                              \
            PRAGMA(omp ordered depend(sink : i - 1))                 \
            if (i > 1) EQUAL(load_int(&done[i - 1]), 1);             \
            store_int(&done[i], 1);                                  \
            PRAGMA(omp ordered depend(source))                       \
        }                                                            \
        for (int i = 1; i <= N; i++) EQUAL(done[i], 1);              \
    } while (0)

#define GRID(...)                                                        \
    do {                                                                 \
        memset(grid, 0, sizeof grid);                                    \
        PRAGMA(omp parallel for ordered(2) schedule(__VA_ARGS__))        \
        for (int i = 1; i <= H; i++)                                     \
            for (int j = 1; j <= W; j++) {                               \
                PRAGMA(omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)) \
                int up = load_int(&grid[i - 1][j]), left = load_int(&grid[i][j - 1]); \
                store_int(&grid[i][j], (up > left ? up : left) + 1);     \
                PRAGMA(omp ordered depend(source))                       \
            }                                                            \
        for (int i = 1; i <= H; i++)                                     \
            for (int j = 1; j <= W; j++) EQUAL(grid[i][j], i + j - 1);   \
    } while (0)

static void far_sinks(void) {
    memset(done, 0, sizeof done);
#pragma omp parallel for ordered(1) schedule(dynamic, 2)
    for (int i = 1; i <= N; i++) {
#pragma omp ordered depend(sink : i - 5) depend(sink : i - 2)
        if (i > 5) EQUAL(load_int(&done[i - 5]), 1);
        if (i > 2) EQUAL(load_int(&done[i - 2]), 1);
        store_int(&done[i], 1);
#pragma omp ordered depend(source)
    }
}

static void backwards(void) {
    memset(done, 0, sizeof done);
#pragma omp parallel for ordered(1) schedule(static, 3)
    for (int i = N; i >= 1; i--) {
#pragma omp ordered depend(sink : i + 1)
        if (i < N) EQUAL(load_int(&done[i + 1]), 1);
        store_int(&done[i], 1);
#pragma omp ordered depend(source)
    }
}

int main(void) {
    LINE(int, static);
    LINE(int, static, 1);
    LINE(int, dynamic);
    LINE(int, dynamic, 7);
    LINE(int, guided);
    LINE(int, runtime);
    LINE(long, static);
    LINE(unsigned long long, static);
    LINE(unsigned long long, dynamic, 3);
    GRID(static);
    GRID(static, 1);
    GRID(dynamic);
    GRID(guided);
    far_sinks();
    backwards();
    return 0;
}
