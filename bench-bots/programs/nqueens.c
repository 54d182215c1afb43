/* N queens on an N by N board, none attacking another: how many ways are there?
 *
 * A task for every square of the next row. Most tasks find their square attacked and end
 * at once; the others copy the board of their parent and go on.
 */
#include "bench.h"

/* Whether a queen at (row, column) is safe from those in the rows above. */
static int safe(const signed char *columns, int row, int column) {
    for (int above = 0; above < row; above++) {
        int distance = row - above;
        int other = columns[above];
        if (other == column || other == column - distance || other == column + distance) {
            return 0;
        }
    }
    return 1;
}

/* The number of solutions below a board whose first `row` rows hold a queen each. */
static long solve(int n, int row, const signed char *columns) {
    long found[n];
    long sum = 0;
    if (row == n) {
        return 1;
    }
    for (int column = 0; column < n; column++) {
        found[column] = 0;
        BENCH_TASK(row, shared(found) firstprivate(n, row, column, columns), {
            if (safe(columns, row, column)) {
                signed char next[row + 1];
                memcpy(next, columns, (size_t)row);
                next[row] = (signed char)column;
                found[column] = solve(n, row + 1, next);
            }
        })
    }
#pragma omp taskwait
    for (int column = 0; column < n; column++) {
        sum += found[column];
    }
    return sum;
}

/* The check: another algorithm, bit sets of attacked columns and diagonals, without tasks. It also
 * counts the boards that are not full yet, each of which created n tasks. */
static long solve_serially(unsigned all, unsigned columns, unsigned left, unsigned right,
                           long *open_boards) {
    long sum = 0;
    if (columns == all) {
        return 1;
    }
    ++*open_boards;
    for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
        unsigned queen = free & -free;
        sum += solve_serially(all, columns | queen, (left | queen) << 1, (right | queen) >> 1,
                              open_boards);
    }
    return sum;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {6, BENCH_DEPTH(2)}, {11, BENCH_DEPTH(3)}, {12, BENCH_DEPTH(3)}, {14, BENCH_DEPTH(4)}};
    struct bench bench = bench_start("nqueens", classes, argc, argv);
    if (bench.size > 31) {
        bench_usage(bench.name, "SIZE must be at most 31");
    }
    int n = (int)bench.size;
    signed char empty[1] = {0};
    long result = 0, open_boards = 0;

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    result = solve(n, 0, empty);
    struct bench_time spent = bench_since(start);

    long known = solve_serially((1u << n) - 1, 0, 0, 0, &open_boards);
    return bench_finish(&bench, open_boards * n, spent, result == known);
}
