/* Floor planning: lay cells of several possible shapes on a board within an area budget.
 *
 * Cells are placed one after the other, each touching the right or the lower edge of the one before
 * it. All layouts whose bounding box stays within the budget are counted and the smallest is found.
 * A task for every shape and position; a task copies the board of its parent, 264 bytes,
 * before it goes on. The budget is fixed, so the tree is the same in every run.
 */
#include "bench.h"

enum { BOARD = 32, MAX_CELLS = 16 };

struct board {
    uint64_t rows[BOARD]; /* a bit a square */
    int height, width;    /* the bounding box of all cells so far */
};

struct rectangle {
    int top, left, height, width;
};

/* What was found below a layout. */
struct found {
    long layouts;
    int least_area;
};

static int cell_count;
static int budget;

/* The shapes of a cell: its area as height by width, upright and lying. */
static struct rectangle shape_of(int cell, int shape) {
    static const int sides[][2] = {{1, 2}, {2, 3}, {1, 4}, {2, 2}, {1, 3}};
    const int *side = sides[cell % 5];
    struct rectangle r = {0, 0, side[shape], side[1 - shape]};
    return r;
}

/* A square cell looks the same upright and lying. */
static int shapes_of(int cell) {
    struct rectangle r = shape_of(cell, 0);
    return r.height == r.width ? 1 : 2;
}

/* Puts a cell on the board: 0 when it leaves the board, meets another cell or breaks the budget. */
static int put(struct board *board, struct rectangle r) {
    if (r.top < 0 || r.left < 0 || r.top + r.height > BOARD || r.left + r.width > BOARD) {
        return 0;
    }
    uint64_t squares = ((UINT64_C(1) << r.width) - 1) << r.left;
    for (int row = r.top; row < r.top + r.height; row++) {
        if (board->rows[row] & squares) {
            return 0;
        }
        board->rows[row] |= squares;
    }
    if (r.top + r.height > board->height) {
        board->height = r.top + r.height;
    }
    if (r.left + r.width > board->width) {
        board->width = r.left + r.width;
    }
    return board->height * board->width <= budget;
}

/* Position `index` of a shape beside `last`: first those along its right edge, then those below. */
static struct rectangle position(struct rectangle shape, struct rectangle last, int index) {
    int beside = last.height + shape.height - 1;
    if (index < beside) {
        shape.top = last.top - shape.height + 1 + index;
        shape.left = last.left + last.width;
    } else {
        shape.top = last.top + last.height;
        shape.left = last.left - shape.width + 1 + (index - beside);
    }
    return shape;
}

static int positions_of(struct rectangle shape, struct rectangle last) {
    return last.height + shape.height - 1 + last.width + shape.width - 1;
}

static void add(struct found *sum, const struct found *part, int parts) {
    for (int i = 0; i < parts; i++) {
        sum->layouts += part[i].layouts;
        sum->least_area =
            part[i].least_area < sum->least_area ? part[i].least_area : sum->least_area;
    }
}

/* All layouts that continue `board`, whose last cell lies at `last`. */
static struct found search(const struct board *board, int cell, struct rectangle last) {
    struct found sum = {0, BOARD * BOARD};
    if (cell == cell_count) {
        sum.layouts = 1;
        sum.least_area = board->height * board->width;
        return sum;
    }
    for (int shape = 0; shape < shapes_of(cell); shape++) {
        struct rectangle r = shape_of(cell, shape);
        int positions = positions_of(r, last);
        struct found parts[positions];
        for (int i = 0; i < positions; i++) {
            bench_count_task();
            BENCH_TASK(cell, shared(parts) firstprivate(board, cell, last, r, i), {
                struct board next = *board;
                struct rectangle placed = position(r, last, i);
                parts[i] = (struct found){0, BOARD * BOARD};
                if (put(&next, placed)) {
                    parts[i] = search(&next, cell + 1, placed);
                }
            })
        }
#pragma omp taskwait
        add(&sum, parts, positions);
    }
    return sum;
}

/* The check: the same search without tasks. */
static struct found search_serially(const struct board *board, int cell, struct rectangle last) {
    struct found sum = {0, BOARD * BOARD};
    if (cell == cell_count) {
        sum.layouts = 1;
        sum.least_area = board->height * board->width;
        return sum;
    }
    for (int shape = 0; shape < shapes_of(cell); shape++) {
        struct rectangle r = shape_of(cell, shape);
        for (int i = 0; i < positions_of(r, last); i++) {
            struct board next = *board;
            struct rectangle placed = position(r, last, i);
            if (put(&next, placed)) {
                struct found part = search_serially(&next, cell + 1, placed);
                add(&sum, &part, 1);
            }
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {5, BENCH_DEPTH(2)}, {9, BENCH_DEPTH(3)}, {10, BENCH_DEPTH(3)}, {12, BENCH_DEPTH(4)}};
    struct bench bench = bench_start("floorplan", classes, argc, argv);
    if (bench.size > MAX_CELLS) {
        bench_usage(bench.name, "SIZE must be at most 16 cells");
    }
    cell_count = (int)bench.size;
    for (int cell = 0; cell < cell_count; cell++) {
        struct rectangle r = shape_of(cell, 0);
        budget += r.height * r.width;
    }
    budget += budget / 2;
    struct board board = {{0}, 0, 0};
    struct rectangle corner = {0, 0, 1, 1};
    struct found result = {0, 0};
    put(&board, corner);

    struct bench_time start = bench_now();
#pragma omp parallel
    {
#pragma omp single
        result = search(&board, 0, corner);
        bench_sum_tasks();
    }
    struct bench_time spent = bench_since(start);

    struct found known = search_serially(&board, 0, corner);
    int ok = result.layouts == known.layouts && result.least_area == known.least_area;
    return bench_finish(&bench, bench_tasks, spent, ok);
}
