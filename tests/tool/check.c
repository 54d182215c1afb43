/* A tool that checks what it is told: that events nest, that tasks were created before they run, that threads wait in one
 * place at a time. At the end it prints how many there were of each, as `name=count`, or what was wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, COUNTED = 25 };
enum { THREADS, THREAD_ENDS, PARALLELS, PARALLEL_ENDS, IMPLICITS, IMPLICIT_ENDS, INITIALS, TASKS, UNDEFERRED, BEGUN, COMPLETED,
       DEPENDENCES, BARRIERS, WORK_BARRIERS, JOINS, TASKWAITS, GROUPS, WAITS, WORKS, SINGLES, LOCKS, CRITICALS, CHUNKS, MASKED,
       DEPENDENT_WAITS };
static const char *const names[COUNTED] = {
    "threads", "thread_ends", "parallels", "parallel_ends", "implicits", "implicit_ends", "initials", "tasks", "undeferred",
    "begun", "completed", "dependences", "barriers", "work_barriers", "joins", "taskwaits", "groups", "waits", "works",
    "singles", "locks", "criticals", "chunks", "masked", "dependent_waits"};
static long counts[COUNTED];
static int wrong;

#define COUNT(what) __atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED)
#define EXPECT(condition)                                                                     \
    do {                                                                                      \
        if (!(condition) && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 5)              \
            fprintf(stderr, "tool: %s: not true: %s\n", __func__, #condition);                \
    } while (0)

/* Whether a return address is in the program. */
static int is_programs(const void *from) {
    Dl_info info;
    return from && dladdr(from, &info) && strstr(info.dli_fname, "program-") != NULL;
}

/* What is kept of a thread: the tasks on its stack. */
typedef struct {
    ompt_data_t *stack[MOST];
    int depth, in_sync, in_wait;
} thread_facts;
static __thread thread_facts *mine;

/* What is kept of a task. */
typedef struct {
    int runs, waits_in, is_implicit;
} task_facts;

static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_unique_id_t get_unique_id;
static ompt_get_state_t get_state;

static task_facts *facts_of(ompt_data_t *data) { return data ? data->ptr : NULL; }

static task_facts *new_task(ompt_data_t *data, int is_implicit) {
    EXPECT(data->value == 0);
    task_facts *facts = calloc(1, sizeof *facts);
    facts->is_implicit = is_implicit;
    data->ptr = facts;
    return facts;
}

static void push(ompt_data_t *task) {
    EXPECT(mine != NULL && mine->depth < MOST);
    if (mine && mine->depth < MOST) mine->stack[mine->depth++] = task;
}

static void pop(ompt_data_t *task) {
    EXPECT(mine != NULL && mine->depth > 0);
    if (mine && mine->depth > 0) EXPECT(mine->stack[--mine->depth] == task);
}

static ompt_data_t *top(void) { return mine && mine->depth > 0 ? mine->stack[mine->depth - 1] : NULL; }

static void thread_begin(ompt_thread_t type, ompt_data_t *data) {
    COUNT(THREADS);
    EXPECT(type == ompt_thread_initial || type == ompt_thread_worker || type == ompt_thread_other);
    EXPECT(data->value == 0 && mine == NULL);
    data->ptr = mine = calloc(1, sizeof *mine);
    EXPECT(get_thread_data() == data);
}

static void thread_end(ompt_data_t *data) {
    COUNT(THREAD_ENDS);
    EXPECT(data->ptr == mine);
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                           int flags, const void *from) {
    EXPECT(is_programs(from));
    COUNT(PARALLELS);
    EXPECT(task == top() && frame != NULL && parallel->value == 0);
    EXPECT(requested > 0 && (flags & ompt_parallel_team));
    parallel->value = get_unique_id();
    EXPECT(parallel->value != 0);
}

static void parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *from) {
    (void)flags;
    EXPECT(is_programs(from));
    COUNT(PARALLEL_ENDS);
    EXPECT(parallel->value != 0 && task == top());
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                          unsigned index, int flags) {
    if (flags & ompt_task_initial) {
        if (endpoint == ompt_scope_begin) {
            COUNT(INITIALS);
            new_task(task, 1);
            push(task);
        }
        return;
    }
    EXPECT(flags & ompt_task_implicit);
    if (endpoint == ompt_scope_begin) {
        COUNT(IMPLICITS);
        EXPECT(parallel->value != 0 && index < size);
        new_task(task, 1)->runs = 1;
        push(task);
        ompt_data_t *told = NULL, *region = NULL;
        int kind = 0, number = -1, team = 0;
        EXPECT(get_task_info(0, &kind, &told, NULL, &region, &number) == 2);
        EXPECT(told == task && region == parallel && (kind & ompt_task_implicit) && number == (int)index);
        EXPECT(get_parallel_info(0, &region, &team) == 2 && region == parallel && team == (int)size);
        EXPECT(get_state(NULL) == ompt_state_work_parallel);
    } else {
        COUNT(IMPLICIT_ENDS);
        EXPECT(parallel == NULL);
        EXPECT(facts_of(task)->waits_in == 0);
        pop(task);
    }
}

