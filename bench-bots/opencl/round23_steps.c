/* Steps in time. Sizes are hairs, paths of a price, a side of a room. */
#include "workloads.h"

enum { KNOTS = 32, FIXED = 2 };

struct hair {
    cl_float4 head, wind;
    cl_float step, kept, bend;
    cl_int rounds, steps, unused[3];
};

static const struct hair hair = {.head = {{0.0f, 0.0f, 0.0f, 1.0f}},
                                 .wind = {{6.0f, 0.5f, -2.0f, 0.0f}},
                                 .step = 0.01f,
                                 .kept = 0.98f,
                                 .bend = 0.02f,
                                 .rounds = 5,
                                 .steps = 4};

/* Hairs stand on the upper half of a head; their first two knots are fixed. */
static void hair_strands_prepare(struct clbench *b) {
    size_t bytes = (size_t)b->size * KNOTS * sizeof(cl_float4);
    cl_float4 *places = make(b, 0, bytes), *last = make(b, 1, bytes);
    float *rests = make(b, 2, (size_t)b->size * sizeof *rests);
    uint32_t state = 3067;
    for (long i = 0; i < b->size; i++) {
        double turn = 6.28 * (double)random_unit(&state), rise = 0.1 + 1.4 * (double)random_unit(&state);
        double way[3] = {cos(turn) * cos(rise), sin(rise), sin(turn) * cos(rise)};
        rests[i] = 0.02f + 0.02f * random_unit(&state);
        for (int knot = 0; knot < KNOTS; knot++) {
            cl_float4 *place = places + i * KNOTS + knot;
            for (int k = 0; k < 3; k++) {
                double bent = (1.005 + (double)rests[i] * knot) * way[k] - (k == 1 ? 0.0008 * knot * knot : 0.0);
                place->s[k] = (float)bent + (knot < FIXED ? 0.0f : 0.005f * (random_unit(&state) - 0.5f));
                last[i * KNOTS + knot].s[k] = place->s[k] + (knot < FIXED ? 0.0f : 0.01f * (random_unit(&state) - 0.5f));
            }
            place->s[3] = last[i * KNOTS + knot].s[3] = knot < FIXED ? 0.0f : 1.0f + (float)knot / KNOTS;
        }
    }
    make(b, 3, bytes), make(b, 4, bytes), make(b, 5, bytes / 4);
    up(b, 0), up(b, 1), up(b, 2);
}

