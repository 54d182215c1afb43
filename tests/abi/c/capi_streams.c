// The C API's streams: tasks that start without a waiter, from several threads at once; dependences, ranges, groups,
// words; threads that end, fork and exit with work in flight.
// openmp: no
// flags: -I../capi/include -L../target/dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity -pthread
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vicinity.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                               \
        }                                                                           \
    } while (0)

#define OK(call) CHECK((call) == VICINITY_SUCCESS)

enum { THREADS = 6, TASKS = 2000 };

static void add_one(void *argument) {
    atomic_fetch_add((atomic_int *)argument, 1);
}

static void nap(long microseconds) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static vicinity_options in(vicinity_stream *stream) {
    vicinity_options options = VICINITY_OPTIONS;
    options.stream = stream;
    return options;
}

static void starts_without_a_waiter(void) {
    vicinity_stream *stream;
    OK(vicinity_stream_create(&stream));
    vicinity_options options = in(stream);
    for (int round = 0; round < 20; round++) {
        atomic_int ran = 0;
        OK(vicinity_task_create(add_one, &ran, &options, NULL));
        while (atomic_load(&ran) == 0) nap(50);
        nap(round * 300);
    }
    OK(vicinity_stream_wait(stream));
    OK(vicinity_stream_destroy(stream));
}

static void chain(void *argument) {
    int *value = argument;
    *value = *value * 3 + 1;
}

static void dependences(void) {
    vicinity_stream *stream;
    int value = 0, expected = 0;
    vicinity_dependence own = {&value, sizeof value, VICINITY_INOUT};
    OK(vicinity_stream_create(&stream));
    vicinity_options options = in(stream);
    options.dependences = &own;
    options.dependence_count = 1;
    for (int i = 0; i < 500; i++) {
        OK(vicinity_task_create(chain, &value, &options, NULL));
        expected = (int)((unsigned)expected * 3u + 1u);
    }
    OK(vicinity_stream_destroy(stream)); /* its tasks go on */
    vicinity_task *last;
    OK(vicinity_stream_create(&stream));
    OK(vicinity_stream_wait(stream));
    options = in(stream);
    atomic_int ran = 0;
    OK(vicinity_task_create(add_one, &ran, &options, &last));
    OK(vicinity_wait(last));
    CHECK(atomic_load(&ran) == 1);
    OK(vicinity_stream_destroy(stream));
    while (*(volatile int *)&value != expected) nap(100);
}

static atomic_int covered[10000];

static void cover(size_t begin, size_t end, void *argument) {
    (void)argument;
    for (size_t i = begin; i < end; i++) atomic_fetch_add(&covered[i], 1);
}

static void ranges(void) {
    vicinity_stream *stream;
    vicinity_task *task;
    OK(vicinity_stream_create(&stream));
    vicinity_options options = in(stream);
    for (int round = 1; round <= 50; round++) {
        OK(vicinity_task_range(cover, NULL, 10000, 7, &options, &task));
        OK(vicinity_wait(task));
        for (int i = 0; i < 10000; i++) CHECK(atomic_load(&covered[i]) == round);
    }
    OK(vicinity_stream_destroy(stream));
}

struct Word {
    _Atomic uint32_t word;
};

static void *change_later(void *argument) {
    struct Word *word = argument;
    nap(3000);
    atomic_store(&word->word, 1);
    OK(vicinity_wake_word((const uint32_t *)&word->word));
    return NULL;
}

static void change(void *argument) {
    struct Word *word = argument;
    atomic_store(&word->word, 1);
    OK(vicinity_wake_word((const uint32_t *)&word->word));
}

static void words(vicinity_stream *stream) {
    pthread_t other;
    struct Word word = {0};
    CHECK(pthread_create(&other, NULL, change_later, &word) == 0);
    OK(vicinity_wait_word((const uint32_t *)&word.word, 0));
    CHECK(atomic_load(&word.word) == 1);
    CHECK(pthread_join(other, NULL) == 0);
    vicinity_options options = in(stream);
    for (int i = 0; i < TASKS; i++) {
        atomic_store(&word.word, 0);
        OK(vicinity_task_create(change, &word, &options, NULL));
        OK(vicinity_wait_word((const uint32_t *)&word.word, 0));
    }
    OK(vicinity_stream_wait(stream));
    CHECK(vicinity_wait_word(NULL, 0) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_wake_word(NULL) == VICINITY_ERROR_ARGUMENT);
}

