// final: the task itself is deferred like any other, its descendants are not; an undeferred task with an event keeps its creator for its body alone.
// peer-fails: libgomp waits for the event of an undeferred task
#include "check.h"

// A final task whose predecessor waits for an event that the creator of both fulfills.
static void creator_goes_on(void) {
    int x = 0, seen = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 1;
#pragma omp task final(1) depend(in : x) shared(x, seen)
    store_int(&seen, x);
    omp_fulfill_event(event);
#pragma omp taskwait
    EQUAL(seen, 1);
}

static void meet(int *arrived, int all) {
    add_int(arrived, 1);
    SPIN_UNTIL(load_int(arrived) == all);
}

// As many final tasks as threads: each waits for all others.
static void run_in_parallel(int team) {
    int arrived = 0, shares = 0;
    for (int i = 0; i < team; i++) {
#pragma omp task final(1) shared(arrived)
        meet(&arrived, team);
    }
#pragma omp taskwait
#pragma omp taskloop final(team > 0) grainsize(1) shared(shares)
    for (int i = 0; i < team; i++) meet(&shares, team);
    int mergeable = 0;
    for (int i = 0; i < team; i++) {
#pragma omp task final(i >= 0) mergeable shared(mergeable)
        meet(&mergeable, team);
    }
#pragma omp taskwait
}

static void included(int depth) {
    int me = omp_get_thread_num(), ran = 0;
    CHECK(omp_in_final());
    if (depth == 0) return;
#pragma omp task shared(ran) firstprivate(me, depth)
    {
        EQUAL(omp_get_thread_num(), me);
        included(depth - 1);
        ran++;
    }
    EQUAL(ran, 1);
#pragma omp taskloop shared(ran) firstprivate(me) grainsize(1)
    for (int i = 0; i < 5; i++) {
        CHECK(omp_in_final());
        EQUAL(omp_get_thread_num(), me);
        ran++;
    }
    EQUAL(ran, 6);
#pragma omp task shared(ran) depend(inout : ran) priority(3) untied
    ran++;
    EQUAL(ran, 7);
}

static void descendants(void) {
    CHECK(!omp_in_final());
    int outer = 0;
    for (int i = 0; i < 10; i++) {
#pragma omp task final(i % 2) firstprivate(i) shared(outer)
        {
            EQUAL(omp_in_final(), i % 2);
            if (i % 2) included(3);
            else {
#pragma omp task
                CHECK(!omp_in_final());
#pragma omp task final(1)
                included(2);
            }
            add_int(&outer, 1);
        }
    }
#pragma omp taskwait
    EQUAL(outer, 10);
    CHECK(!omp_in_final());
}

// Undeferred: the creator goes on when the body is over. The task is complete when the event is fulfilled as well.
static void undeferred_events(void) {
    int ran = 0, x = 0, later = 0;
    omp_event_handle_t event, inner, ordered;
#pragma omp task if (0) detach(event) shared(ran)
    ran = 1;
    EQUAL(ran, 1);
    omp_fulfill_event(event);
#pragma omp taskwait
#pragma omp task final(1) shared(ran)
    {
        CHECK(omp_in_final());
#pragma omp task detach(inner) shared(ran)
        add_int(&ran, 1);
        omp_fulfill_event(inner);
#pragma omp taskwait
        EQUAL(load_int(&ran), 2);
    }
#pragma omp taskwait
    EQUAL(ran, 2);
    // clang does not tell which dependences an undeferred task has.
#ifndef __clang__
#pragma omp task if (0) detach(ordered) depend(out : x) shared(x)
    x = 1;
    EQUAL(x, 1);
#pragma omp task depend(in : x) shared(later, ran)
    store_int(&later, load_int(&ran));
    add_int(&ran, 1);
    omp_fulfill_event(ordered);
#pragma omp taskwait
    EQUAL(later, 3);
#endif
    (void)ordered, (void)x, (void)later;
}

// The creator of an undeferred task goes on when the body is over, also where another task excludes it for a while.
static void undeferred_in_turn(void) {
    omp_event_handle_t event;
    int x = 0, started = 0, over = 0;
    int alone = omp_get_num_threads() == 1;
#pragma omp task depend(mutexinoutset : x) shared(started)
    {
        store_int(&started, 1);
        busy(2000);
    }
    if (!alone) SPIN_UNTIL(load_int(&started));
#pragma omp task if (0) detach(event) depend(mutexinoutset : x) shared(over)
    store_int(&over, 1);
    EQUAL(load_int(&over), 1);
    omp_fulfill_event(event);
#pragma omp taskwait
}

// The same behind more predecessors than it would wait for one by one.
static void undeferred_behind_many(void) {
    omp_event_handle_t event;
    int x = 0, done = 0, over = 0;
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(mutexinoutset : x) shared(done)
        add_int(&done, 1);
    }
#pragma omp task if (0) detach(event) depend(in : x) shared(done, over)
    store_int(&over, load_int(&done));
    EQUAL(load_int(&over), 10);
    omp_fulfill_event(event);
#pragma omp taskwait
}

// A region waits for the events of its undeferred tasks.
static void event_of_another(void) {
    static omp_event_handle_t event;
    static int given, done;
    given = done = 0;
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        if (me == 0) {
            omp_event_handle_t own;
#pragma omp taskgroup
            {
#pragma omp task if (0) detach(own)
                {
                    event = own;
                    store_int(&given, 1);
                }
                if (team == 1) {
                    done = 1;
                    omp_fulfill_event(own);
                }
            }
            EQUAL(load_int(&done), 1);
        } else {
            SPIN_UNTIL(load_int(&given));
            busy(5000);
            store_int(&done, 1);
            omp_fulfill_event(event);
        }
    }
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) creator_goes_on();
        run_in_parallel(omp_get_num_threads());
        descendants();
        undeferred_events();
        for (int i = 0; i < 10; i++) undeferred_in_turn();
        for (int i = 0; i < 10; i++) undeferred_behind_many();
    }
    descendants();
    undeferred_events();
    for (int i = 0; i < 20; i++) event_of_another();
    return 0;
}
