/* Overhead measures: what one construct of OpenMP costs when there is nothing to do inside it.
 *
 * A measure performs its construct many times and says how often and how long. overheads.c holds
 * the table of measures and the main function; the measures are grouped in overheads_tasks.c,
 * overheads_depends.c and overheads_team.c.
 */
#ifndef VICINITY_OVERHEADS_H
#define VICINITY_OVERHEADS_H

#include "clock.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* What a measure reports. Values below zero are not printed. */
struct reading {
    long operations;         /* constructs performed */
    struct bench_time spent; /* on all of them */
    long growth_kib;         /* growth of the process's peak resident memory */
    double worst_ns;         /* the slowest single operation */
    int ok;                  /* the constructs did what they should */
};

/* A measure of about `operations` constructs. `width` is a measure's second number: addresses,
 * cells, readers; see the table in overheads.c. */
typedef struct reading measure(long operations, long width);

measure producer, nested_producer, taskloop, taskwait;
measure deps_chain, deps_independent, deps_stencil, deps_diamond, deps_two;
measure fork_join, fork_join_apart, barrier, dynamic, guided, critical, single, reduction;

static inline struct reading reading_of(long operations, struct bench_time spent, int ok) {
    struct reading reading = {operations, spent, -1, -1.0, ok};
    return reading;
}

/* Keeps the compiler from dropping what it could otherwise prove to be empty. */
static inline void keep(void) { __asm__ volatile("" ::: "memory"); }

static inline long *zeros(long count) {
    long *memory = calloc((size_t)count, sizeof(long));
    if (memory == NULL) {
        fprintf(stderr, "overheads: out of memory\n");
        exit(1);
    }
    return memory;
}

#endif
