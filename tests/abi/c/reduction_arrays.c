// Array-section reductions and many reduction variables in one clause.
#include "check.h"

enum { N = 500, W = 40 };

static void whole_array(void) {
    int bins[W] = {0};
#pragma omp parallel for reduction(+ : bins) schedule(dynamic)
    for (int i = 0; i < N; i++) bins[i % W]++;
    for (int i = 0; i < W; i++) EQUAL(bins[i], N / W + (i < N % W));
}

static void section_of_pointer(int length) {
    double *sums = malloc(sizeof *sums * (size_t)(length + 4));
    for (int i = 0; i < length + 4; i++) sums[i] = 1;
#pragma omp parallel for reduction(+ : sums[2 : length])
    for (int i = 0; i < N; i++)
        for (int k = 2; k < length + 2; k++) sums[k] += k;
    for (int i = 0; i < length + 4; i++)
        CHECK(sums[i] == (i >= 2 && i < length + 2 ? 1 + (double)i * N : 1));
    free(sums);
}

static void two_dimensions(void) {
    static int table[6][W];
    memset(table, 0, sizeof table);
#pragma omp parallel reduction(+ : table[1 : 4][0 : W])
    for (int r = 1; r < 5; r++)
        for (int c = 0; c < W; c++) table[r][c] += r + c;
    int team = omp_get_max_threads();
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < W; c++) EQUAL(table[r][c], r >= 1 && r < 5 ? team * (r + c) : 0);
}

static void large(void) {
    // Too large for most stacks' comfort on many threads, so it shows where the copies live.
    enum { BIG = 20000 };
    static long big[BIG];
    memset(big, 0, sizeof big);
#pragma omp parallel for reduction(+ : big)
    for (int i = 0; i < 64; i++) big[i * 300] += i;
    for (int i = 0; i < 64; i++) EQUAL(big[i * 300], i);
}

static void many_variables(void) {
    int a = 0, b = 0, c = 0, d = 1, e = ~0, f = 0, g = 0;
    long h = 0, i = 0, j = 0;
    double k = 0, l = 0, m = -1e9, n = 1e9;
    char o = 0;
    short p = 0;
    float q = 0;
#pragma omp parallel for reduction(+ : a, b, h, i, k, o, p, q) reduction(- : c, j, l) reduction(* : d) \
    reduction(& : e) reduction(| : f) reduction(^ : g) reduction(max : m) reduction(min : n)
    for (int x = 0; x < 100; x++) {
        a += x, b += 1, h += 2, i += 3, k += 0.5, o += x == 5, p += x % 2, q += 0.25f;
        c -= 1, j -= x, l -= 1.5;
        d *= x % 10 == 0 ? 2 : 1;
        e &= x == 3 ? 0xff : ~0;
        f |= 1 << x % 8;
        g ^= x;
        if (x > m) m = x;
        if (x < n) n = x;
    }
    EQUAL(a, 4950); EQUAL(b, 100); EQUAL(h, 200); EQUAL(i, 300); EQUAL(k, 50); EQUAL(o, 1);
    EQUAL(p, 50); EQUAL(q, 25); EQUAL(c, -100); EQUAL(j, -4950); EQUAL(l, -150); EQUAL(d, 1024);
    EQUAL(e, 0xff); EQUAL(f, 0xff); EQUAL(m, 99); EQUAL(n, 0);
    int parity = 0;
    for (int x = 0; x < 100; x++) parity ^= x;
    EQUAL(g, parity);
}

int main(void) {
    omp_set_dynamic(0);
    whole_array();
    section_of_pointer(1);
    section_of_pointer(33);
    two_dimensions();
    large();
    many_variables();
    return 0;
}
