// Copy constructors that create tasks themselves: with gcc those are children of the task that the copy is for, which has
// not begun, and may begin on another thread while one of them ends.
#include "check.h"

static int copies, made, begun;

struct Maker {
    int parts;
    explicit Maker(int n) : parts(n) {}
    Maker(const Maker &other) : parts(other.parts) {
        add_int(&copies, 1);
        for (int i = 0; i < parts; i++) {
#pragma omp task
            add_int(&made, 1);
        }
    }
};

// Each waits for the one before: the children of its copy run meanwhile, on any thread, and those of its body beside them.
static void chain(int length) {
    int x = 0;
    for (int i = 0; i < length; i++) {
        Maker maker(i % 5);
#pragma omp task firstprivate(maker, i) depend(inout : x) shared(x)
        {
            EQUAL(maker.parts, i % 5);
            EQUAL(x++, i);
            add_int(&begun, 1);
            for (int j = 0; j < 4; j++) {
#pragma omp task
                add_int(&made, 1);
            }
#pragma omp taskwait
        }
    }
#pragma omp taskwait
    EQUAL(x, length);
}

int main() {
    const int rounds = 20, length = 100;
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel
#pragma omp single
        chain(length);
    }
    EQUAL(begun, rounds * length);
    // Copies made to run a task at once are copies too.
    CHECK(copies >= begun);
    CHECK(made >= begun * 4 + rounds * length / 5 * 10);
    return 0;
}
