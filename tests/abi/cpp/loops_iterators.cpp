// Loops over random access iterators, pointers and ranges; lambdas, templates and members in regions and tasks.
#include "check.h"
#include <atomic>
#include <deque>
#include <functional>
#include <numeric>
#include <vector>

template <typename T> static T summed(const std::vector<T> &v) {
    T sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
    for (auto it = v.begin(); it < v.end(); ++it) sum += *it;
    return sum;
}

template <typename F> static void on_every_thread(F &&f) {
#pragma omp parallel
    f(omp_get_thread_num());
}

struct Tree {
    std::vector<Tree> children;
    std::atomic<long> *count;
    Tree(int depth, std::atomic<long> *c) : count(c) {
        if (depth > 0)
            for (int i = 0; i < 3; i++) children.emplace_back(depth - 1, c);
    }
    void visit() const {
        (*count)++;
        for (const Tree &child : children) {
#pragma omp task
            child.visit();
        }
    }
    long heavy() const {
        long sum = 1;
#pragma omp taskloop reduction(+ : sum) grainsize(1)
        for (size_t i = 0; i < children.size(); i++) sum += children[i].heavy();
        return sum;
    }
};

int main() {
    omp_set_dynamic(0);
    std::vector<int> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 1);
    EQUAL(summed(numbers), 500500);
    EQUAL(summed(std::vector<double>(500, 0.5)), 250);
    std::deque<long> queue(300, 2);
    long total = 0;
#pragma omp parallel for reduction(+ : total)
    for (auto it = queue.rbegin(); it < queue.rend(); it += 2) total += *it;
    EQUAL(total, 300);
    total = 0;
#pragma omp parallel for reduction(+ : total) schedule(guided)
    for (int *p = numbers.data() + 999; p >= numbers.data(); p -= 3) total += *p;
    long expected = 0;
    for (int k = 1000; k >= 1; k -= 3) expected += k;
    EQUAL(total, expected);
    total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int value : numbers) total += value;
    EQUAL(total, 500500);
    std::atomic<int> calls{0};
    on_every_thread([&](int thread) { calls += thread + 1; });
    int team = omp_get_max_threads();
    EQUAL(calls, team * (team + 1) / 2);
    std::vector<std::function<int()>> work;
    for (int i = 0; i < 64; i++) work.push_back([i] { return i * i; });
    std::vector<int> results(64);
    std::atomic<long> visited{0};
    Tree tree(5, &visited);
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 64; i++) {
#pragma omp task
            results[i] = work[i]();
        }
#pragma omp taskgroup
        tree.visit();
        EQUAL(visited, 364);
        EQUAL(tree.heavy(), 364);
    }
    for (int i = 0; i < 64; i++) EQUAL(results[i], i * i);
    return 0;
}
