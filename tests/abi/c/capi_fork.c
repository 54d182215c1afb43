// fork while other threads use everything that the process has one of: memory, streams, workers, teams, records of threads,
// threadprivate variables, the affinity format, names in the trace, and, in the forking thread's own region, its tasks. The
// child, in which those threads are gone, uses each of them once; one that a lock keeps waiting is ended by its alarm.
// env: OMP_MAX_TASK_PRIORITY=4 VICINITY_LOCATIONS=cores VICINITY_TRACE=/tmp/vicinity-capi-fork-%p.json
// threads: 3
// flags: -I../capi/include -L../target/dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity -pthread
#define _GNU_SOURCE
#include "check.h"
#include <vicinity.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define OK(call) EQUAL(call, VICINITY_SUCCESS)
#define FORKS 16

static atomic_int stop;

static void remove_trace(pid_t process) {
    char name[64];
    snprintf(name, sizeof name, "/tmp/vicinity-capi-fork-%d.json", (int)process);
    unlink(name);
}

static void add_one(void *word) { atomic_fetch_add((atomic_int *)word, 1); }

static void use_streams(void) {
    vicinity_stream *own;
    OK(vicinity_stream_create(&own));
    atomic_int ran = 0;
    vicinity_options options = VICINITY_OPTIONS;
    options.stream = own;
    for (int i = 0; i < 4; i++) OK(vicinity_task_create(add_one, &ran, &options, NULL));
    OK(vicinity_stream_wait(own));
    EQUAL(ran, 4);
    OK(vicinity_stream_destroy(own));
}

// More functions than a thread remembers the names of.
#define REGION(n)                                                    \
    static void region##n(int threads) {                             \
        int count = 0;                                               \
        _Pragma("omp parallel num_threads(threads)") add_int(&count, 1); \
        CHECK(count >= 1);                                           \
    }
#define EIGHT(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7)
#define ALL(m) EIGHT(m, 1) EIGHT(m, 2) EIGHT(m, 3) EIGHT(m, 4) EIGHT(m, 5) EIGHT(m, 6) EIGHT(m, 7) EIGHT(m, 8) EIGHT(m, 9)
ALL(REGION)
#define NAME(n) region##n,
static void (*const regions[])(int) = {ALL(NAME)};

static void use_regions(void) {
    static atomic_int turn;
    for (int i = 0; i < 10; i++) {
        int now = atomic_fetch_add(&turn, 1);
        regions[now % (int)(sizeof regions / sizeof *regions)](1 + now % 4);
    }
}

static void *region_thread(void *argument) {
    use_regions();
    return argument;
}

static void use_new_thread(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, region_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void use_format(void) {
    char text[64];
    omp_set_affinity_format("%n of %N");
    CHECK(omp_get_affinity_format(text, sizeof text) > 0);
}

// The call that flang makes for a threadprivate variable.
static void use_threadprivate(void) {
    typedef void *find_copy(void *, int, void *, size_t);
    static long variables[64];
    find_copy *find = (find_copy *)dlsym(RTLD_DEFAULT, "__kmpc_threadprivate");
    CHECK(find != NULL);
    for (int i = 0; i < 64; i++) CHECK(find(NULL, 0, &variables[i], sizeof *variables) != NULL);
}

static void use_memory(void) {
    void *blocks[8];
    for (int i = 0; i < 8; i++) {
        blocks[i] = omp_alloc(i % 2 ? 100 << 10 : 100, omp_default_mem_alloc);
        CHECK(blocks[i] != NULL);
    }
    for (int i = 0; i < 8; i++) omp_free(blocks[i], omp_default_mem_alloc);
}

static void (*const uses[])(void) = {use_streams, use_regions, use_new_thread, use_format, use_threadprivate, use_memory};
#define USES (int)(sizeof uses / sizeof *uses)

static void *repeat(void *use) {
    while (!atomic_load(&stop)) (*(void (*const *)(void))use)();
    return NULL;
}

static void use_tasks(void) {
    int done = 0;
    for (int i = 0; i < 8; i++) {
#pragma omp task shared(done) priority(i % 4)
        add_int(&done, 1);
    }
#pragma omp taskwait
    EQUAL(done, 8);
}

static void child_of_region(void) {
    alarm(30);
    use_tasks();
    for (int i = 0; i < USES; i++) uses[i]();
    _exit(0);
}

static void forks(void) {
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) child_of_region();
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        if (status != 0) FAIL("child %d ended with status 0x%x", i, status);
        remove_trace(child);
    }
}

int main(void) {
    pthread_t threads[USES];
    use_regions();
    remove_trace(getpid());
    for (int i = 0; i < USES; i++) CHECK(pthread_create(&threads[i], NULL, repeat, (void *)&uses[i]) == 0);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            forks();
            atomic_store(&stop, 1);
        } else {
            while (!atomic_load(&stop)) use_tasks();
        }
    }
    for (int i = 0; i < USES; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
