// The C API alone, without OpenMP: tasks in batches, dependences, groups, ranges, recursion, errors.
// openmp: no
// flags: -I../capi/include -L../target/dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vicinity.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

#define OK(call) CHECK((call) == VICINITY_SUCCESS)

static atomic_int ran;

static void count_one(void *argument) {
    (void)argument;
    atomic_fetch_add(&ran, 1);
}

static void identity(void) {
    CHECK(vicinity_version() == VICINITY_VERSION);
    CHECK(strcmp(vicinity_strerror(VICINITY_SUCCESS), "success") == 0);
    for (int code = VICINITY_ERROR_UNSUPPORTED; code < 0; code++)
        CHECK(strcmp(vicinity_strerror(code), vicinity_strerror(12345)) != 0);
    int processors = vicinity_num_processors(), ids[4096];
    size_t count = 0;
    CHECK(processors >= 1 && vicinity_num_locations() >= 1);
    CHECK(vicinity_current_location() >= 0 && vicinity_current_location() < vicinity_num_locations());
    OK(vicinity_location_processors(0, ids, 4096, &count));
    CHECK(count >= 1 && ids[0] >= 0);
    OK(vicinity_location_processors(0, NULL, 0, &count));
    CHECK(vicinity_distance(0, 0) == 10 && vicinity_location_node(0) >= 0);
    CHECK(vicinity_distance(0, 1 << 20) == VICINITY_ERROR_LOCATION);
    CHECK(vicinity_location_node(-1) == VICINITY_ERROR_LOCATION);
    CHECK(vicinity_location_processors(-1, ids, 4096, &count) == VICINITY_ERROR_LOCATION);
    CHECK(vicinity_location_processors(0, ids, 4096, NULL) == VICINITY_ERROR_ARGUMENT);
}

static void errors(void) {
    vicinity_task *task = NULL;
    vicinity_dependence bad = {&ran, sizeof ran, 0};
    vicinity_options options = VICINITY_OPTIONS;
    CHECK(vicinity_task_create(NULL, NULL, NULL, &task) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_task_range(NULL, NULL, 1, 1, NULL, &task) == VICINITY_ERROR_ARGUMENT);
    options.dependences = &bad;
    options.dependence_count = 1;
    CHECK(vicinity_task_create(count_one, NULL, &options, &task) == VICINITY_ERROR_ARGUMENT);
    options.dependences = NULL;
    CHECK(vicinity_task_create(count_one, NULL, &options, &task) == VICINITY_ERROR_ARGUMENT);
    options.dependence_count = 0;
    options.location = 1 << 20;
    CHECK(vicinity_task_create(count_one, NULL, &options, &task) == VICINITY_ERROR_LOCATION);
    options.location = VICINITY_ANYWHERE;
    options.priority = -1;
    CHECK(vicinity_task_create(count_one, NULL, &options, &task) == VICINITY_ERROR_ARGUMENT);
    options.priority = 0;
    options.size = 0;
    CHECK(vicinity_task_create(count_one, NULL, &options, &task) == VICINITY_ERROR_ARGUMENT);
    CHECK(task == NULL);
    CHECK(vicinity_wait(NULL) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_release(NULL) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_is_finished(NULL) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_group_create(NULL) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_group_wait(NULL) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_group_destroy(NULL) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_run(NULL, NULL, 0) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_run(count_one, NULL, -1) == VICINITY_ERROR_ARGUMENT);
    CHECK(atomic_load(&ran) == 0);
}

static void waiting(void) {
    vicinity_task *first, *second;
    OK(vicinity_task_create(count_one, NULL, NULL, &first));
    OK(vicinity_task_create(count_one, NULL, NULL, &second));
    for (int i = 0; i < 100; i++) OK(vicinity_task_create(count_one, NULL, NULL, NULL));
    CHECK(vicinity_is_finished(first) == 0);
    OK(vicinity_wait(first));
    CHECK(atomic_load(&ran) == 102);
    CHECK(vicinity_is_finished(second) == 1);
    OK(vicinity_release(second));
    OK(vicinity_wait_all());
    OK(vicinity_task_create(count_one, NULL, NULL, &first));
    OK(vicinity_release(first));
    OK(vicinity_wait_all());
    CHECK(atomic_load(&ran) == 103);
}

enum { STEPS = 200 };
static int order[STEPS], steps;

static void step(void *argument) {
    order[steps++] = (int)(size_t)argument;
}

// One datum that all tasks change: they run one after another in the order of creation.
static void dependences(void) {
    vicinity_dependence on = {&steps, sizeof steps, VICINITY_INOUT | VICINITY_INTENSIVE};
    vicinity_options options = VICINITY_OPTIONS;
    options.dependences = &on;
    options.dependence_count = 1;
    for (size_t i = 0; i < STEPS; i++) OK(vicinity_task_create(step, (void *)i, &options, NULL));
    OK(vicinity_wait_all());
    CHECK(steps == STEPS);
    for (int i = 0; i < STEPS; i++) CHECK(order[i] == i);
}