static void hair_strands_once(struct clbench *b) {
    cl_int strands = (cl_int)b->size;
    launch(b, "hair_strands", RANGE1(round_up(strands * KNOTS, 64), 64), B(0), B(1), B(2), V(hair), V(strands), B(3), B(4));
    launch(b, "hair_tangents", RANGE2(KNOTS, (size_t)strands, 0, 0), B(3), B(5));
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* The edges of a hair that begin at even knots, or at odd ones. */
static void hold_edges(double now[KNOTS][4], int odd, double rest) {
    for (int i = odd; i + 1 < KNOTS; i += 2) {
        double off[3] = {now[i + 1][0] - now[i][0], now[i + 1][1] - now[i][1], now[i + 1][2] - now[i][2]};
        double total = now[i][3] + now[i + 1][3], away = length_of(off);
        for (int k = 0; k < 3 && total > 0.0; k++) {
            double push = (away - rest) / away / total * off[k];
            now[i][k] += now[i][3] * push, now[i + 1][k] -= now[i + 1][3] * push;
        }
    }
}

static void move_hair(double now[KNOTS][4], double last[KNOTS][4], double rest) {
    for (int step = 0; step < hair.steps; step++) {
        for (int i = FIXED; i < KNOTS; i++) {
            double gust = 0.5 + 0.5 * sin(3.0 * now[i][0] + 2.0 * now[i][2] + 0.7 * step), square = pow((double)hair.step, 2.0);
            for (int k = 0; k < 3; k++) {
                double pull = (double)hair.wind.s[k] * gust - (k == 1 ? 9.81 : 0.0), old = now[i][k];
                now[i][k] += (double)hair.kept * (old - last[i][k]) + square * pull, last[i][k] = old;
            }
        }
        for (int round = 0; round < hair.rounds; round++) {
            hold_edges(now, 0, rest), hold_edges(now, 1, rest);
            for (int i = KNOTS - 1; i >= FIXED; i--) {
                for (int k = 0; k < 3; k++) {
                    now[i][k] += (double)hair.bend * (2.0 * now[i - 1][k] - now[i - 2][k] - now[i][k]);
                }
                double grow = fmax((double)hair.head.s[3] / length_of(now[i]), 1.0);
                for (int k = 0; k < 3; k++) {
                    now[i][k] *= grow;
                }
            }
        }
    }
}

/* Of many hairs not all are looked at. */
static int hair_strands_check(struct clbench *b) {
    const cl_float4 *places = b->buffer[0].host, *last_places = b->buffer[1].host, *got = b->buffer[3].host, *got_last = b->buffer[4].host;
    const float *rests = b->buffer[2].host;
    const cl_char4 *tangents = b->buffer[5].host;
    long step_on = b->size / 5003 + 1;
    int ok = 1;
    down(b, 3), down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size; i += step_on) {
        double now[KNOTS][4], last[KNOTS][4];
        for (int k = 0; k < KNOTS * 4; k++) {
            now[k / 4][k % 4] = (double)places[i * KNOTS + k / 4].s[k % 4];
            last[k / 4][k % 4] = (double)last_places[i * KNOTS + k / 4].s[k % 4];
        }
        move_hair(now, last, (double)rests[i]);
        for (int k = 0; ok && k < KNOTS * 3; k++) {
            long at = i * KNOTS + k / 3, behind = at + (k / 3 + 1 < KNOTS), before = at - (k > 2);
            double way[3];
            for (int n = 0; n < 3; n++) {
                way[n] = (double)got[behind].s[n] - (double)got[before].s[n];
            }
            double tangent = 127.0 * way[k % 3] / length_of(way);
            ok = near("place", i * KNOTS * 3 + k, (double)got[at].s[k % 3], now[k / 3][k % 3], 3e-5) &&
                 near("last place", i * KNOTS * 3 + k, (double)got_last[at].s[k % 3], last[k / 3][k % 3], 3e-5) &&
                 same("tangent", i * KNOTS * 3 + k, fabs(tangents[at].s[k % 3] - tangent) < 0.501, 1);
        }
    }
    return ok;
}

enum { STEPS = 20, PARTS = 32 };

struct option {
    cl_double spot, strike, rate, volatility, period;
    cl_int steps;
    cl_uint seed;
};

static const struct option option = {36.0, 40.0, 0.06, 0.2, 1.0 / STEPS, STEPS, 3079};

static void longstaff_puts_prepare(struct clbench *b) {
    make(b, 0, (size_t)b->size * STEPS * sizeof(double)), make(b, 1, (size_t)b->size * sizeof(double));
    make(b, 2, PARTS * sizeof(cl_double8)), make(b, 3, sizeof(cl_double4));
}

/* From the end to the beginning. */
static void longstaff_puts_once(struct clbench *b) {
    cl_int paths = (cl_int)b->size;
    struct range items = RANGE1(round_up(paths, 64), 64);
    launch(b, "price_paths", items, V(option), V(paths), B(0), B(1));
    for (cl_int step = STEPS - 2; step >= 0; step--) {
        launch(b, "regress_sums", RANGE1(PARTS * 128, 128), B(0), B(1), V(option), V(paths), V(step), B(2));
        launch(b, "fit_parabola", RANGE1(PARTS, PARTS), B(2), B(3));
        launch(b, "use_options", items, B(0), V(option), V(paths), V(step), B(3), B(1));
    }
}

/* The logarithm of what the price of a path is at a step, over the first one. */
static double rise_of(uint32_t path, int step) {
    double sum = 0.0, variance = option.volatility * option.volatility;
    for (uint32_t i = 0; i <= (uint32_t)step; i++) {
        uint32_t word = mixed_word(path * 0x9e3779b9u + i / 2 * 2 + option.seed), other = mixed_word(word ^ 0x5bd1e995u);
        double size = sqrt(-2.0 * log((word + 0.5) * 0x1p-32)), turn = 2.0 * acos(-1.0) * other * 0x1p-32;
        sum += (option.rate - 0.5 * variance) * option.period;
        sum += option.volatility * sqrt(option.period) * size * (i % 2 == 0 ? cos(turn) : sin(turn));
    }
    return sum;
}

