// threadprivate objects: constructed once a thread, kept between regions, copied in by assignment.
#include "check.h"
#include <string>

struct Counter {
    int value = 5;
    std::string name = "fresh";
    static int made;
    Counter() { add_int(&made, 1); }
    Counter &operator=(const Counter &o) = default;
};
int Counter::made;

extern Counter counter;
#pragma omp threadprivate(counter)
Counter counter;

struct Holder {
    static int calls;
#pragma omp threadprivate(calls)
    static thread_local std::string text;
};
int Holder::calls = 3;
thread_local std::string Holder::text = "local";

int main() {
    int n = omp_get_max_threads();
    omp_set_dynamic(0);
#pragma omp parallel
    {
        EQUAL(counter.value, 5);
        CHECK(counter.name == "fresh");
        counter.value = omp_get_thread_num();
        counter.name = "thread " + std::to_string(omp_get_thread_num());
        EQUAL(Holder::calls, 3);
        Holder::calls += omp_get_thread_num();
        Holder::text += std::to_string(omp_get_thread_num());
    }
    EQUAL(Counter::made, n);
    for (int round = 0; round < 3; round++) {
#pragma omp parallel
        {
            EQUAL(counter.value, omp_get_thread_num());
            CHECK(counter.name == "thread " + std::to_string(omp_get_thread_num()));
            EQUAL(Holder::calls, 3 + omp_get_thread_num());
            CHECK(Holder::text == "local" + std::to_string(omp_get_thread_num()));
        }
    }
    counter.value = 99;
    counter.name = "copied";
#pragma omp parallel copyin(counter)
    {
        EQUAL(counter.value, 99);
        CHECK(counter.name == "copied");
    }
    EQUAL(Counter::made, n);
    return 0;
}
