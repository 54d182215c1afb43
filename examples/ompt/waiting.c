/* A small tool: how long each thread works, and how long it waits at barriers, taskwaits and taskgroups.
 *
 *   cc -O2 -shared -fPIC -I PREFIX/include waiting.c -o waiting.so
 *   OMP_TOOL_LIBRARIES=$PWD/waiting.so vicinity run ./program
 */
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct facts {
    struct facts *next;
    ompt_thread_t kind;
    long regions, tasks;
    int depth; /* waits that it is in: those of tasks lie within those of others */
    double since, waited;
} facts;

static facts *all;
static ompt_get_thread_data_t get_thread_data;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static facts *mine(void) { return get_thread_data()->ptr; }

static void thread_begin(ompt_thread_t kind, ompt_data_t *thread) {
    facts *f = calloc(1, sizeof *f);
    f->kind = kind;
    thread->ptr = f;
    do f->next = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&all, &f->next, f, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                          unsigned index, int flags) {
    (void)parallel, (void)task, (void)size, (void)index;
    if (endpoint == ompt_scope_begin && (flags & ompt_task_implicit)) mine()->regions++;
}

/* The clock of waiting stands while a task runs in the middle of it. */
static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    (void)prior, (void)next;
    facts *f = mine();
    if (status == ompt_task_switch) {
        f->tasks++;
        if (f->depth > 0) f->waited += now() - f->since;
    }
    f->since = now();
}

static void wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                 const void *from) {
    (void)kind, (void)parallel, (void)task, (void)from;
    facts *f = mine();
    if (endpoint == ompt_scope_begin) {
        f->depth++;
    } else {
        f->depth--;
        f->waited += now() - f->since;
    }
    f->since = now();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
    (void)device, (void)tool;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    set(ompt_callback_thread_begin, (ompt_callback_t)thread_begin);
    set(ompt_callback_implicit_task, (ompt_callback_t)implicit_task);
    set(ompt_callback_task_schedule, (ompt_callback_t)task_schedule);
    set(ompt_callback_sync_region_wait, (ompt_callback_t)wait);
    return 1;
}

static void finalize(ompt_data_t *tool) {
    (void)tool;
    int number = 0;
    for (facts *f = all; f; f = f->next)
        fprintf(stderr, "thread %d (%s): %ld regions, %ld tasks, waited %.3f s\n", number++,
                f->kind == ompt_thread_initial ? "initial" : "worker", f->regions, f->tasks, f->waited);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}
