// Tasks with firstprivate objects run at once like others: few copies are alive, each is destroyed, exceptions stay inside.
// threads: 1 2 4
// peer-fails: libgomp it defers them all
// peer-fails: libomp it defers them all
#include "check.h"
#include <stdexcept>
#include <vector>

static int made, gone, alive, most, caught;

struct Counted {
    std::vector<int> data;
    explicit Counted(int n) : data(8, n) { count(); }
    Counted(const Counted &other) : data(other.data) { count(); }
    Counted &operator=(const Counted &) = delete;
    ~Counted() {
        CHECK(data.size() == 8);
        add_int(&gone, 1);
        add_int(&alive, -1);
    }
    void count() const {
        add_int(&made, 1);
        int now = add_int(&alive, 1) + 1, before = load_int(&most);
        while (now > before && !__atomic_compare_exchange_n(&most, &before, now, false, __ATOMIC_RELAXED,
                                                            __ATOMIC_RELAXED)) {
        }
    }
};

enum { WIDTH = 30, DEPTH = 3 };

static void leaf(const Counted &mine) {
    try {
        if (mine.data[0] % 7 == 0) throw std::runtime_error("inside");
    } catch (const std::runtime_error &) {
        add_int(&caught, 1);
    }
}

static void tree(int depth, const Counted &given) {
    Counted mine(given);
    if (depth == 0) return leaf(mine);
    for (int i = 0; i < WIDTH; i++) {
        mine.data[0] = i;
#pragma omp task firstprivate(mine, depth)
        {
            EQUAL(mine.data[0], i);
            tree(depth - 1, mine);
        }
    }
#pragma omp taskwait
}

static void finals(int depth, const Counted &mine) {
    CHECK(omp_in_final());
    if (depth == 0) return;
    int ran = 0;
    for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(mine, depth) shared(ran)
        {
            finals(depth - 1, mine);
            ran++;
        }
        EQUAL(ran, i + 1);
    }
}

static void balanced() {
    EQUAL(made, gone);
    EQUAL(alive, 0);
}

int main() {
    int team = 0;
    for (int round = 0; round < 2; round++) {
        most = caught = 0;
#pragma omp parallel
#pragma omp single
        {
            team = omp_get_num_threads();
            tree(DEPTH, Counted(3));
        }
        balanced();
        EQUAL(caught, WIDTH * WIDTH * 5);
        // On each thread a path down the tree, two copies a level, and a short queue. A thread that waits may hold as many
        // tasks of others that it must not run: it took them to see whether it might, and who made them made more.
        int queue = team > 3 ? team : 3, path = 2 * (DEPTH + 1);
        int limit = team * (path + queue + 1) * (team > 1 ? 2 : 1);
        if (most > limit) FAIL("%d copies were alive at once, %d are enough", most, limit);
    }
#pragma omp parallel
#pragma omp single
    {
        Counted mine(5);
        for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(mine) final(1)
            finals(3, mine);
#pragma omp task firstprivate(mine) priority(i)
            leaf(mine);
#pragma omp task firstprivate(mine) if (0)
            leaf(mine);
        }
#pragma omp taskloop firstprivate(mine) final(1) grainsize(2)
        for (int i = 0; i < 20; i++) finals(1, mine);
    }
    balanced();
    return 0;
}
