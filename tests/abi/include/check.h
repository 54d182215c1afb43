/* What the self-checking programs share: a failed check prints one line and ends the process at once.
 * Nothing here waits for a time: SPIN_UNTIL gives way and has a limit only so that a failure is reported. */
#ifndef CHECK_H
#define CHECK_H
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FAIL(...)                                         \
    do {                                                  \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);   \
        fprintf(stderr, __VA_ARGS__);                     \
        fputc('\n', stderr);                              \
        _exit(1);                                         \
    } while (0)

#define CHECK(condition)                                  \
    do {                                                  \
        if (!(condition)) FAIL("not true: %s", #condition); \
    } while (0)

/* Integers; printed as signed. */
#define EQUAL(got, want)                                                                  \
    do {                                                                                  \
        long long got_ = (long long)(got), want_ = (long long)(want);                     \
        if (got_ != want_) FAIL("%s is %lld, expected %lld", #got, got_, want_);          \
    } while (0)

/* For things that another running thread of the team will certainly do. */
#define SPIN_UNTIL(condition)                                                             \
    do {                                                                                  \
        double limit_ = omp_get_wtime() + 40.0;                                           \
        while (!(condition)) {                                                            \
            sched_yield();                                                                \
            if (omp_get_wtime() > limit_) FAIL("never happened: %s", #condition);         \
        }                                                                                 \
    } while (0)

static inline int load_int(const int *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
static inline void store_int(int *p, int v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }
/* The value before. */
static inline int add_int(int *p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL); }

/* Some arithmetic that the compiler keeps, so that bodies overlap now and then. */
static inline unsigned busy(unsigned rounds) {
    unsigned x = rounds | 1u;
    for (unsigned i = 0; i < rounds; i++) {
        x = x * 1664525u + 1013904223u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

#ifdef CHECK_CHILD_PROCESSES
#include <sys/wait.h>
/* Runs `environment PROGRAM argument` and keeps what it prints (both streams); gives its exit status. */
static inline int run_self(const char *environment, const char *argument, char *text, size_t size) {
    char self[512], command[1200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK(n > 0);
    self[n] = 0;
    snprintf(command, sizeof command, "%s '%s' %s 2>&1", environment, self, argument);
    FILE *pipe = popen(command, "r");
    CHECK(pipe != NULL);
    size_t used = fread(text, 1, size - 1, pipe);
    text[used] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
#endif
#endif
