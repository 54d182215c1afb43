/* Graphs and games. Sizes are vertices and games. */
#include "workloads.h"

enum { PATHS_OF_VERTEX = 9 };

static int by_number(const void *a, const void *c) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)c;
    return (x > y) - (x < y);
}

/* A graph without double edges in which some vertices have many more neighbours than others. */
static void core_shells_prepare(struct clbench *b) {
    long most = b->size * PATHS_OF_VERTEX * 2, count = 0, edges = 0;
    int64_t *pairs = malloc((size_t)most * sizeof *pairs);
    cl_int *rows = make(b, 0, (size_t)(b->size + 1) * sizeof *rows), *columns = make(b, 1, (size_t)most * sizeof *columns);
    uint32_t state = 2311;
    for (long i = 0; i < most / 2; i++) {
        double unit = (double)random_unit(&state), other = (double)random_unit(&state);
        long from = (long)(unit * unit * unit * (double)b->size);
        long to = (long)(other * (i % 3 == 0 ? other * other : 1.0) * (double)b->size);
        if (from != to && from < b->size && to < b->size) {
            pairs[count++] = from * b->size + to, pairs[count++] = to * b->size + from;
        }
    }
    qsort(pairs, (size_t)count, sizeof *pairs, by_number);
    for (long i = 0; i < count; i++) {
        if (i == 0 || pairs[i] != pairs[i - 1]) {
            columns[edges++] = (cl_int)(pairs[i] % b->size), rows[pairs[i] / b->size + 1]++;
        }
    }
    for (long i = 0; i < b->size; i++) {
        rows[i + 1] += rows[i];
    }
    free(pairs);
    for (int i = 2; i < 6; i++) {
        make(b, i, (size_t)b->size * sizeof(cl_int));
    }
    make(b, 6, 2 * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

/* Level after level, until each vertex has been taken off. */
static void core_shells_once(struct clbench *b) {
    cl_int vertices = (cl_int)b->size, *waiting = b->buffer[6].host, left = vertices;
    size_t all = round_up(vertices, 64);
    launch(b, "core_begin", RANGE1(all, 64), B(0), V(vertices), B(2), B(3), B(6));
    for (cl_int level = 0; left > 0; level++) {
        int list = 4, next = 5;
        launch(b, "core_collect", RANGE1(all, 64), B(2), V(vertices), V(level), B(3), B(list), B(6));
        for (down(b, 6); waiting[0] > 0; down(b, 6)) {
            cl_int length = waiting[0];
            struct range range = RANGE1(round_up(length, 64), 64);
            launch(b, "core_peel", range, B(0), B(1), V(level), B(list), V(length), B(2), B(3), B(next), B(6));
            launch(b, "core_turn", RANGE1(1, 1), B(6));
            left -= length, list = next, next = 9 - next;
        }
    }
}

static int core_shells_check(struct clbench *b) {
    const cl_int *rows = b->buffer[0].host, *columns = b->buffer[1].host, *got = b->buffer[3].host;
    cl_int *degrees = malloc((size_t)b->size * sizeof *degrees), *stack = malloc((size_t)b->size * sizeof *stack);
    long deepest = 0, left = b->size;
    int ok = 1;
    down(b, 3);
    for (long i = 0; i < b->size; i++) {
        degrees[i] = rows[i + 1] - rows[i];
    }
    for (cl_int level = 0; ok && left > 0; level++, deepest++) {
        for (long i = 0, height = 0; ok && i < b->size; i++) {
            if (degrees[i] >= 0 && degrees[i] <= level) {
                stack[height++] = (cl_int)i, degrees[i] = -1;
            }
            while (ok && height > 0) {
                long vertex = stack[--height];
                ok = same("shell", vertex, got[vertex], level), left--;
                for (cl_int k = rows[vertex]; k < rows[vertex + 1]; k++) {
                    cl_int other = columns[k];
                    if (degrees[other] >= 0 && --degrees[other] <= level) {
                        stack[height++] = other, degrees[other] = -1;
                    }
                }
            }
        }
    }
    free(degrees), free(stack);
    return ok && same("shells are many", 0, deepest > 6, 1);
}

enum { BOARDS = 61 };

static const cl_uint seed = 0x5eed1e55u;

/* Stones that one at (x, y) turns in a direction, on squares of 0, of 1 for the player and of 2 for the other one. */
static int turn_line(unsigned char *board, int x, int y, int direction, int is_turned) {
    int dx = direction % 3 - 1, dy = direction / 3 - 1, count = 0;
    for (int k = 1;; k++) {
        int column = x + k * dx, row = y + k * dy;
        if (column < 0 || column > 7 || row < 0 || row > 7 || board[row * 8 + column] == 0) {
            return 0;
        }
        if (board[row * 8 + column] == 1) {
            for (int i = 1; is_turned && i <= count; i++) {
                board[(y + i * dy) * 8 + x + i * dx] = 1;
            }
            return count;
        }
        count++;
    }
}

/* What a move at a square turns, 0 if it is none; then the players change places if `is_turned`. */
static int put(unsigned char *board, int square, int is_turned) {
    int all = 0;
    for (int direction = 0; board[square] == 0 && direction < 9; direction++) {
        all += direction == 4 ? 0 : turn_line(board, square % 8, square / 8, direction, is_turned);
    }
    if (is_turned && all > 0) {
        board[square] = 1;
    }
    return all;
}

/* A move of those there are, as the state has it; 0 if there is none. The players change places. */
static int play(unsigned char *board, uint32_t *state) {
    int moves[64], count = 0;
    for (int i = 0; i < 64; i++) {
        if (put(board, i, 0) > 0) {
            moves[count++] = i;
        }
    }
    if (count > 0) {
        *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
        put(board, moves[*state % (uint32_t)count], 1);
    }
    for (int i = 0; i < 64; i++) {
        board[i] = (unsigned char)((3 - board[i]) % 3);
    }
    return count;
}

static void reversi_games_prepare(struct clbench *b) {
    cl_ulong2 *boards = make(b, 0, BOARDS * sizeof *boards);
    uint32_t state = 2333;
    for (int i = 0; i < BOARDS; i++) {
        unsigned char board[64] = {0};
        board[27] = board[36] = 2, board[28] = board[35] = 1;
        for (int k = 0; k < i % 31; k++) {
            play(board, &state);
        }
        for (int k = 0; k < 64; k++) {
            boards[i].s[0] |= (cl_ulong)(board[k] == 1) << k, boards[i].s[1] |= (cl_ulong)(board[k] == 2) << k;
        }
    }
    make(b, 1, (size_t)b->size), make(b, 2, (size_t)b->size), make(b, 3, 3 * sizeof(cl_int));
    up(b, 0);
}

static void reversi_games_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, boards = BOARDS;
    launch(b, "no_games", RANGE1(3, 0), B(3));
    launch(b, "reversi_games", RANGE1(round_up(count, 32), 32), B(0), V(count), V(boards), V(seed), B(1), B(2), B(3));
}

static int reversi_games_check(struct clbench *b) {
    const cl_ulong2 *boards = b->buffer[0].host;
    const signed char *margins = b->buffer[1].host;
    const unsigned char *lengths = b->buffer[2].host;
    const cl_int *results = b->buffer[3].host;
    long wanted[3] = {0};
    int ok = 1;
    down(b, 1), down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        unsigned char board[64];
        uint32_t state = ((uint32_t)i + 1) * 2654435761u ^ seed;
        int passes = 0, length = 0, margin = 0, turns = 0;
        for (int k = 0; k < 64; k++) {
            board[k] = (unsigned char)((boards[i % BOARDS].s[0] >> k & 1) + 2 * (boards[i % BOARDS].s[1] >> k & 1));
        }
        for (; passes < 2; turns++) {
            int is_move = play(board, &state) > 0;
            length += is_move, passes = is_move ? 0 : passes + 1;
        }
        for (int k = 0; k < 64; k++) {
            margin += (board[k] == 1) - (board[k] == 2);
        }
        margin = turns % 2 == 1 ? -margin : margin;
        ok = same("margin", i, margins[i], margin) && same("length", i, lengths[i], length);
        wanted[margin > 0 ? 0 : margin < 0 ? 1 : 2]++;
    }
    for (long k = 0; ok && k < 3; k++) {
        ok = same("results", k, results[k], wanted[k]);
    }
    return ok && same("either may win", 0, wanted[0] > b->size / 5 && wanted[1] > b->size / 5, 1);
}

const struct workload round18_graphs_workloads[] = {
    WORKLOAD(round18_graphs, core_shells, 301, 5003, 50021, 300007),
    WORKLOAD(round18_graphs, reversi_games, 99, 1009, 20011, 200003),
    END_OF_WORKLOADS,
};
