// depobj: create, use, update, destroy, from functions, in arrays; iterators in depend and affinity clauses.
#include "check.h"

static void run_with(omp_depend_t *obj, int *x, int expected, int add) {
#pragma omp task depend(depobj : *obj) firstprivate(x, expected, add)
    {
        EQUAL(*x, expected);
        *x += add;
    }
}

static void objects(void) {
    int x = 0, readers = 0;
    omp_depend_t obj;
#pragma omp depobj(obj) depend(inout : x)
    for (int i = 0; i < 40; i++) run_with(&obj, &x, i, 1);
#pragma omp depobj(obj) update(in)
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(depobj : obj) shared(x, readers)
        {
            EQUAL(x, 40);
            add_int(&readers, 1);
        }
    }
#pragma omp depobj(obj) update(out)
    run_with(&obj, &x, 40, 2);
#pragma omp task depend(in : x) shared(x, readers)
    {
        EQUAL(x, 42);
        EQUAL(readers, 10);
    }
#pragma omp depobj(obj) update(mutexinoutset)
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(depobj : obj) shared(x)
        x++;
    }
#pragma omp taskwait depend(in : x)
    EQUAL(x, 52);
#pragma omp depobj(obj) destroy
}

static void several(void) {
    int a = 0, b = 0, c = 0;
    omp_depend_t first, second;
#pragma omp depobj(first) depend(inout : a)
#pragma omp depobj(second) depend(inout : b)
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(depobj : first, second) depend(out : c) shared(a, b, c) firstprivate(i)
        {
            EQUAL(a, i);
            EQUAL(b, i);
            a++, b++, c = i;
        }
#pragma omp task depend(in : a) depend(in : c) shared(a, c)
        EQUAL(a, c + 1);
    }
#pragma omp taskwait
    EQUAL(a, 20);
#pragma omp depobj(first) destroy
#pragma omp depobj(second) destroy
}

static void iterators(int n) {
    int *v = calloc((size_t)n, sizeof *v), sum = 0;
    for (int i = 0; i < n; i++) {
#pragma omp task depend(out : v[i]) firstprivate(i)
        v[i] = i + 1;
    }
#pragma omp task depend(iterator(int i = 0 : n), in : v[i]) shared(sum)
    for (int i = 0; i < n; i++) sum += v[i];
#pragma omp task depend(iterator(int i = n - 1 : 0 : -2), inout : v[i]) depend(inout : sum) shared(sum)
    for (int i = n - 1; i > 0; i -= 2) v[i] = 0;
    for (int i = 0; i < n; i++) {
#pragma omp task depend(in : v[i]) firstprivate(i)
        EQUAL(v[i], i > 0 && (n - 1 - i) % 2 == 0 ? 0 : i + 1);
    }
#pragma omp taskwait
    EQUAL(sum, n * (n + 1) / 2);
    int cells[4][5] = {{0}}, total = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 5; j++) {
#pragma omp task depend(out : cells[i][j]) shared(cells)
            cells[i][j] = 1;
        }
    }
#pragma omp task depend(iterator(int i = 0 : 4, j = 0 : 5), in : cells[i][j]) shared(cells, total)
    for (int i = 0; i < 20; i++) total += cells[i / 5][i % 5];
#pragma omp taskwait
    EQUAL(total, 20);
    free(v);
}

static void affinities(int n) {
    double *v = calloc((size_t)n, sizeof *v);
    for (int i = 0; i < n; i++) {
#pragma omp task affinity(v[i]) firstprivate(i)
        v[i] += 1;
#pragma omp task affinity(v[0 : n / 2]) affinity(n) depend(inout : v[i]) firstprivate(i)
        busy(3);
    }
#pragma omp task affinity(iterator(int i = 0 : n : 4) : v[i]) firstprivate(n)
    CHECK(n > 0);
#pragma omp taskwait
    for (int i = 0; i < n; i++) CHECK(v[i] == 1);
    free(v);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        objects();
        several();
        iterators(1);
        iterators(25);
        affinities(24);
    }
    return 0;
}
