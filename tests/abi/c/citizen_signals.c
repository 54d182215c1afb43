// A timer's signals interrupt everything: regions, barriers, locks, tasks, sleeping threads; nothing is lost.
#include "check.h"
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static void tick(int signal) {
    (void)signal;
    ticks++;
}

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    // Without SA_RESTART: every blocking call of the runtime sees EINTR.
    action.sa_handler = tick;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    struct itimerval timer = {{0, 500}, {0, 500}};
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
    long sum = 0, other = 0;
    int tasks = 0, team = omp_get_max_threads(), rounds = 0;
    omp_set_dynamic(0);
    omp_lock_t lock;
    omp_init_lock(&lock);
    while (ticks < 60) {
        rounds++;
#pragma omp parallel shared(sum, other, tasks)
        {
            if (omp_get_thread_num() == 0) {
                // Long enough for the others to fall asleep.
                struct timespec nap = {0, 2000000};
                nanosleep(&nap, NULL);
            }
#pragma omp barrier
            for (int i = 0; i < 5; i++) {
                omp_set_lock(&lock);
                sum++;
                omp_unset_lock(&lock);
#pragma omp critical
                other++;
            }
#pragma omp single
            for (int i = 0; i < 10; i++) {
#pragma omp task
                add_int(&tasks, 1);
            }
        }
    }
    timer.it_value.tv_usec = timer.it_interval.tv_usec = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
    EQUAL(sum, 5L * team * rounds);
    EQUAL(other, 5L * team * rounds);
    EQUAL(tasks, 10 * rounds);
    omp_destroy_lock(&lock);
    return 0;
}
