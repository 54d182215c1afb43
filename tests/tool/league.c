/* Its own tool: prints what is told of a league of three teams, and whether all of it is about the same region. */
#include "own.h"
#include <omp.h>
#include <stdio.h>

static ompt_data_t *league;

static void begins(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested, int flags, const void *from) {
    (void)frame;
    if (!(flags & ompt_parallel_league)) return;
    league = parallel;
    printf("begins %u %d %d\n", requested, parallel->value == 0 && task != NULL, from != NULL);
    parallel->value = 7;
}

static void ends(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *from) {
    if (!(flags & ompt_parallel_league)) return;
    printf("ends %d %d %d\n", parallel == league && parallel->value == 7, task != NULL, from != NULL);
}

static void task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size, unsigned index, int flags) {
    (void)task;
    if (!(flags & ompt_task_initial) || !league || endpoint != ompt_scope_begin) return;
    printf("team %u of %u %d\n", index, size, parallel == league && parallel->value == 7);
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_parallel_begin, (ompt_callback_t)begins);
    set(ompt_callback_parallel_end, (ompt_callback_t)ends);
    set(ompt_callback_implicit_task, (ompt_callback_t)task);
    return 1;
}

int main(void) {
    int regions = 0;
#pragma omp teams num_teams(3) reduction(+ : regions)
#pragma omp parallel num_threads(2)
#pragma omp single
    regions++;
    printf("regions %d\n", regions);
    return 0;
}
