// std::thread and std::async beside OpenMP: regions from many of them, ended while others run; thread_local objects.
#include "check.h"
#include <atomic>
#include <future>
#include <thread>
#include <vector>

static std::atomic<int> alive{0};
struct Local {
    Local() { alive++; }
    ~Local() { alive--; }
    int value = 1;
};
static thread_local Local local;

static long region(int factor) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 4)
    for (int i = 0; i < 100; i++) sum += factor * i * local.value;
    return sum;
}

int main() {
    omp_set_dynamic(0);
    for (int wave = 0; wave < 3; wave++) {
        std::vector<std::thread> threads;
        std::vector<long> sums(5);
        for (int i = 0; i < 5; i++) threads.emplace_back([&, i] { sums[i] = region(i) + region(i); });
        long own = region(9);
        for (auto &t : threads) t.join();
        EQUAL(own, 9 * 4950);
        for (int i = 0; i < 5; i++) EQUAL(sums[i], 2 * i * 4950);
    }
    auto later = std::async(std::launch::async, [] { return region(3); });
    std::atomic<int> done{0};
#pragma omp parallel
    {
        // A thread started from inside a region is the initial thread of its own OpenMP world.
        std::thread inner([&] {
            EQUAL(omp_get_level(), 0);
            EQUAL(omp_get_num_threads(), 1);
            done++;
        });
        inner.join();
    }
    EQUAL(done, omp_get_max_threads());
    EQUAL(later.get(), 3 * 4950);
    return 0;
}
