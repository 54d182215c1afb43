// C++ containers in memory by distribution: a standard allocator over an OpenMP allocator with a partition.
// env: VICINITY_LOCATIONS=cores OMP_DATA_DISTRIBUTION=coarse
// threads: 4
// peer-fails: libgomp it has no such functions
// peer-fails: libomp it has no such functions
// flags: -I../capi/include -L../target/dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity
#include "check.h"
#include <map>
#include <new>
#include <numeric>
#include <vector>
#include <vicinity.h>

template <class T> struct placed {
    using value_type = T;
    omp_allocator_handle_t with;
    explicit placed(omp_allocator_handle_t with) : with(with) {}
    template <class U> placed(const placed<U> &other) : with(other.with) {}
    T *allocate(size_t count) {
        if (void *block = omp_aligned_alloc(alignof(T), count * sizeof(T), with)) return static_cast<T *>(block);
        throw std::bad_alloc();
    }
    void deallocate(T *block, size_t) { omp_free(block, with); }
    template <class U> bool operator==(const placed<U> &other) const { return with == other.with; }
    template <class U> bool operator!=(const placed<U> &other) const { return with != other.with; }
};

static void containers(omp_allocator_handle_t with) {
    std::vector<long, placed<long>> values{placed<long>(with)};
    for (long i = 0; i < 300000; i++) values.push_back(i);
    EQUAL(std::accumulate(values.begin(), values.end(), 0L), 300000L * 299999 / 2);
    size_t bytes[64], size = values.size() * sizeof(long), sum = 0;
    EQUAL(vicinity_locate(values.data(), size, bytes, 64), VICINITY_SUCCESS);
    for (size_t part : bytes) sum += part;
    EQUAL(sum, size);
    std::map<int, int, std::less<int>, placed<std::pair<const int, int>>> map{placed<std::pair<const int, int>>(with)};
    for (int i = 0; i < 20000; i++) map[i * 7919 % 20011] = i;
    for (int i = 0; i < 20000; i += 2) map.erase(i * 7919 % 20011);
    EQUAL(map.size(), 10000);
}

int main() {
    const omp_alloctrait_value_t partitions[] = {omp_atv_environment, omp_atv_nearest, omp_atv_blocked,
                                                 omp_atv_interleaved};
    for (omp_alloctrait_value_t partition : partitions) {
        omp_alloctrait_t traits[] = {{omp_atk_partition, static_cast<omp_uintptr_t>(partition)}};
        omp_allocator_handle_t with = omp_init_allocator(omp_default_mem_space, 1, traits);
#pragma omp parallel
        containers(with);
        omp_destroy_allocator(with);
    }
    containers(omp_default_mem_alloc);
    return 0;
}
