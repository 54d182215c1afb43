/* Sparse rows: a matrix with twelve entries a row, anywhere, times a vector, again and again.
 *
 * SIZE is the number of rows, CUTOFF of products. The first thread initialises everything. Each thread
 * reads its own rows of the matrix, and the whole vector: the two want to be placed differently.
 */
#include "bench.h"

enum { ENTRIES = 12 };

static void multiply(const double *values, const int32_t *columns, const double *from, double *to,
                     long rows) {
#pragma omp parallel for schedule(static)
    for (long row = 0; row < rows; row++) {
        double sum = 0.0;
        for (long entry = row * ENTRIES; entry < (row + 1) * ENTRIES; entry++) {
            sum += values[entry] * from[columns[entry]];
        }
        to[row] = sum;
    }
}

/* Every row sums up to 1, so a vector of ones stays one. */
static void fill(double *values, int32_t *columns, long rows) {
    uint64_t state = 7;
    for (long entry = 0; entry < rows * ENTRIES; entry++) {
        values[entry] = 1.0 / ENTRIES;
        columns[entry] = (int32_t)(bench_random(&state) % (uint64_t)rows);
    }
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {2000, 10}, {100000, 40}, {1L << 21, 60}, {1L << 23, 60}};
    struct bench bench = bench_start("sparse_rows", classes, argc, argv);
    long rows = bench.size;
    double *values = bench_place((size_t)(rows * ENTRIES) * sizeof *values);
    int32_t *columns = bench_place((size_t)(rows * ENTRIES) * sizeof *columns);
    double *vectors[2];
    fill(values, columns, rows);
    for (int i = 0; i < 2; i++) {
        vectors[i] = bench_place((size_t)rows * sizeof(double));
        for (long row = 0; row < rows; row++) {
            vectors[i][row] = 1.0;
        }
    }

    struct bench_time start = bench_now();
    for (long done = 0; done < bench.cutoff; done++) {
        multiply(values, columns, vectors[done % 2], vectors[1 - done % 2], rows);
    }
    struct bench_time spent = bench_since(start);

    int ok = 1;
    for (long row = 0; row < rows; row++) {
        double difference = vectors[bench.cutoff % 2][row] - 1.0;
        ok = ok && difference < 1e-9 && difference > -1e-9;
    }
    bench_unplace(values);
    bench_unplace(columns);
    bench_unplace(vectors[0]);
    bench_unplace(vectors[1]);
    return bench_finish(&bench, bench.cutoff, spent, ok);
}
