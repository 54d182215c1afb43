// Tasks with firstprivate objects: every copy is destroyed, values are those at creation, throwing none away.
#include "check.h"
#include <memory>
#include <string>
#include <vector>

static int constructed, copied, destroyed;

struct Tracked {
    int value;
    std::string text;
    std::vector<int> data;
    explicit Tracked(int v = 0) : value(v), text(std::string(100, 'a' + v % 26)), data(v % 50 + 1, v) {
        add_int(&constructed, 1);
    }
    Tracked(const Tracked &o) : value(o.value), text(o.text), data(o.data) { add_int(&copied, 1); }
    ~Tracked() {
        CHECK(text.size() == 100);
        value = -1;
        add_int(&destroyed, 1);
    }
    void check(int v) const {
        EQUAL(value, v);
        CHECK(text == std::string(100, 'a' + v % 26));
        CHECK(data.size() == (size_t)(v % 50 + 1) && data.back() == v);
    }
};

static void balanced() { EQUAL(constructed + copied, destroyed); }

static void deferred(int n) {
    for (int i = 0; i < n; i++) {
        Tracked mine(i);
#pragma omp task firstprivate(mine, i)
        mine.check(i);
    }
#pragma omp taskwait
}

static void dependent() {
    int x = 0;
    for (int i = 0; i < 40; i++) {
        Tracked mine(i);
#pragma omp task firstprivate(mine, i) depend(inout : x) shared(x)
        {
            mine.check(i);
            EQUAL(x++, i);
        }
    }
#pragma omp taskwait
}

static void special() {
    Tracked mine(7);
#pragma omp task firstprivate(mine) if (0)
    mine.check(7);
#pragma omp task firstprivate(mine) final(1)
    {
        mine.check(7);
#pragma omp task firstprivate(mine)
        mine.check(7);
    }
#pragma omp task firstprivate(mine) untied
    {
        mine.check(7);
#pragma omp task firstprivate(mine) mergeable
        mine.check(7);
#pragma omp taskwait
    }
#pragma omp taskwait
#pragma omp taskloop firstprivate(mine) grainsize(3)
    for (int i = 0; i < 50; i++) mine.check(7);
}

static void last_value() {
    Tracked mine(1);
#pragma omp taskloop lastprivate(mine) num_tasks(5)
    for (int i = 0; i < 20; i++) {
        mine.value = i;
        mine.text.assign(100, 'z');
    }
    EQUAL(mine.value, 19);
    mine.text.assign(100, 'a');
}

static void shared_ownership() {
    auto shared = std::make_shared<int>(5);
    long uses = 0;
    for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(shared) shared(uses)
        __atomic_fetch_add(&uses, *shared, __ATOMIC_RELAXED);
    }
#pragma omp taskwait
    EQUAL(uses, 250);
    EQUAL(shared.use_count(), 1);
}

int main() {
#pragma omp parallel
#pragma omp single
    {
        deferred(200);
        dependent();
        special();
        last_value();
        shared_ownership();
    }
    balanced();
#pragma omp parallel
    {
        deferred(20);
        special();
    }
    balanced();
    deferred(10);
    balanced();
    CHECK(copied >= 200);
    return 0;
}
