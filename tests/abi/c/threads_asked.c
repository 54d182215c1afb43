// Numbers of threads and teams that nobody can have, or that are none: a smaller team and one line, whoever asks.
// peer-fails: libgomp ends the process
// peer-fails: libomp ends the process
// flags: -rdynamic
// threads: 2
#define _GNU_SOURCE
#define CHECK_CHILD_PROCESSES
#include "check.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>

enum { MOST = 12 };

// Stands before the C library's: so many threads and no more can be had, whatever the system has.
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static create_function create;
    static int left = MOST - 1;
    if (!create) create = (create_function)dlsym(RTLD_NEXT, "pthread_create");
    if (left == 0) return EAGAIN;
    left--;
    return create(thread, attributes, start, argument);
}

static int team(int num_threads) {
    int count = 0, size = 0, sum = 0;
#pragma omp parallel num_threads(num_threads) reduction(+ : sum)
    {
        add_int(&count, 1);
#pragma omp single
        size = omp_get_num_threads();
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++) sum += i;
    }
    EQUAL(count, size);
    EQUAL(sum, 4950);
    return size;
}

static int unspecified(void) {
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

static int nested(int num_threads) {
    int largest = 0;
    omp_set_max_active_levels(INT_MAX);
#pragma omp parallel num_threads(3)
    {
        int size = team(num_threads);
#pragma omp critical
        largest = size > largest ? size : largest;
    }
    return largest;
}

static int sections(int num_threads) {
    int sum = 0;
#pragma omp parallel sections num_threads(num_threads) reduction(+ : sum)
    {
        sum++;
#pragma omp section
        sum++;
    }
    return sum;
}

static int league(int num_teams, int thread_limit) {
    int teams = 0;
#pragma omp teams num_teams(num_teams) thread_limit(thread_limit)
    {
        if (omp_get_team_num() == 0) teams = omp_get_num_teams();
#pragma omp parallel num_threads(4)
        busy(1);
    }
    return teams;
}

static struct {
    const char *environment;
    int lines;
} cases[] = {
    {"", 1}, {"", 1}, {"", 1}, {"", 1}, {"OMP_NUM_THREADS=2147483647", 1}, {"OMP_NUM_THREADS=1000000", 1},
    {"", 1}, {"", 1}, {"", 1}, {"", 1}, {"", 1}, {"", 0}, {"", 1}, {"", 1},
};

static void child(int number) {
    omp_set_dynamic(0);
    switch (number) {
    case 0: EQUAL(team(INT_MAX), MOST); break;
    case 1: EQUAL(team(1000000), MOST); break;
    case 2: EQUAL(team(-1), 2); break;
    case 3: EQUAL(team(INT_MIN), 2); break;
    case 4:
    case 5: EQUAL(unspecified(), MOST); break;
    case 6:
        omp_set_num_threads(INT_MAX);
        EQUAL(unspecified(), MOST);
        break;
    case 7:
        omp_set_num_threads(-5);
        EQUAL(unspecified(), 1);
        break;
    case 8: CHECK(nested(INT_MAX) >= 4); break;
    case 9: EQUAL(sections(-1), 2); break;
    case 10: EQUAL(league(-3, 2), 1); break;
    case 11: EQUAL(league(3, INT_MAX), 3); break;
    case 12: EQUAL(league(2, -1), 2); break;
    case 13:
        // Larger, and smaller again, and again more than there is.
        for (int round = 0; round < 20; round++) {
            EQUAL(team(round % 2 ? INT_MAX : 1 << round), round % 2 || round > 3 ? MOST : 1 << round);
            EQUAL(team(3), 3);
        }
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    if (used.ru_maxrss > 200 << 10) FAIL("%ld KiB for %d threads", used.ru_maxrss, MOST);
}

int main(int argc, char **argv) {
    static char text[4000];
    if (argc > 1) return child(atoi(argv[1])), 0;
    for (size_t number = 0; number < sizeof cases / sizeof *cases; number++) {
        char environment[100], argument[8];
        snprintf(environment, sizeof environment, "%s timeout --signal=KILL 20", cases[number].environment);
        snprintf(argument, sizeof argument, "%zu", number);
        int status = run_self(environment, argument, text, sizeof text), lines = 0;
        for (const char *c = text; *c; c++) lines += *c == '\n';
        if (status != 0 || lines != cases[number].lines) FAIL("case %zu: status %d: %s", number, status, text);
        if (lines) CHECK(strncmp(text, "vicinity: ", 10) == 0);
    }
    return 0;
}
