// detach: events fulfilled before, during and after the body, by any thread, a plain pthread too; with dependences.
#include "check.h"
#include <pthread.h>

static void *fulfill(void *event) {
    omp_fulfill_event(*(omp_event_handle_t *)event);
    return NULL;
}

static void by_the_creator(void) {
    omp_event_handle_t event;
    int x = 0;
#pragma omp task detach(event) shared(x)
    store_int(&x, 1);
    omp_fulfill_event(event);
#pragma omp taskwait
    EQUAL(x, 1);
}

static void by_itself(void) {
    omp_event_handle_t event;
    int x = 0;
#pragma omp task detach(event) shared(x)
    {
        omp_fulfill_event(event);
        x = 2;
    }
#pragma omp taskwait
    EQUAL(x, 2);
}

static void by_another_task(void) {
    omp_event_handle_t event;
    int x = 0, y = 0;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 3;
#pragma omp task firstprivate(event)
    {
        busy(100);
        omp_fulfill_event(event);
    }
#pragma omp task depend(in : x) shared(x, y)
    y = x + 1;
#pragma omp taskwait
    EQUAL(y, 4);
}

static void by_a_pthread(int n) {
    omp_event_handle_t *events = malloc(sizeof *events * (size_t)n);
    pthread_t *threads = malloc(sizeof *threads * (size_t)n);
    int done = 0, after = 0;
#pragma omp taskgroup
    {
        for (int i = 0; i < n; i++) {
            omp_event_handle_t event;
#pragma omp task detach(event) depend(in : done) shared(done)
            add_int(&done, 1);
            events[i] = event;
        }
#pragma omp task depend(out : done) shared(done, after)
        after = load_int(&done);
        for (int i = 0; i < n; i++) CHECK(pthread_create(&threads[i], NULL, fulfill, &events[i]) == 0);
    }
    EQUAL(after, n);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
    free(events);
    free(threads);
}

static void asynchronous_chain(void) {
    // Each link completes only when a thread outside of OpenMP says so.
    int x = 0;
    for (int i = 0; i < 10; i++) {
        omp_event_handle_t event;
        pthread_t thread;
#pragma omp task detach(event) depend(inout : x) shared(x) firstprivate(i)
        {
            EQUAL(x, i);
            x++;
        }
        omp_event_handle_t copy = event;
        CHECK(pthread_create(&thread, NULL, fulfill, &copy) == 0);
        pthread_join(thread, NULL);
    }
#pragma omp taskwait
    EQUAL(x, 10);
}

static void children_go_on(void) {
    omp_event_handle_t event;
    int x = 0;
#pragma omp taskgroup
    {
#pragma omp task detach(event) shared(x)
        {
            for (int i = 0; i < 5; i++) {
#pragma omp task shared(x)
                add_int(&x, 1);
            }
        }
        omp_fulfill_event(event);
    }
    EQUAL(x, 5);
}

int main(void) {
    int at_barrier = 0;
#pragma omp parallel
    {
#pragma omp single
        for (int round = 0; round < 10; round++) {
            by_the_creator();
            by_itself();
            by_another_task();
            by_a_pthread(4);
            asynchronous_chain();
            children_go_on();
        }
        by_the_creator();
        by_another_task();
        // The region's last barrier waits for events as well.
        omp_event_handle_t event;
#pragma omp task detach(event) shared(at_barrier)
        add_int(&at_barrier, 1);
        omp_fulfill_event(event);
    }
    EQUAL(at_barrier, omp_get_max_threads());
    return 0;
}