/* The parabola through points, in the sense of least squares; 0 where they are too few. */
static int parabola_of(const double *prices, const double *cash, long paths, double discount, double result[3]) {
    double rows[3][4] = {{0.0}};
    for (long i = 0; i < paths; i++) {
        double x = prices[i] / option.strike;
        for (int k = 0; k < 12 && prices[i] < option.strike; k++) {
            rows[k / 4][k % 4] += pow(x, k / 4) * (k % 4 < 3 ? pow(x, k % 4) : discount * cash[i]);
        }
    }
    int is_enough = rows[0][0] > 10.0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            double factor = i == k ? 0.0 : rows[i][k] / rows[k][k];
            for (int j = 0; j < 4; j++) {
                rows[i][j] -= factor * rows[k][j];
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        result[k] = rows[k][3] / rows[k][k];
    }
    return is_enough;
}

static int longstaff_puts_check(struct clbench *b) {
    const double *prices = b->buffer[0].host, *got = b->buffer[1].host;
    double *cash = malloc((size_t)b->size * sizeof *cash), discount = exp(-option.rate * option.period), sum = 0.0, parabola[3];
    long step_on = b->size * STEPS / 100003 + 1;
    int ok = 1;
    down(b, 0), down(b, 1);
    for (long i = 0; ok && i < b->size * STEPS; i += step_on) {
        ok = near("price", i, prices[i], option.spot * exp(rise_of((uint32_t)(i % b->size), (int)(i / b->size))), 1e-11);
    }
    for (long i = 0; i < b->size; i++) {
        cash[i] = fmax(option.strike - prices[(STEPS - 1) * b->size + i], 0.0);
    }
    for (long step = STEPS - 2; step >= 0; step--) {
        const double *now = prices + step * b->size;
        int is_enough = parabola_of(now, cash, b->size, discount, parabola);
        for (long i = 0; i < b->size; i++) {
            double x = now[i] / option.strike, kept = parabola[0] + x * parabola[1] + x * x * parabola[2], gain = option.strike - now[i];
            cash[i] = is_enough && gain > 0.0 && gain > kept ? gain : cash[i] * discount;
        }
    }
    for (long i = 0; ok && i < b->size; i++) {
        ok = near("cash", i, got[i], cash[i], 1e-9);
        sum += cash[i] * discount / (double)b->size;
    }
    free(cash);
    return ok && (b->size < 5000 || near("value", 0, sum, 4.47, 0.02));
}

enum { HEADINGS = 8, SWEEPS = 24, ACTIONS = 5, WALL = 255 };

struct world {
    cl_int width, height;
    cl_float slip, turn_cost, bump;
};

static struct world world_of(const struct clbench *b) {
    return (struct world){(cl_int)b->size, (cl_int)(b->size * 3 / 4 + 1), 0.1f, 1.5f, 20.0f};
}

/* Rough ground with walls and a few goals. */
static void value_iteration_prepare(struct clbench *b) {
    struct world world = world_of(b);
    size_t cells = (size_t)(world.width * world.height);
    unsigned char *ground = make(b, 0, cells);
    uint32_t state = 3083;
    for (size_t i = 0; i < cells; i++) {
        size_t x = i % (size_t)world.width, y = i / (size_t)world.width;
        int is_wall = (x % 17 == 5 && y % 13 > 2) || (y % 19 == 7 && x % 23 > 4) || random_word(&state) % 40 == 0;
        ground[i] = (unsigned char)(x % 31 == 11 && y % 29 == 10 ? 0 : is_wall ? WALL : 1 + random_word(&state) % 5);
    }
    make(b, 1, cells * HEADINGS * sizeof(float)), make(b, 2, cells * HEADINGS * sizeof(float));
    make(b, 3, 64 * sizeof(cl_int)), make(b, 4, cells * HEADINGS);
    up(b, 0);
}

static void value_iteration_once(struct clbench *b) {
    struct world world = world_of(b);
    cl_int cells = world.width * world.height;
    size_t width = (size_t)world.width, height = (size_t)world.height;
    launch(b, "no_plan", RANGE2(round_up(cells, 64), HEADINGS, 64, 1), B(0), V(cells), B(1), B(3));
    for (cl_int sweep = 0; sweep < SWEEPS; sweep++) {
        int from = 1 + sweep % 2;
        struct range range = RANGE3(round_up(world.width, 8), round_up(world.height, 8), HEADINGS, 8, 8, 4);
        launch(b, "value_iteration", range, B(0), V(world), B(from), V(sweep), B(3 - from), B(3));
    }
    launch(b, "best_actions", RANGE3(width, height, HEADINGS, 0, 0, 0), B(0), V(world), B(1), B(4));
}

