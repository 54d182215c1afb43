/* Does as it is told, a line at a time, and answers with a line:
 *   region   the threads of a region; it ends with the next line
 *   demand   the same of one with num_threads(2)
 *   event    the same, while all its threads sleep: a task of it ends with the next line
 *   inner    of a region in a region, while both threads of the outer one are in theirs
 *   fork     goes on in a child
 *   exec     becomes another program, from within a region
 *   pool     what four threads of the program are told by omp_get_max_threads, and what their regions have, one after the other
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char line[64];
static pthread_barrier_t all_here;
static int told[4], had[4];

static int next(void) { return fgets(line, sizeof line, stdin) != NULL; }
static int is(const char *word) { return strncmp(line, word, strlen(word)) == 0; }

static void say(int number) {
    printf("%d\n", number);
    fflush(stdout);
}

static void hold(void) {
#pragma omp master
    {
        say(omp_get_num_threads());
        next();
    }
}

static omp_event_handle_t awaited;

static void *fulfill(void *unused) {
    (void)unused;
    next();
    omp_fulfill_event(awaited);
    return NULL;
}

static void event(void) {
    omp_event_handle_t handle;
    pthread_t thread;
#pragma omp parallel
#pragma omp master
    {
#pragma omp task detach(handle)
        {
            awaited = handle;
            pthread_create(&thread, NULL, fulfill, NULL);
        }
        say(omp_get_num_threads());
    }
    pthread_join(thread, NULL);
}

static void inner(void) {
    int sizes[2] = {0};
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        /* Both are awake: they meet outside of OpenMP. */
        pthread_barrier_wait(&all_here);
#pragma omp parallel
#pragma omp single
        sizes[me] = omp_get_num_threads();
        pthread_barrier_wait(&all_here);
    }
    say(sizes[0] * 10 + sizes[1]);
}

static void *native(void *number) {
    int me = *(int *)number;
    pthread_barrier_wait(&all_here);
    told[me] = omp_get_max_threads();
    pthread_barrier_wait(&all_here);
#pragma omp parallel
#pragma omp master
    {
        had[me] = omp_get_num_threads();
        pthread_barrier_wait(&all_here);
    }
    return NULL;
}

static void pool(void) {
    pthread_t threads[4];
    int numbers[4];
    pthread_barrier_destroy(&all_here);
    pthread_barrier_init(&all_here, NULL, 4);
    for (int i = 0; i < 4; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, native, &numbers[i]);
    }
    int most_told = 0, all_had = 0;
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        most_told += told[i];
        all_had += had[i];
    }
    say(most_told * 100 + all_had);
}

int main(void) {
    setvbuf(stdin, NULL, _IONBF, 0);
    pthread_barrier_init(&all_here, NULL, 2);
    omp_get_max_threads();
    while (next()) {
        if (is("region")) {
#pragma omp parallel
            hold();
        } else if (is("demand")) {
#pragma omp parallel num_threads(2)
            hold();
        } else if (is("event")) {
            event();
        } else if (is("inner")) {
            inner();
        } else if (is("pool")) {
            pool();
        } else if (is("fork")) {
            if (fork() > 0) {
                wait(NULL);
                return 0;
            }
            say(0);
        } else if (is("exec")) {
#pragma omp parallel
#pragma omp master
            {
                say(omp_get_num_threads());
                execlp("cat", "cat", NULL);
            }
        }
    }
    return 0;
}
