// cancel: nobody waits for a thread that left a cancelled region, wherever it waits, nor for the event of a discarded task.
// env: OMP_CANCELLATION=true OMP_DYNAMIC=false
// peer-fails: libgomp waits at reductions, copyprivate and barriers of functions
// peer-fails: libomp waits at reductions, copyprivate and barriers of functions
#include "check.h"

static int left;

// The last thread has left when it returns.
static void see_it_leave(void) { SPIN_UNTIL(load_int(&left)); }

__attribute__((noinline)) static void barrier(void) {
#pragma omp barrier
}

__attribute__((noinline)) static long loops(void) {
    long sum = 0;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 50; i++) busy(10);
#pragma omp for schedule(static)
    for (int i = 0; i < 50; i++) sum += i;
#pragma omp sections
    {
#pragma omp section
        busy(10);
#pragma omp section
        busy(20);
    }
    return sum;
}

__attribute__((noinline)) static int broadcast(void) {
    int value = 0;
#pragma omp single copyprivate(value)
    value = 7;
    return value;
}

__attribute__((noinline)) static void ordered(void) {
#pragma omp for ordered schedule(dynamic, 1)
    for (int i = 0; i < 40; i++) {
#pragma omp ordered
        busy(10);
    }
}

__attribute__((noinline)) static void single(void) {
#pragma omp single
    busy(10);
#pragma omp masked
    busy(10);
#pragma omp critical
    busy(10);
}

static long total;
static double products;

__attribute__((noinline)) static void reductions(void) {
#pragma omp for reduction(+ : total) reduction(* : products) nowait
    for (int i = 0; i < 50; i++) total += i;
#pragma omp for reduction(+ : total) reduction(* : products)
    for (int i = 0; i < 50; i++) total += i;
#pragma omp sections reduction(max : total)
    {
#pragma omp section
        total = 3;
    }
}

__attribute__((noinline)) static void tasks(void) {
#pragma omp taskgroup
    for (int i = 0; i < 20; i++) {
#pragma omp task
        busy(10);
    }
#pragma omp taskwait
}

enum { BARRIER, LOOPS, BROADCAST, ORDERED, SINGLE, REDUCTIONS, TASKS, KINDS };

static void meet(int kind) {
    switch (kind) {
    case BARRIER: barrier(); break;
    case LOOPS: loops(); break;
    case BROADCAST: broadcast(); break;
    case ORDERED: ordered(); break;
    case SINGLE: single(); break;
    case REDUCTIONS: reductions(); break;
    default: tasks();
    }
}

// `late`: the others are on their way before the one leaves.
static void region(int kind, int late) {
    int team = omp_get_max_threads(), after = 0, sum = 0;
    left = 0;
#pragma omp parallel reduction(+ : sum)
    {
        if (omp_get_thread_num() == team - 1) {
            if (late) busy(20000);
            store_int(&left, 1);
#pragma omp cancel parallel
        }
        if (!late) see_it_leave();
        sum += omp_get_thread_num();
        meet(kind);
        meet(kind);
#pragma omp barrier
        add_int(&after, 1);
    }
    EQUAL(after, 0);
    // The next region is whole.
    sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        meet(kind);
        EQUAL(broadcast(), 7);
        sum += 1 + omp_get_thread_num();
    }
    EQUAL(sum, team * (team + 1) / 2);
}

// A discarded task is complete. Its event may still be fulfilled, to no effect.
static void discarded(void) {
    enum { TASKS = 10 };
    static omp_event_handle_t events[TASKS];
    int ran = 0, seen = 0, x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task if (0)
            {
#pragma omp cancel taskgroup
            }
            for (int i = 0; i < TASKS; i++) {
                omp_event_handle_t event;
#pragma omp task detach(event) shared(ran) depend(inout : x)
                {
                    add_int(&ran, 1);
                    omp_fulfill_event(event);
                }
                events[i] = event;
            }
        }
        EQUAL(load_int(&ran), 0);
        for (int i = 0; i < TASKS; i++) omp_fulfill_event(events[i]);
#pragma omp task depend(in : x) shared(seen)
        store_int(&seen, 1);
#pragma omp taskwait
        EQUAL(seen, 1);
    }
}

int main(void) {
    CHECK(omp_get_cancellation());
    for (int round = 0; round < 6; round++) {
        for (int kind = 0; kind < KINDS; kind++) region(kind, round % 2);
        discarded();
    }
    return 0;
}
