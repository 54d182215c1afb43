// task_reduction, in_reduction, taskloop reduction, reduction(task, ...) on regions, loops and sections.
#include "check.h"

struct pair { long sum, count; };
static void add_pair(struct pair *a, const struct pair *b) { a->sum += b->sum, a->count += b->count; }
#pragma omp declare reduction(+ : struct pair : add_pair(&omp_out, &omp_in)) initializer(omp_priv = (struct pair){0, 0})

static long leaves;

static void descend(int depth) {
    if (depth == 0) {
#pragma omp task in_reduction(+ : leaves)
        leaves++;
        return;
    }
    for (int i = 0; i < 3; i++) {
#pragma omp task in_reduction(+ : leaves) firstprivate(depth)
        {
            leaves += 1000;
            descend(depth - 1);
        }
    }
}

static void groups(void) {
    long sum = 1, product = 1;
    struct pair pair = {5, 0};
    int array[20] = {0};
#pragma omp taskgroup task_reduction(+ : sum, pair, array) task_reduction(* : product)
    {
        for (int i = 1; i <= 60; i++) {
#pragma omp task in_reduction(+ : sum, pair, array) in_reduction(* : product) firstprivate(i)
            {
                sum += i;
                pair.sum += 2 * i;
                pair.count++;
                array[i % 20] += i;
                if (i % 10 == 0) product *= 2;
            }
        }
    }
    EQUAL(sum, 1831);
    EQUAL(pair.sum, 3665);
    EQUAL(pair.count, 60);
    EQUAL(product, 64);
    for (int k = 0; k < 20; k++) EQUAL(array[k], k == 0 ? 120 : 60 + 3 * k);
}

static void nested(void) {
    long outer = 0, inner = 0;
#pragma omp taskgroup task_reduction(+ : outer)
    {
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : outer) shared(inner)
            {
                long mine = 0;
                outer++;
#pragma omp taskgroup task_reduction(+ : mine)
                {
                    for (int k = 0; k < 5; k++) {
#pragma omp task in_reduction(+ : mine) in_reduction(+ : outer)
                        {
                            mine++;
                            outer += 10;
                        }
                    }
                }
                EQUAL(mine, 5);
            }
        }
    }
    EQUAL(outer, 510);
    (void)inner;
}

static void recursive(void) {
    leaves = 100;
#pragma omp taskgroup task_reduction(+ : leaves)
    descend(4);
    EQUAL(leaves, 181 + 1000 * (3 + 9 + 27 + 81));
}

static void loops(void) {
    long sum = 3;
    int most = -1;
#pragma omp taskloop reduction(+ : sum) reduction(max : most) grainsize(7)
    for (int i = 0; i < 200; i++) {
        sum += i;
        if (i > most) most = i;
    }
    EQUAL(sum, 19903);
    EQUAL(most, 199);
    long grouped = 0;
#pragma omp taskgroup task_reduction(+ : grouped)
    {
#pragma omp taskloop in_reduction(+ : grouped) nogroup num_tasks(6)
        for (int i = 0; i < 100; i++) grouped += i;
#pragma omp task in_reduction(+ : grouped)
        grouped += 50;
    }
    EQUAL(grouped, 5000);
}

static void modifiers(void) {
    int team = omp_get_max_threads();
    long region = 0, loop = 0, sections = 0;
#pragma omp parallel reduction(task, + : region)
    {
        region++;
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : region)
            region += 2;
        }
    }
    EQUAL(region, 21L * team);
#pragma omp parallel
    {
#pragma omp for reduction(task, + : loop) schedule(dynamic)
        for (int i = 0; i < 50; i++) {
            loop++;
#pragma omp task in_reduction(+ : loop)
            loop += i;
        }
#pragma omp sections reduction(task, + : sections)
        {
#pragma omp section
            {
#pragma omp task in_reduction(+ : sections)
                sections += 4;
            }
#pragma omp section
            sections += 3;
        }
    }
    EQUAL(loop, 50 + 1225);
    EQUAL(sections, 7);
}

int main(void) {
    omp_set_dynamic(0);
#pragma omp parallel
    {
#pragma omp single
        {
            groups();
            nested();
            recursive();
            loops();
        }
        groups();
        nested();
    }
    modifiers();
    return 0;
}