/* What an action costs: a list of what may come of it, three at most. */
static double cost_of(const struct world *world, const unsigned char *ground, const double *values, long at, int action) {
    static const int columns[HEADINGS] = {1, 1, 0, -1, -1, -1, 0, 1}, rows[HEADINGS] = {0, 1, 1, 1, 0, -1, -1, -1};
    static const int drifts[3] = {0, 1, 7}, turns[ACTIONS] = {0, 1, 7, 1, 7};
    long cells = (long)world->width * world->height, heading = at / cells, cell = at % cells;
    double slip = (double)world->slip, cost = (double)world->turn_cost;
    if (action < 3) {
        cost = (heading % 2 == 1 ? sqrt(2.0) : 1.0) * (action > 0 ? 1.1 : 1.0) * ground[cell];
    }
    for (int i = 0; i < (action == 0 ? 3 : 2); i++) {
        double share = i > 0 ? slip : action == 0 ? 1.0 - 2.0 * slip : 1.0 - slip;
        long way = (heading + (action == 0 ? drifts[i] : 0)) % HEADINGS, turned = (heading + (i == 0 ? turns[action] : 0)) % HEADINGS;
        long x = cell % world->width + (action < 3 ? columns[way] : 0), y = cell / world->width + (action < 3 ? rows[way] : 0);
        int is_bump = x < 0 || y < 0 || x >= world->width || y >= world->height || ground[y * world->width + x] == WALL;
        long to = is_bump ? cell : y * world->width + x;
        cost += share * (values[turned * cells + to] + (is_bump ? (double)world->bump : 0.0));
    }
    return cost;
}

/* A sweep; gives the greatest change. */
static double sweep_world(const struct world *world, const unsigned char *ground, const double *values, double *next) {
    long cells = (long)world->width * world->height;
    double change = 0.0;
    for (long i = 0; i < cells * HEADINGS; i++) {
        next[i] = values[i];
        if (ground[i % cells] != 0 && ground[i % cells] != WALL) {
            next[i] = 1000.0;
            for (int action = 0; action < ACTIONS; action++) {
                next[i] = fmin(next[i], cost_of(world, ground, values, i, action));
            }
            change = fmax(change, fabs(next[i] - values[i]));
        }
    }
    return change;
}

static int value_iteration_check(struct clbench *b) {
    const unsigned char *ground = b->buffer[0].host, *actions = b->buffer[4].host;
    const float *got = b->buffer[1].host, *changes = b->buffer[3].host;
    struct world world = world_of(b);
    long cells = (long)world.width * world.height, planned = 0;
    double *values[2] = {malloc((size_t)cells * HEADINGS * sizeof(double)), malloc((size_t)cells * HEADINGS * sizeof(double))};
    int ok = 1;
    down(b, 1), down(b, 3), down(b, 4);
    for (long i = 0; i < cells * HEADINGS; i++) {
        values[0][i] = ground[i % cells] == 0 ? 0.0 : 1000.0;
    }
    for (int sweep = 0; ok && sweep < SWEEPS; sweep++) {
        double change = sweep_world(&world, ground, values[sweep % 2], values[1 - sweep % 2]);
        ok = near("change", sweep, (double)changes[sweep], change, 1e-4);
    }
    for (long i = 0; ok && i < cells * HEADINGS; i++) {
        int is_ground = ground[i % cells] != 0 && ground[i % cells] != WALL;
        double best = 1e9;
        for (int action = 0; action < ACTIONS; action++) {
            best = fmin(best, cost_of(&world, ground, values[0], i, action));
        }
        ok = near("value", i, (double)got[i], values[0][i], 1e-5) &&
             same("an action", i, is_ground ? actions[i] < ACTIONS : actions[i] == ACTIONS, 1) &&
             (!is_ground || near("an action's cost", i, cost_of(&world, ground, values[0], i, actions[i]), best, 2e-5));
        planned += is_ground && values[0][i] < 999.0;
    }
    free(values[0]), free(values[1]);
    return ok && same("some places have a plan", 0, planned > cells / 50, 1);
}

const struct workload round23_steps_workloads[] = {
    WORKLOAD(round23_steps, hair_strands, 9, 3001, 20011, 150001),
    WORKLOAD(round23_steps, longstaff_puts, 301, 12007, 60013, 400009),
    WORKLOAD(round23_steps, value_iteration, 33, 61, 203, 601),
    END_OF_WORKLOADS,
};
