// Quicksort in C++: a generic function that makes a task of one side of every split.
//
// SIZE is the number of elements, CUTOFF the length at and below which std::sort takes over. The
// tasks capture iterators and a comparison object, which the compiler copies into each task.
#include "bench.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

// Splits [first, last) around a pivot and sorts the sides; the left one in a task of its own while
// this one goes on with the right. Whoever needs the result waits for the whole task group.
template <typename Iterator, typename Less>
void quicksort(Iterator first, Iterator last, Less less, long cutoff) {
    while (last - first > cutoff) {
        Iterator middle = first + (last - first) / 2;
        auto a = *first, b = *middle, c = *(last - 1);
        auto pivot = std::max(std::min(a, b, less), std::min(std::max(a, b, less), c, less), less);
        Iterator left = std::partition(first, last, [&](const auto &x) { return less(x, pivot); });
        Iterator right = std::partition(left, last, [&](const auto &x) { return !less(pivot, x); });
        bench_count_task();
#pragma omp task firstprivate(first, left, less, cutoff)
        quicksort(first, left, less, cutoff);
        first = right;
    }
    std::sort(first, last, less);
}

template <typename Element, typename Less>
void sort_in_tasks(std::vector<Element> &elements, Less less, long cutoff) {
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp taskgroup
            quicksort(elements.begin(), elements.end(), less, cutoff);
        }
        bench_sum_tasks();
    }
}

// Two keys, so that a comparison is more than one instruction.
struct Record {
    std::uint32_t group;
    std::uint32_t key;

    bool operator<(const Record &other) const {
        return group != other.group ? group < other.group : key < other.key;
    }
    bool operator==(const Record &other) const {
        return group == other.group && key == other.key;
    }
};

int main(int argc, char **argv) {
    static const bench_class classes[4] = {
        {20000, 500}, {1 << 20, 1000}, {8 << 20, 1000}, {32 << 20, 1000}};
    bench bench = bench_start("quicksort", classes, argc, argv);
    std::vector<Record> records(static_cast<std::size_t>(bench.size));
    std::uint64_t state = 11;
    for (Record &record : records) {
        std::uint64_t bits = bench_random(&state);
        record = {static_cast<std::uint32_t>(bits >> 52), static_cast<std::uint32_t>(bits)};
    }
    std::vector<Record> known = records;

    bench_time start = bench_now();
    sort_in_tasks(records, std::less<Record>(), bench.cutoff);
    bench_time spent = bench_since(start);

    std::sort(known.begin(), known.end());
    return bench_finish(&bench, bench_tasks, spent, records == known);
}
