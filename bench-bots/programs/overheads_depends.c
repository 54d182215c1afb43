/* Measures of tasks with dependences. Every task checks, by what it reads and writes, that it ran in
 * the order its depend clauses ask for; tasks of one kind that may meet count in atomics. */
#include "overheads.h"

struct reading deps_chain(long operations, long width) {
    (void)width;
    long link = 0, out_of_order = 0;
    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < operations; i++) {
#pragma omp task depend(inout : link) shared(link, out_of_order) firstprivate(i)
        {
            out_of_order += link != i;
            link = i + 1;
        }
    }
    struct bench_time spent = bench_since(start);
    return reading_of(operations, spent, link == operations && out_of_order == 0);
}

struct reading deps_independent(long operations, long width) {
    long *links = zeros(width);
    long *out_of_order = zeros(width);
    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < operations; i++) {
        long *link = &links[i % width], *wrong = &out_of_order[i % width];
        long turn = i / width;
#pragma omp task depend(inout : *link) firstprivate(link, wrong, turn)
        {
            *wrong += *link != turn;
            *link = turn + 1;
        }
    }
    struct bench_time spent = bench_since(start);
    long done = 0, wrong = 0;
    for (long i = 0; i < width; i++) {
        done += links[i];
        wrong += out_of_order[i];
    }
    free(links);
    free(out_of_order);
    return reading_of(operations, spent, done == operations && wrong == 0);
}

/* Cell i of a step is one more than the largest of cells i - 1, i, i + 1 of the step before; the two
 * rows take turns. Every cell of step s must therefore hold s. */
struct reading deps_stencil(long operations, long width) {
    long steps = (operations + width - 1) / width;
    long *rows = zeros(2 * (width + 2));
    long *rows_by_turn[2] = {rows, rows + width + 2};
    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (long step = 1; step <= steps; step++) {
        for (long i = 1; i <= width; i++) {
            long *old = rows_by_turn[(step + 1) % 2] + i, *new = rows_by_turn[step % 2] + i;
#pragma omp task depend(in : old[-1], old[0], old[1]) depend(out : new[0]) firstprivate(old, new)
            {
                long largest = old[-1] > old[0] ? old[-1] : old[0];
                new[0] = (old[1] > largest ? old[1] : largest) + 1;
            }
        }
    }
    struct bench_time spent = bench_since(start);
    int ok = 1;
    for (long i = 1; i <= width; i++) {
        ok = ok && rows_by_turn[steps % 2][i] == steps;
    }
    free(rows);
    return reading_of(steps * width, spent, ok);
}

/* A writer raises `turn`, which all readers of that turn must then see, and which the next writer may
 * touch only when all of them have. */
struct reading deps_diamond(long operations, long width) {
    long turns = (operations + width) / (width + 1);
    long turn = 0, wrong = 0;
    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (long t = 1; t <= turns; t++) {
#pragma omp task depend(out : turn) shared(turn) firstprivate(t)
        turn = t;
        for (long reader = 0; reader < width; reader++) {
#pragma omp task depend(in : turn) shared(turn, wrong) firstprivate(t)
            if (turn != t) {
#pragma omp atomic
                wrong++;
            }
        }
    }
    struct bench_time spent = bench_since(start);
    return reading_of(turns * (width + 1), spent, turn == turns && wrong == 0);
}

/* Task i changes one address and reads its neighbour's, which the task before changed. */
struct reading deps_two(long operations, long width) {
    long *cells = zeros(width);
    long wrong = 0;
    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    for (long i = 1; i <= operations; i++) {
        long *cell = &cells[i % width], *neighbour = &cells[(i + width / 2) % width];
        long expected = i > width / 2 ? i - width / 2 : 0;
#pragma omp task depend(inout : *cell) depend(in : *neighbour) shared(wrong)                       \
    firstprivate(cell, neighbour, expected, i)
        {
            if (*neighbour != expected) {
#pragma omp atomic
                wrong++;
            }
            *cell = i;
        }
    }
    struct bench_time spent = bench_since(start);
    free(cells);
    return reading_of(operations, spent, wrong == 0);
}
