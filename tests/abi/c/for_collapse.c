// collapse: rectangular and (triangular) nests of two and three loops, mixed types, every schedule.
#include "check.h"

enum { A = 13, B = 17, C = 5 };
static int seen[A][B][C], flat[A][B];

#define PRAGMA(text) _Pragma(#text)
#define NEST(...)                                                           \
    do {                                                                    \
        memset(seen, 0, sizeof seen);                                       \
        PRAGMA(omp parallel for collapse(3) schedule(__VA_ARGS__))          \
        for (int a = 0; a < A; a++)                                         \
            for (long b = B - 1; b >= 0; b--)                               \
                for (unsigned c = 0; c < C; c++) add_int(&seen[a][b][c], 1); \
        for (int a = 0; a < A; a++)                                         \
            for (int b = 0; b < B; b++)                                     \
                for (int c = 0; c < C; c++) EQUAL(seen[a][b][c], 1);        \
    } while (0)

static void triangular(void) {
    memset(flat, 0, sizeof flat);
#pragma omp parallel for collapse(2)
    for (int a = 0; a < A; a++)
        for (int b = a; b < B; b++) add_int(&flat[a][b], 1);
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++) EQUAL(flat[a][b], b >= a);
}

static void last_values(void) {
    int a, b, last = 0;
#pragma omp parallel for collapse(2) lastprivate(a, b, last) schedule(guided)
    for (a = 0; a < A; a++)
        for (b = 0; b < B; b++) last = a * 100 + b;
    EQUAL(last, (A - 1) * 100 + B - 1);
    EQUAL(a, A);
    EQUAL(b, B);
}

static void nothing_inside(void) {
    int runs = 0;
    volatile int none = 0;
#pragma omp parallel for collapse(2) reduction(+ : runs)
    for (int a = 0; a < A; a++)
        for (int b = 0; b < none; b++) runs++;
    EQUAL(runs, 0);
}

static void tiled_order(void) {
    // A collapsed ordered loop runs in the order of the nest.
    int next = 0;
#pragma omp parallel for collapse(2) ordered schedule(dynamic)
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++) {
#pragma omp ordered
            {
                EQUAL(next, a * B + b);
                next++;
            }
        }
    EQUAL(next, A * B);
}

int main(void) {
    NEST(static);
    NEST(static, 2);
    NEST(dynamic);
    NEST(dynamic, 9);
    NEST(guided);
    NEST(runtime);
    triangular();
    last_values();
    nothing_inside();
    tiled_order();
    return 0;
}
