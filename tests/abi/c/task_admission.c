// Tasks that nobody waits to steal run at once, whatever their clauses: few are created and not begun.
// threads: 1 2 4
// peer-fails: libgomp it defers them all
// peer-fails: libomp it defers them all
#include "check.h"

enum { WIDTH = 30, DEPTH = 3 };
static int waiting, most, leaves;

static void created(void) {
    int now = add_int(&waiting, 1) + 1, before = load_int(&most);
    while (now > before &&
           !__atomic_compare_exchange_n(&most, &before, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void begun(void) { add_int(&waiting, -1); }

#define TREE(name, clauses)                                     \
    static void name(int depth) {                               \
        if (depth == 0) {                                       \
            add_int(&leaves, 1);                                \
            return;                                             \
        }                                                       \
        for (int i = 0; i < WIDTH; i++) {                       \
            created();                                          \
            _Pragma(clauses) {                                  \
                begun();                                        \
                name(depth - 1);                                \
            }                                                   \
        }                                                       \
        _Pragma("omp taskwait")                                 \
    }

TREE(plain, "omp task firstprivate(depth)")
TREE(untied, "omp task untied firstprivate(depth)")
TREE(mergeable, "omp task mergeable firstprivate(depth)")
// OMP_MAX_TASK_PRIORITY is 0, so all have the same.
TREE(urgent, "omp task priority(3) firstprivate(depth)")
TREE(last_final, "omp task final(depth == 1) firstprivate(depth)")

static void run(const char *name, void (*tree)(int)) {
    waiting = most = leaves = 0;
    int team = 0;
#pragma omp parallel
#pragma omp single
    {
        team = omp_get_num_threads();
        tree(DEPTH);
    }
    EQUAL(leaves, WIDTH * WIDTH * WIDTH);
    EQUAL(waiting, 0);
    // A queue holds three, or one for each thread, and each thread begins at most one that it has just taken.
    int queue = team > 3 ? team : 3, limit = team == 1 ? 1 : team * (queue + 2);
    if (most > limit) FAIL("%s: %d tasks waited, %d are enough", name, most, limit);
}

int main(void) {
    EQUAL(omp_get_max_task_priority(), 0);
    run("plain", plain);
    run("untied", untied);
    run("mergeable", mergeable);
    run("priority", urgent);
    run("final", last_final);
    return 0;
}
