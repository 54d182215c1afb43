/* Health: a country's health service, step by step; villages send the badly ill to the next hospital.
 *
 * The country is a tree: every district has BRANCHES districts below it, the lowest are villages. SIZE
 * is the levels of the tree. In each step a task a district treats its patients after all districts
 * below it have; those it cannot help go up. Who falls ill is drawn from a sequence of the
 * district's own, so the outcome does not depend on order. In the spirit of the Barcelona OpenMP Tasks
 * Suite's program of this name.
 */
#include "bench.h"

enum { BRANCHES = 4, STEPS = 60, STAFF = 3, STAY = 3, FALL_ILL = 48 /* of 256 */, WORSE = 40 };

struct district {
    uint64_t random;
    long waiting;       /* patients that nobody treats yet */
    long treated[STAY]; /* by how many steps they stay on */
    long cured;
    long sent_up; /* in this step */
    struct district *below; /* BRANCHES of them, or NULL for a village */
};

static struct district *make(int levels, uint64_t *seed) {
    struct district *districts = bench_alloc(BRANCHES * sizeof(struct district));
    memset(districts, 0, BRANCHES * sizeof(struct district));
    for (int i = 0; i < BRANCHES; i++) {
        districts[i].random = bench_random(seed);
        districts[i].below = levels > 1 ? make(levels - 1, seed) : NULL;
    }
    return districts;
}

static void drop(struct district *districts) {
    for (int i = 0; districts != NULL && i < BRANCHES; i++) {
        drop(districts[i].below);
    }
    free(districts);
}

/* One step of a district whose districts below have done theirs. */
static void treat(struct district *d) {
    for (int i = 0; d->below != NULL && i < BRANCHES; i++) {
        d->waiting += d->below[i].sent_up;
    }
    d->cured += d->treated[0];
    for (int left = 0; left + 1 < STAY; left++) {
        d->treated[left] = d->treated[left + 1];
    }
    d->treated[STAY - 1] = 0;
    d->sent_up = 0;
    if (d->below == NULL) {
        d->waiting += bench_random(&d->random) % 256 < FALL_ILL;
    }
    long busy = 0;
    for (int left = 0; left < STAY; left++) {
        busy += d->treated[left];
    }
    while (d->waiting > 0 && busy < STAFF) {
        d->waiting--;
        if (bench_random(&d->random) % 256 < WORSE) {
            d->sent_up++;
        } else {
            d->treated[STAY - 1]++;
            busy++;
        }
    }
}

static void step(struct district *districts, int level) {
    for (int i = 0; i < BRANCHES; i++) {
        struct district *d = &districts[i];
        bench_count_task();
        BENCH_TASK(level, firstprivate(d, level), {
            if (d->below != NULL) {
                step(d->below, level + 1);
            }
            treat(d);
        })
    }
#pragma omp taskwait
}

static void step_serially(struct district *districts) {
    for (int i = 0; i < BRANCHES; i++) {
        if (districts[i].below != NULL) {
            step_serially(districts[i].below);
        }
        treat(&districts[i]);
    }
}

static int same(const struct district *a, const struct district *b) {
    int ok = 1;
    for (int i = 0; i < BRANCHES; i++) {
        ok = ok && a[i].random == b[i].random && a[i].waiting == b[i].waiting &&
             a[i].cured == b[i].cured && a[i].sent_up == b[i].sent_up;
        ok = ok && (a[i].below == NULL || same(a[i].below, b[i].below));
    }
    return ok;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {3, BENCH_DEPTH(1)}, {7, BENCH_DEPTH(3)}, {8, BENCH_DEPTH(4)}, {10, BENCH_DEPTH(5)}};
    struct bench bench = bench_start("health", classes, argc, argv);
    uint64_t seed = 1, again = 1;
    struct district *country = make((int)bench.size, &seed);
    struct district *known = make((int)bench.size, &again);

    struct bench_time start = bench_now();
#pragma omp parallel
    {
#pragma omp single
        for (int i = 0; i < STEPS; i++) {
            step(country, 0);
        }
        bench_sum_tasks();
    }
    struct bench_time spent = bench_since(start);

    for (int i = 0; i < STEPS; i++) {
        step_serially(known);
    }
    int ok = same(country, known);
    drop(country);
    drop(known);
    return bench_finish(&bench, bench_tasks, spent, ok);
}
