// User-defined reductions: with and without initializer, structs large and small, pointers to the original.
#include "check.h"

struct stats { long count; double sum, least, most; };
struct histogram { int bins[64]; };

static void join(struct stats *into, const struct stats *from) {
    into->count += from->count;
    into->sum += from->sum;
    if (from->least < into->least) into->least = from->least;
    if (from->most > into->most) into->most = from->most;
}
static void start(struct stats *s) {
    s->count = 0;
    s->sum = 0;
    s->least = 1e30;
    s->most = -1e30;
}
static void add_bins(struct histogram *into, const struct histogram *from) {
    for (int i = 0; i < 64; i++) into->bins[i] += from->bins[i];
}
#pragma omp declare reduction(join : struct stats : join(&omp_out, &omp_in)) initializer(start(&omp_priv))
#pragma omp declare reduction(+ : struct histogram : add_bins(&omp_out, &omp_in))
#pragma omp declare reduction(furthest : int : omp_out = abs(omp_in) > abs(omp_out) ? omp_in : omp_out) \
    initializer(omp_priv = 0)
#pragma omp declare reduction(from_original : int : omp_out += omp_in) initializer(omp_priv = omp_orig * 0)

int main(void) {
    int team = omp_get_max_threads();
    struct stats s;
    static struct histogram h;
    int far = 1, from = 5;
    start(&s);
    omp_set_dynamic(0);
#pragma omp parallel for reduction(join : s) reduction(+ : h) reduction(furthest : far) schedule(dynamic, 7)
    for (int i = 0; i < 1000; i++) {
        double v = (i * 37) % 1000 - 500;
        struct stats one = {1, v, v, v};
        join(&s, &one);
        h.bins[i % 64]++;
        if (abs((int)v) > abs(far)) far = (int)v;
    }
    EQUAL(s.count, 1000);
    CHECK(s.sum == -500 && s.least == -500 && s.most == 499);
    for (int i = 0; i < 64; i++) EQUAL(h.bins[i], 1000 / 64 + (i < 1000 % 64));
    EQUAL(far, -500);
#pragma omp parallel reduction(from_original : from)
    from += 2;
    EQUAL(from, 5 + 2 * team);
    struct stats t;
    start(&t);
#pragma omp parallel
    {
#pragma omp sections reduction(join : t)
        {
#pragma omp section
            join(&t, &(struct stats){1, 1, 1, 1});
#pragma omp section
            join(&t, &(struct stats){1, 2, 2, 2});
        }
        EQUAL(t.count, 2);
    }
    CHECK(t.sum == 3 && t.most == 2 && t.least == 1);
    return 0;
}
