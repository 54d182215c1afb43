// Threads that cannot be made: at any point of the start, for want of processes, addresses or stack. The team is smaller,
// one line says so, nothing piles up, and later teams have their size again once threads can be made.
// peer-fails: libgomp ends the process
// peer-fails: libomp ends the process
// flags: -rdynamic
// threads: 2
#define _GNU_SOURCE
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

// Which calls of pthread_create fail, as if the system had no thread.
static int fail_from = -1, fail_to = -1, calls;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    create_function create = (create_function)dlsym(RTLD_NEXT, "pthread_create");
    int call = calls++;
    if (call >= fail_from && call < fail_to) return EAGAIN;
    return create(thread, attributes, start, argument);
}

static int team(int num_threads) {
    int count = 0, size = 0, tasks = 0;
#pragma omp parallel num_threads(num_threads) shared(size, tasks)
    {
        add_int(&count, 1);
#pragma omp single
        {
            size = omp_get_num_threads();
            for (int i = 0; i < 50; i++) {
#pragma omp task
                add_int(&tasks, 1);
            }
        }
    }
    EQUAL(count, size);
    EQUAL(tasks, 50);
    return size;
}

static long pages(void) {
    long total = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%ld", &total) == 1);
    fclose(f);
    return total;
}

static void limit(int resource, unsigned long value) {
    struct rlimit both = {value, value};
    CHECK(setrlimit(resource, &both) == 0);
}

// One call fails: the team of that region is smaller, the next one has all threads.
static void one_fails(int which) {
    fail_from = which;
    fail_to = which + 1;
    EQUAL(team(6), which + 1);
    EQUAL(team(6), 6);
}

static void none_ever(void) {
    fail_from = 2;
    fail_to = 1 << 30;
    EQUAL(team(64), 3);
    long before = pages();
    for (int round = 0; round < 2000; round++) EQUAL(team(64 + round), 3);
    CHECK(pages() - before < 256);
    fail_to = 0;
    EQUAL(team(6), 6);
}

static int child(const char *what) {
    omp_set_dynamic(0);
    if (what[0] == 'n') {
        // The limit does not bind the superuser.
        if (getuid() == 0) CHECK(setgid(65534) == 0 && setuid(65534) == 0);
        limit(RLIMIT_NPROC, 0);
        CHECK(team(4) == 1 && team(5) == 1);
    } else if (what[0] == 'a') {
        limit(RLIMIT_AS, strtoul(what + 1, NULL, 10) << 20);
        int size = team(64);
        CHECK(size >= 1 && size < 64 && team(64) >= 1);
    } else if (what[0] == 's') {
        EQUAL(team(4), 1);
    } else if (what[0] == 'l') {
        none_ever();
    } else {
        one_fails(atoi(what));
    }
    return 0;
}

int main(int argc, char **argv) {
    static char text[4000];
    if (argc > 1) return child(argv[1]);
    static const char *const cases[][2] = {
        {"", "0"}, {"", "1"}, {"", "4"}, {"", "l"}, {"", "n"}, {"", "a60"},
        {"", "a100"}, {"", "a120"}, {"", "a140"}, {"", "a200"},
        {"OMP_STACKSIZE=1000T", "s"}, {"KMP_STACKSIZE=18446744073709551615", "s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char environment[100];
        snprintf(environment, sizeof environment, "%s timeout --signal=KILL 40", cases[i][0]);
        int status = run_self(environment, cases[i][1], text, sizeof text), lines = 0;
        for (const char *c = text; *c; c++) lines += *c == '\n';
        if (status != 0 || lines != 1) FAIL("%s %s: status %d: %s", cases[i][0], cases[i][1], status, text);
        CHECK(strncmp(text, "vicinity: ", 10) == 0);
    }
    return 0;
}
