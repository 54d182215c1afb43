/* Local alignment of two sequences (Smith, Waterman 1981): tiles in a wavefront, by `ordered`
 * loops with `depend`.
 *
 * SIZE is the number of tiles a side, CUTOFF their width. Checked against a serial run, tile by
 * tile.
 */
#include "bench.h"

enum { REPEATS = 8, GAP = 2, MISMATCH = 1, MATCH = 3 };

static long tiles, width, length;
static unsigned char *first, *second;
/* The last row of each row of tiles, the last column of each column of tiles, and the best score
 * of each tile. */
static int *rows, *columns, *best;

static int largest(int a, int b) { return a > b ? a : b; }

/* `line` has room for two rows of a tile. */
static void fill_tile(long row, long column, int *line) {
    long above = row * width, left = column * width;
    int most = 0;
    memcpy(line, &rows[row * (length + 1) + left], (size_t)(width + 1) * sizeof(int));
    for (long i = 1; i <= width; i++) {
        int *before = line + (i + 1) % 2 * (width + 1), *here = line + i % 2 * (width + 1);
        here[0] = columns[column * (length + 1) + above + i];
        for (long j = 1; j <= width; j++) {
            int score = first[above + i - 1] == second[left + j - 1] ? MATCH : -MISMATCH;
            int gap = largest(before[j], here[j - 1]) - GAP;
            here[j] = largest(largest(before[j - 1] + score, 0), gap);
            most = largest(most, here[j]);
        }
        columns[(column + 1) * (length + 1) + above + i] = here[width];
    }
    memcpy(&rows[(row + 1) * (length + 1) + left + 1], line + width % 2 * (width + 1) + 1,
           (size_t)width * sizeof(int));
    best[row * tiles + column] = most;
}

static void align(void) {
#pragma omp parallel
    {
        int *line = bench_alloc(2 * (size_t)(width + 1) * sizeof(int));
#pragma omp for schedule(static, 1) ordered(2)
        for (long row = 0; row < tiles; row++) {
            for (long column = 0; column < tiles; column++) {
#pragma omp ordered depend(sink : row - 1, column) depend(sink : row, column - 1)
                fill_tile(row, column, line);
#pragma omp ordered depend(source)
            }
        }
        free(line);
    }
}

static void *zeroes(size_t count, size_t bytes) {
    return memset(bench_alloc(count * bytes), 0, count * bytes);
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{8, 32}, {64, 96}, {128, 96}, {256, 128}};
    struct bench bench = bench_start("alignment_tiles", classes, argc, argv);
    tiles = bench.size;
    width = bench.cutoff;
    length = tiles * width;
    size_t all = (size_t)(tiles * tiles), edges = (size_t)((tiles + 1) * (length + 1));
    first = (unsigned char *)zeroes((size_t)length, 1);
    second = (unsigned char *)zeroes((size_t)length, 1);
    rows = (int *)zeroes(edges, sizeof(int));
    columns = (int *)zeroes(edges, sizeof(int));
    best = (int *)zeroes(all, sizeof(int));
    uint64_t state = 1;
    for (long i = 0; i < length; i++) {
        first[i] = (unsigned char)(bench_random(&state) % 4);
        unsigned char other = (unsigned char)(bench_random(&state) % 4);
        second[i] = bench_random(&state) % 8 < 5 ? first[i] : other;
    }

    struct bench_time start = bench_now();
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        align();
    }
    struct bench_time spent = bench_since(start);

    int *found = best, *line = (int *)bench_alloc(2 * (size_t)(width + 1) * sizeof(int));
    best = (int *)zeroes(all, sizeof(int));
    for (long tile = 0; tile < tiles * tiles; tile++) {
        fill_tile(tile / tiles, tile % tiles, line);
    }
    int ok = memcmp(found, best, all * sizeof(int)) == 0;
    return bench_finish(&bench, REPEATS * tiles * tiles, spent, ok);
}
