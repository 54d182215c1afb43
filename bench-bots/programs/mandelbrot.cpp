// The Mandelbrot set in C++: a taskloop over rows that take very different times.
//
// SIZE is the rows and columns of the picture, CUTOFF the rows of a task. A function object holds the
// view, and rows are vectors of their own, as C++ programs have them.
#include "bench.h"

#include <complex>
#include <vector>

struct View {
    double left, top, width;
    int limit;

    // How many steps a point takes to leave the circle of radius 2; `limit` if it stays.
    int operator()(long column, long row, long size) const {
        double x = left + width * static_cast<double>(column) / static_cast<double>(size);
        double y = top - width * static_cast<double>(row) / static_cast<double>(size);
        std::complex<double> c(x, y), z(0.0, 0.0);
        int steps = 0;
        while (steps < limit && std::norm(z) <= 4.0) {
            z = std::complex<double>(z.real() * z.real() - z.imag() * z.imag(),
                                     2.0 * z.real() * z.imag()) + c;
            steps++;
        }
        return steps;
    }
};

using Row = std::vector<int>;

static void draw_row(const View &view, long row, Row &out) {
    long size = static_cast<long>(out.size());
    for (long column = 0; column < size; column++) {
        out[static_cast<std::size_t>(column)] = view(column, row, size);
    }
}

int main(int argc, char **argv) {
    static const bench_class classes[4] = {{64, 2}, {700, 4}, {1600, 4}, {5000, 4}};
    bench bench = bench_start("mandelbrot", classes, argc, argv);
    const View view = {-2.0, 1.25, 2.5, 400};
    long size = bench.size, grain = bench.cutoff;
    std::vector<Row> picture(static_cast<std::size_t>(size), Row(static_cast<std::size_t>(size)));

    bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(grain) shared(picture, view)
    for (long row = 0; row < size; row++) {
        draw_row(view, row, picture[static_cast<std::size_t>(row)]);
    }
    bench_time spent = bench_since(start);

    bool ok = true;
    Row known(static_cast<std::size_t>(size));
    for (long row = 0; row < size; row += 8) {
        draw_row(view, row, known);
        ok = ok && known == picture[static_cast<std::size_t>(row)];
    }
    return bench_finish(&bench, (size + grain - 1) / grain, spent, ok);
}