enum { COUNT = 100003 };
static unsigned char touched[COUNT];
static atomic_int blocks;

static void touch(size_t begin, size_t end, void *argument) {
    CHECK(begin < end && end <= COUNT && end - begin <= (size_t)argument);
    for (size_t i = begin; i < end; i++) touched[i]++;
    atomic_fetch_add(&blocks, 1);
}

static void sum_up(void *argument) {
    long sum = 0;
    for (int i = 0; i < COUNT; i++) sum += touched[i];
    *(long *)argument = sum;
}

static void ranges(void) {
    const size_t grains[] = {1, 7, 1000, COUNT, 2 * COUNT, 0};
    vicinity_task *task;
    for (int g = 0; g < 6; g++) {
        memset(touched, 0, sizeof touched);
        atomic_store(&blocks, 0);
        size_t most = grains[g] ? grains[g] : COUNT;
        OK(vicinity_task_range(touch, (void *)most, COUNT, grains[g], NULL, &task));
        OK(vicinity_wait(task));
        for (int i = 0; i < COUNT; i++) CHECK(touched[i] == 1);
        if (grains[g]) CHECK(atomic_load(&blocks) == (int)((COUNT + most - 1) / most));
    }
    OK(vicinity_task_range(touch, NULL, 0, 0, NULL, &task));
    CHECK(vicinity_is_finished(task) == 1);
    OK(vicinity_wait(task));
    // A task that depends on a range waits for every block of it.
    long sum = 0;
    vicinity_dependence out = {touched, sizeof touched, VICINITY_OUT}, in = {touched, sizeof touched, VICINITY_IN};
    vicinity_options options = VICINITY_OPTIONS;
    options.dependence_count = 1;
    memset(touched, 0, sizeof touched);
    options.dependences = &out;
    OK(vicinity_task_range(touch, (void *)10, COUNT, 10, &options, NULL));
    options.dependences = &in;
    OK(vicinity_task_create(sum_up, &sum, &options, &task));
    OK(vicinity_wait(task));
    CHECK(sum == COUNT);
}

typedef struct {
    int n;
    long result;
} fib_call;

// Recursion: each call creates a task, waits for its handle, and waits for nothing else.
static void fib(void *argument) {
    fib_call *call = argument;
    if (call->n < 2) {
        call->result = call->n;
        return;
    }
    fib_call a = {call->n - 1, 0}, b = {call->n - 2, 0};
    vicinity_task *task;
    OK(vicinity_task_create(fib, &a, NULL, &task));
    fib(&b);
    OK(vicinity_wait(task));
    call->result = a.result + b.result;
}

static vicinity_group *group;
static atomic_int leaves;

// Tasks of a group create more tasks of the group.
static void tree(void *argument) {
    size_t depth = (size_t)argument;
    vicinity_options options = VICINITY_OPTIONS;
    options.group = group;
    if (depth == 0)
        atomic_fetch_add(&leaves, 1);
    else
        for (int i = 0; i < 2; i++) OK(vicinity_task_create(tree, (void *)(depth - 1), &options, NULL));
}

static void groups(void) {
    OK(vicinity_group_create(&group));
    OK(vicinity_group_wait(group));
    for (int round = 1; round <= 3; round++) {
        tree((void *)(size_t)8);
        OK(vicinity_group_wait(group));
        CHECK(atomic_load(&leaves) == 256 * round);
    }
    OK(vicinity_group_destroy(group));
}

int main(void) {
    identity();
    errors();
    waiting();
    dependences();
    ranges();
    groups();
    fib_call call = {18, 0};
    OK(vicinity_run(fib, &call, 0));
    CHECK(call.result == 2584);
    fib_call again = {15, 0};
    vicinity_task *task;
    OK(vicinity_task_create(fib, &again, NULL, &task));
    OK(vicinity_wait(task));
    CHECK(again.result == 610);
    size_t bytes[1];
    char *memory = omp_malloc(1000);
    CHECK(memory != NULL);
    memset(memory, 1, 1000);
    OK(vicinity_locate(memory, 1000, bytes, 1));
    CHECK(vicinity_locate(NULL, 1000, bytes, 1) == VICINITY_ERROR_ARGUMENT);
    vicinity_free(memory);
    memory = omp_malloc_specific(1 << 20, OMP_MALLOC_FINE);
    CHECK(memory != NULL);
    vicinity_free(memory);
    CHECK(omp_malloc_specific(1, 99) == NULL);
    return 0;
}