static vicinity_stream *shared;
static atomic_int sum;

static void more(void *argument) {
    (void)argument;
    vicinity_options options = in(shared);
    vicinity_task *child;
    OK(vicinity_task_create(add_one, &sum, &options, NULL));
    OK(vicinity_task_create(add_one, &sum, NULL, &child)); /* a child of this task */
    OK(vicinity_wait(child));
}

static void *host(void *argument) {
    vicinity_stream *own;
    vicinity_group *group;
    atomic_int mine = 0;
    OK(vicinity_stream_create(&own));
    OK(vicinity_group_create(&group));
    vicinity_options options = in(own), common = in(shared);
    options.group = group;
    for (int i = 0; i < TASKS; i++) {
        OK(vicinity_task_create(add_one, &mine, &options, NULL));
        if (i % 4 == 0) OK(vicinity_task_create(more, NULL, &common, NULL));
        if (i % 100 == 0) OK(vicinity_group_wait(group));
        if (i % 150 == 0) OK(vicinity_stream_wait(own));
        if (i % 500 == 0) OK(vicinity_stream_wait(shared));
    }
    words(own);
    OK(vicinity_stream_wait(own));
    CHECK(atomic_load(&mine) == TASKS);
    OK(vicinity_group_destroy(group));
    OK(vicinity_stream_destroy(own));
    /* Left behind by a thread that ends. */
    for (int i = 0; i < 100; i++) OK(vicinity_task_create(add_one, &sum, &common, NULL));
    return argument;
}

static void several_threads(void) {
    pthread_t threads[THREADS];
    OK(vicinity_stream_create(&shared));
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, host, NULL) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    OK(vicinity_stream_wait(shared));
    CHECK(atomic_load(&sum) == THREADS * (TASKS / 4 * 2 + 100));
}

static void in_child(vicinity_stream *stream) {
    atomic_int ran = 0;
    vicinity_stream *own;
    vicinity_task *task;
    OK(vicinity_stream_create(&own));
    vicinity_options options = in(own);
    for (int i = 0; i < 100; i++) OK(vicinity_task_create(add_one, &ran, &options, NULL));
    OK(vicinity_stream_wait(own));
    CHECK(atomic_load(&ran) == 100);
    options = in(stream); /* the parent's: usable, its unfinished tasks are the parent's */
    OK(vicinity_task_create(add_one, &ran, &options, &task));
    OK(vicinity_wait(task));
    CHECK(atomic_load(&ran) == 101);
    OK(vicinity_stream_destroy(stream));
}

static atomic_int stop;

static void *disturb(void *argument) {
    vicinity_options options = in(argument);
    atomic_int ran = 0;
    while (!atomic_load(&stop)) OK(vicinity_task_create(add_one, &ran, &options, NULL));
    OK(vicinity_stream_wait(argument));
    return NULL;
}

static void forks(void) {
    pthread_t other;
    vicinity_stream *stream;
    OK(vicinity_stream_create(&stream));
    CHECK(pthread_create(&other, NULL, disturb, stream) == 0);
    for (int i = 0; i < 20; i++) {
        nap(200);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(30);
            in_child(stream);
            exit(0);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
    atomic_store(&stop, 1);
    CHECK(pthread_join(other, NULL) == 0);
    OK(vicinity_stream_destroy(stream));
}

static void endless(void *argument) {
    (void)argument;
    for (;;) nap(1000);
}

int main(void) {
    CHECK(vicinity_stream_create(NULL) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_stream_wait(NULL) == VICINITY_ERROR_ARGUMENT);
    CHECK(vicinity_stream_destroy(NULL) == VICINITY_ERROR_ARGUMENT);
    starts_without_a_waiter();
    dependences();
    ranges();
    several_threads();
    forks();
    /* The process ends though a task does not. */
    vicinity_options options = in(shared);
    OK(vicinity_task_create(endless, NULL, &options, NULL));
    puts("streams passed");
    return 0;
}
