// vectors: memory of `new` and of containers lies as `vicinity run --distribution HOW` says. Argument: HOW.
#include "pages.h"
#include <cstdio>
#include <new>
#include <vector>

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const std::size_t count = 1 << 20;
    double *block = new double[count]();
    check_pages("new", argv[1], block, count * sizeof *block);
    std::vector<double> vector(count, 1.0);
    check_pages("vector", argv[1], vector.data(), count * sizeof(double));
    std::vector<float> grown;
    double sum = 0;
    for (std::size_t i = 0; i < count; i++) grown.push_back(float(i % 7));
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < count; i++) sum += block[i] + vector[i] + grown[i];
    delete[] block;
    try {
        void *(*volatile ask)(std::size_t) = ::operator new;
        ask(std::size_t(-1) / 4);
        return 1;
    } catch (const std::bad_alloc &) {
    }
    std::printf("sum %.0f\n", sum);
    return sum > count ? 0 : 1;
}
