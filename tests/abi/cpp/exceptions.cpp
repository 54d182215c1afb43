// Exceptions thrown and caught inside regions, loops, sections, criticals, singles and tasks, on every thread.
#include "check.h"
#include <stdexcept>
#include <string>

static int leave(int i) {
    if (i % 3 == 0) throw std::runtime_error("three " + std::to_string(i));
    if (i % 3 == 1) throw i;
    return i;
}

static int caught(int i) {
    try {
        return leave(i) == i ? 1 : -1000;
    } catch (const std::exception &e) {
        return e.what() == "three " + std::to_string(i) ? 10 : -1000;
    } catch (int value) {
        return value == i ? 100 : -1000;
    }
}

struct Counted {
    int *live;
    explicit Counted(int *l) : live(l) { add_int(live, 1); }
    Counted(const Counted &other) : live(other.live) { add_int(live, 1); }
    ~Counted() { add_int(live, -1); }
};

static void in_region() {
    int total = 0, live = 0;
#pragma omp parallel reduction(+ : total)
    {
        Counted guard(&live);
        for (int i = 0; i < 30; i++) total += caught(i);
        try {
            Counted inner(&live);
            throw inner;
        } catch (const Counted &) {
        }
    }
    EQUAL(total, 1110 * omp_get_max_threads());
    EQUAL(live, 0);
}

static void in_worksharing() {
    int total = 0;
#pragma omp parallel reduction(+ : total)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 300; i++) {
            try {
                leave(i);
                total += 1;
            } catch (...) {
                total += 2;
            }
        }
#pragma omp single
        {
            try {
                throw std::string("single");
            } catch (const std::string &s) {
                total += (int)s.size();
            }
        }
#pragma omp critical
        {
            try {
                throw 4.5;
            } catch (double) {
                total += 0;
            }
        }
    }
    EQUAL(total, 500 + 6);
}

static int recurse(int depth) {
    if (depth == 0) throw std::out_of_range("bottom");
    int failed = 0;
#pragma omp task shared(failed) firstprivate(depth)
    {
        try {
            failed += recurse(depth - 1);
        } catch (const std::out_of_range &) {
            failed += 1;
        }
    }
    int other = 0;
#pragma omp task shared(other) firstprivate(depth)
    {
        try {
            other += recurse(depth - 1);
        } catch (const std::logic_error &) {
            other += 1;
        }
    }
#pragma omp taskwait
    return failed + other;
}

int main() {
    omp_set_dynamic(0);
    in_region();
    in_worksharing();
#pragma omp parallel
#pragma omp single
    {
        EQUAL(recurse(8), 256);
        int seen = 0;
        for (int i = 0; i < 60; i++) {
#pragma omp task shared(seen) firstprivate(i)
            add_int(&seen, caught(i));
        }
#pragma omp taskwait
        EQUAL(seen, 2220);
    }
    // A region inside a try block, and one that starts while an exception is being handled.
    try {
        int n = 0;
#pragma omp parallel reduction(+ : n)
        n++;
        throw n;
    } catch (int n) {
        EQUAL(n, omp_get_max_threads());
        in_region();
    }
    return 0;
}
