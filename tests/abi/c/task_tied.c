// The scheduling constraint: on a thread, a tied task starts only as a descendant of every tied task begun there.
#include "check.h"

struct node { const struct node *creator; const struct node *below; };

// The innermost tied task begun and not yet ended on this thread; tied tasks never move.
static _Thread_local const struct node *top;
static int begun;

static int descends_from(const struct node *node, const struct node *ancestor) {
    for (; node; node = node->creator)
        if (node == ancestor) return 1;
    return 0;
}

static void begin(struct node *me, const struct node *creator) {
    me->creator = creator;
    me->below = top;
    for (const struct node *s = top; s; s = s->below)
        if (!descends_from(creator, s)) FAIL("a task began on top of one it does not descend from");
    top = me;
    add_int(&begun, 1);
}

static void end(const struct node *me) {
    CHECK(top == me);
    top = me->below;
}

static void tree(int depth, const struct node *creator) {
    struct node me;
    begin(&me, creator);
    if (depth > 0) {
        for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(depth) shared(me)
            tree(depth - 1, &me);
        }
        busy(depth * 10);
        if (depth % 2 == 0) {
#pragma omp taskyield
        }
        // `me` is read by the children, so they are waited for.
#pragma omp taskwait
    }
    end(&me);
}

static void grouped(int depth, const struct node *creator) {
    struct node me;
    begin(&me, creator);
    if (depth > 0) {
        int x;
#pragma omp taskgroup
        for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(depth) shared(me) depend(out : x)
            grouped(depth - 1, &me);
#pragma omp task firstprivate(depth) shared(me) depend(in : x) 
            grouped(depth - 2, &me);
        }
    }
    end(&me);
}

static void long_waits(const struct node *creator) {
    // The child that a waiting parent needs may be at work elsewhere; the temptation is to take any task.
    struct node me;
    begin(&me, creator);
#pragma omp task shared(me)
    {
        struct node child;
        begin(&child, &me);
        busy(20000);
        end(&child);
    }
    busy(50);
#pragma omp taskwait
    end(&me);
}

int main(void) {
    int team = omp_get_max_threads();
#pragma omp parallel
    {
#pragma omp single nowait
        for (int i = 0; i < 30; i++) {
#pragma omp task
            long_waits(NULL);
        }
        for (int i = 0; i < 2; i++) {
#pragma omp task
            tree(5, NULL);
        }
#pragma omp barrier
        CHECK(top == NULL);
#pragma omp single
        for (int i = 0; i < 3; i++) {
#pragma omp task
            grouped(4, NULL);
        }
    }
    CHECK(begun > 60 + team * 2 * 364);
    return 0;
}
