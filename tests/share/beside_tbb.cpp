// beside_tbb: a region beside tasks of oneTBB, and tasks of oneTBB beside a region. Says how many threads each had.
#include <atomic>
#include <cstdio>
#include <omp.h>
#include <oneapi/tbb/parallel_for.h>
#include <set>
#include <mutex>
#include <thread>

static int region() {
    int threads = 0;
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
    return threads;
}

// The threads that run many short tasks.
static int tasks() {
    std::mutex guard;
    std::set<std::thread::id> threads;
    tbb::parallel_for(0, 400, [&](int) {
        double begin = omp_get_wtime();
        while (omp_get_wtime() - begin < 50e-6) {}
        std::lock_guard<std::mutex> lock(guard);
        threads.insert(std::this_thread::get_id());
    }, tbb::simple_partitioner());
    return (int)threads.size();
}

int main() {
    int alone = region();
    std::atomic<int> waiting{0};
    std::atomic<bool> done{false};
    std::thread other([&] {
        tbb::parallel_for(0, omp_get_num_procs(), [&](int) {
            waiting++;
            while (!done) std::this_thread::yield();
        }, tbb::simple_partitioner());
    });
    while (waiting < omp_get_num_procs()) std::this_thread::yield();
    int beside = region();
    done = true;
    other.join();
    double begin = omp_get_wtime();
    int after = 0;
    while (after != alone && omp_get_wtime() - begin < 30) after = region();
    int theirs = 0;
#pragma omp parallel
#pragma omp master
    theirs = tasks();
    std::printf("alone %d, beside tasks %d, after them %d, tasks beside a region %d\n", alone, beside, after, theirs);
}