static void task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_dependences,
                        const void *from) {
    (void)frame, (void)has_dependences, (void)from;
    EXPECT(creator == top());
    new_task(task, 0);
    if (flags & ompt_task_taskwait) {
        COUNT(DEPENDENT_WAITS);
        EXPECT(flags == (int)(ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable));
        return;
    }
    COUNT(TASKS);
    EXPECT(flags & ompt_task_explicit);
    if (flags & ompt_task_undeferred) COUNT(UNDEFERRED);
}

static void dependences(ompt_data_t *task, const ompt_dependence_t *list, int count) {
    EXPECT(facts_of(task) != NULL && !facts_of(task)->runs);
    for (int i = 0; i < count; i++) {
        COUNT(DEPENDENCES);
        EXPECT(list[i].variable.ptr != NULL && list[i].dependence_type >= 1);
    }
}

static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    if (status == ompt_taskwait_complete) return;
    if (status == ompt_task_switch) {
        COUNT(BEGUN);
        EXPECT(prior == top() && facts_of(next) != NULL && facts_of(next)->runs == 0);
        facts_of(next)->runs = 1;
        push(next);
        return;
    }
    COUNT(COMPLETED);
    EXPECT(facts_of(prior)->runs == 1 && facts_of(prior)->waits_in == 0);
    pop(prior);
    EXPECT(next == top());
}

static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                        const void *from) {
    (void)parallel, (void)from;
    EXPECT(task == top());
    if (endpoint != ompt_scope_begin) return;
    switch (kind) {
    case ompt_sync_region_barrier_explicit: COUNT(BARRIERS); break;
    case ompt_sync_region_barrier_implicit_workshare: COUNT(WORK_BARRIERS); break;
    case ompt_sync_region_barrier_implicit_parallel: COUNT(JOINS); break;
    case ompt_sync_region_taskwait: COUNT(TASKWAITS); break;
    case ompt_sync_region_taskgroup: COUNT(GROUPS); break;
    default: EXPECT(!"a kind of region that does not exist");
    }
}

static void sync_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                      const void *from) {
    (void)parallel, (void)from;
    task_facts *facts = facts_of(task);
    EXPECT(task == top());
    if (endpoint == ompt_scope_begin) {
        COUNT(WAITS);
        EXPECT(facts->waits_in == 0);
        facts->waits_in = kind;
        EXPECT(get_state(NULL) >= ompt_state_wait_barrier_implicit_parallel);
    } else {
        EXPECT(facts->waits_in == (int)kind);
        facts->waits_in = 0;
    }
}

static void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
                 const void *from) {
    (void)parallel, (void)count, (void)from;
    EXPECT(task == top());
    if (endpoint != ompt_scope_begin) return;
    if (kind == ompt_work_single_executor) COUNT(SINGLES);
    else if (kind != ompt_work_single_other) COUNT(WORKS);
}

static void masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *from) {
    (void)parallel, (void)from;
    EXPECT(task == top());
    if (endpoint == ompt_scope_begin) COUNT(MASKED);
}

static void dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
    (void)parallel;
    EXPECT(task == top());
    if (kind == ompt_dispatch_ws_loop_chunk) {
        COUNT(CHUNKS);
        EXPECT(((ompt_dispatch_chunk_t *)instance.ptr)->iterations > 0);
    }
}

static __thread int held;

static void acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *from) {
    EXPECT(id != 0 && is_programs(from));
    held++;
    if (kind == ompt_mutex_lock || kind == ompt_mutex_nest_lock) COUNT(LOCKS);
    else if (kind == ompt_mutex_critical) COUNT(CRITICALS);
}

static void released(ompt_mutex_t kind, ompt_wait_id_t id, const void *from) {
    (void)kind, (void)id, (void)from;
    EXPECT(held > 0);
    held--;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    EXPECT(set && get_thread_data && get_task_info && get_parallel_info && get_unique_id && get_state);
    EXPECT(lookup("ompt_no_such_function") == NULL);
#define SET(event, function, answer) EXPECT(set(ompt_callback_##event, (ompt_callback_t)function) == ompt_set_##answer)
    SET(thread_begin, thread_begin, always);
    SET(thread_end, thread_end, always);
    SET(parallel_begin, parallel_begin, always);
    SET(parallel_end, parallel_end, always);
    SET(implicit_task, implicit_task, always);
    SET(task_create, task_create, always);
    SET(task_schedule, task_schedule, always);
    SET(dependences, dependences, always);
    SET(sync_region, sync_region, always);
    SET(sync_region_wait, sync_wait, always);
    SET(work, work, sometimes);
    SET(masked, masked, sometimes);
    SET(dispatch, dispatch, sometimes);
    SET(mutex_acquired, acquired, always);
    SET(mutex_released, released, always);
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
    EXPECT(counts[PARALLELS] == counts[PARALLEL_ENDS]);
    EXPECT(counts[THREADS] == counts[THREAD_ENDS] && counts[IMPLICITS] == counts[IMPLICIT_ENDS]);
    EXPECT(counts[TASKS] == counts[BEGUN] && counts[BEGUN] == counts[COMPLETED]);
    if (wrong) {
        fprintf(stderr, "tool: wrong %d\n", wrong);
        return;
    }
    fprintf(stderr, "tool: right");
    for (int i = 0; i < COUNTED; i++) fprintf(stderr, " %s=%ld", names[i], counts[i]);
    fprintf(stderr, "\n");
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    EXPECT(version >= 201811 && runtime != NULL);
    return &result;
}
