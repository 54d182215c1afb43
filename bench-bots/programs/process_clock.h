/* Processor time of all threads of this process together. It does not move while other processes have the processor. */
#ifndef VICINITY_BENCH_PROCESS_CLOCK_H
#define VICINITY_BENCH_PROCESS_CLOCK_H

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

enum { CLOCK_THREADS = 1024 };

static inline double clock_s(clockid_t clock) {
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The processor-time clock of a thread, which the C library tells of its own threads alone (Linux, posix-timers.h). */
static inline clockid_t clock_of_thread(long id) { return (clockid_t)((~(unsigned)id << 3) | 6); }

/* The threads that there are now; how many. */
static inline int find_threads(long ids[CLOCK_THREADS]) {
    int count = 0;
    DIR *threads = opendir("/proc/self/task");
    struct dirent *thread;
    while (threads && count < CLOCK_THREADS && (thread = readdir(threads))) {
        ids[count] = atol(thread->d_name);
        count += ids[count] > 0;
    }
    if (threads) {
        closedir(threads);
    }
    return count;
}

/* Linux adds what a thread runs on another processor to the process's time at ticks, milliseconds apart, or when that
 * thread's own clock is read. So all of them are read before. The folder of the threads is read again where their number is another
 * one, or a thread is gone. What all that takes does not count. One thread calls it at a time. */
static inline double process_cpu_s(void) {
    static long ids[CLOCK_THREADS];
    static int count;
    static nlink_t links;
    static double reading_s;
    struct timespec now;
    struct stat folder;
    double before = clock_s(CLOCK_THREAD_CPUTIME_ID);
    if (stat("/proc/self/task", &folder) == 0 && folder.st_nlink != links) {
        links = folder.st_nlink;
        count = find_threads(ids);
    }
    for (int at = 0; at < count; at++) {
        if (clock_gettime(clock_of_thread(ids[at]), &now) != 0) {
            links = 0;
        }
    }
    reading_s += clock_s(CLOCK_THREAD_CPUTIME_ID) - before;
    return clock_s(CLOCK_PROCESS_CPUTIME_ID) - reading_s;
}

#endif
