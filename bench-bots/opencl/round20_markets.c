/* Markets. Sizes are paths, portfolios, papers. */
#include "workloads.h"

enum { STEPS = 50, GROUP = 64 };

struct model {
    float price, variance, pull, level, wobble, together, rate, strike, barrier;
};

static const struct model model = {1.0f, 0.04f, 2.0f, 0.06f, 0.4f, -0.6f, 0.03f, 1.0f, 0.8f};
static const cl_float years = 1.0f;
static const cl_uint seed = 2609;

static void heston_paths_prepare(struct clbench *b) {
    make(b, 0, (size_t)b->size * sizeof(float));
    make(b, 1, round_up(b->size, GROUP) / GROUP * sizeof(float));
}

static void heston_paths_once(struct clbench *b) {
    cl_int paths = (cl_int)b->size, steps = STEPS;
    struct range range = RANGE1(round_up(paths, GROUP), GROUP);
    launch(b, "heston_paths", range, V(model), V(paths), V(steps), V(years), V(seed), B(0), B(1));
}

/* The next number above 0 and below 1, of numbers each made of three before it. */
static double next_unit(int64_t state[6]) {
    const int64_t ends[2] = {4294967087, 4294944443}, factors[2][3] = {{-810728, 1403580, 0}, {-1370589, 0, 527612}};
    int64_t next[2];
    for (int i = 0; i < 2; i++) {
        int64_t *last = state + 3 * i;
        next[i] = (factors[i][0] * last[0] + factors[i][1] * last[1] + factors[i][2] * last[2]) % ends[i];
        next[i] += next[i] < 0 ? ends[i] : 0;
        last[0] = last[1], last[1] = last[2], last[2] = next[i];
    }
    int64_t off = next[0] - next[1];
    return (double)(off > 0 ? off : off + ends[0]) / 4294967296.0;
}

/* What a path pays, and how near it comes to the barrier. */
static double payoff_of(long path, double *nearest) {
    double price = (double)model.price, variance = (double)model.variance, together = (double)model.together;
    double step = (double)years / STEPS, rate = (double)model.rate;
    int64_t state[6];
    for (int k = 0; k < 6; k++) {
        state[k] = (int64_t)(mixed_word(seed + (uint32_t)(path * 6 + k)) % (k < 3 ? 4294967086u : 4294944442u)) + 1;
    }
    *nearest = 1.0;
    for (int i = 0; i < STEPS; i++) {
        double size = sqrt(-2.0 * log(next_unit(state))), angle = 2.0 * acos(-1.0) * next_unit(state);
        double known = fmax(variance, 0.0), a = size * cos(angle), b = size * sin(angle);
        price *= exp((rate - 0.5 * known) * step + sqrt(known * step) * a);
        *nearest = fmin(*nearest, fabs(price - (double)model.barrier));
        if (price < (double)model.barrier) {
            return 0.0;
        }
        variance += (double)model.pull * ((double)model.level - known) * step;
        variance += (double)model.wobble * sqrt(known * step) * (together * a + sqrt(1.0 - together * together) * b);
    }
    return exp(-rate * (double)years) * fmax(price - (double)model.strike, 0.0);
}

/* Paths that come very near the barrier may end or go on. Of many paths not all are looked at. */
static int heston_paths_check(struct clbench *b) {
    const float *payoffs = b->buffer[0].host, *sums = b->buffer[1].host;
    long step = b->size / 50021 + 1, none = 0, tried = 0, groups = (b->size + GROUP - 1) / GROUP;
    int ok = 1;
    down(b, 0), down(b, 1);
    for (long i = 0; ok && i < b->size; i += step, tried++) {
        double nearest, want = payoff_of(i, &nearest);
        ok = nearest < 5e-4 || near("payoff", i, (double)payoffs[i], want, 1e-3);
        none += want <= 0.0;
    }
    for (long group = 0; ok && group < groups; group++) {
        double sum = 0.0;
        for (long i = group * GROUP; i < (group + 1) * GROUP && i < b->size; i++) {
            sum += (double)payoffs[i];
        }
        ok = near("sum", group, (double)sums[group], sum, 1e-5);
    }
    return ok && same("some pay", 0, none > tried / 5 && none < tried * 4 / 5, 1);
}

enum { SCENARIOS = 512, ASSETS = 200, WORST = 25 };

struct holding {
    int asset;
    float amount;
};

static void value_at_risk_prepare(struct clbench *b) {
    float *returns = make(b, 0, ASSETS * SCENARIOS * sizeof *returns);
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    struct holding *holdings = make(b, 2, (size_t)b->size * 40 * sizeof *holdings);
    uint32_t state = 2617;
    for (long i = 0; i < ASSETS * SCENARIOS; i++) {
        returns[i] = 0.05f * (random_unit(&state) + random_unit(&state) - 1.0f) + 0.02f * sinf((float)(i % SCENARIOS));
    }
    starts[0] = 0;
    for (long i = 0; i < b->size; i++) {
        starts[i + 1] = starts[i] + 5 + (cl_int)(random_word(&state) % 36);
        for (cl_int k = starts[i]; k < starts[i + 1]; k++) {
            holdings[k].asset = (int)(random_word(&state) % ASSETS);
            holdings[k].amount = 10.0f * random_unit(&state) - 2.0f;
        }
    }
    make(b, 3, (size_t)b->size * sizeof(cl_float2));
    up(b, 0), up(b, 1), up(b, 2);
}

static void value_at_risk_once(struct clbench *b) {
    cl_int worst = WORST;
    launch(b, "value_at_risk", RANGE1((size_t)b->size * 128, 128), B(0), B(1), B(2), V(worst), B(3));
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int value_at_risk_check(struct clbench *b) {
    const float *returns = b->buffer[0].host;
    const cl_int *starts = b->buffer[1].host;
    const struct holding *holdings = b->buffer[2].host;
    const cl_float2 *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long portfolio = 0; ok && portfolio < b->size; portfolio++) {
        double gains[SCENARIOS] = {0.0}, sum = 0.0;
        for (cl_int i = starts[portfolio]; i < starts[portfolio + 1]; i++) {
            for (int k = 0; k < SCENARIOS; k++) {
                gains[k] += (double)holdings[i].amount * (double)returns[holdings[i].asset * SCENARIOS + k];
            }
        }
        qsort(gains, SCENARIOS, sizeof *gains, by_value);
        for (int k = 0; k < WORST; k++) {
            sum += gains[k];
        }
        ok = near("risk", portfolio, (double)got[portfolio].s[0], -gains[WORST], 1e-4) &&
             near("worst", portfolio, (double)got[portfolio].s[1], -sum / WORST, 1e-4);
    }
    return ok;
}

enum { TICKS = 48, MOST_ORDERS = 200 };

enum kind { LIMIT, MARKET, AT_ONCE, CANCEL };

struct order {
    int quantity;
    cl_ushort tick;
    cl_uchar kind, is_buy;
};

struct outcome {
    cl_long value;
    int volume, trades;
    short bid, ask;
    int refused;
};

/* Those who buy mostly do so for less than those who sell. */
static void order_books_prepare(struct clbench *b) {
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    struct order *orders = make(b, 0, (size_t)b->size * MOST_ORDERS * sizeof *orders);
    uint32_t state = 2621;
    starts[0] = 0;
    for (long i = 0; i < b->size; i++) {
        starts[i + 1] = starts[i] + 40 + (cl_int)(random_word(&state) % (MOST_ORDERS - 40));
        for (cl_int k = starts[i]; k < starts[i + 1]; k++) {
            uint32_t kind = random_word(&state) % 10;
            orders[k].is_buy = (cl_uchar)(random_word(&state) % 2);
            orders[k].kind = (cl_uchar)(kind < 6 ? LIMIT : kind < 7 ? MARKET : kind < 8 ? AT_ONCE : CANCEL);
            orders[k].tick = (cl_ushort)(random_word(&state) % 28 + (orders[k].is_buy ? 0 : 20));
            orders[k].quantity = 1 + (int)(random_word(&state) % 100);
        }
    }
    make(b, 2, (size_t)b->size * sizeof(struct outcome));
    up(b, 0), up(b, 1);
}

static void order_books_once(struct clbench *b) {
    cl_int papers = (cl_int)b->size;
    launch(b, "order_books", RANGE1(round_up(papers, 32), 32), B(0), B(1), V(papers), B(2));
}

/* An order with a book in which those who sell count as less than nothing; each part is traded at the best price there is. */
static void follow(int book[TICKS], const struct order *order, struct outcome *outcome) {
    int sign = order->is_buy ? 1 : -1, left = order->quantity;
    int end = order->kind == MARKET ? (order->is_buy ? TICKS : -1) : order->tick + sign;
    if (order->kind == CANCEL) {
        int there = sign * book[order->tick] > 0 ? sign * book[order->tick] : 0;
        outcome->refused += there == 0;
        book[order->tick] -= sign * (there < left ? there : left);
        return;
    }
    for (int tick = order->is_buy ? 0 : TICKS - 1; tick * sign < end * sign; tick += sign) {
        int there = -sign * book[tick], part = there < left ? there : left;
        if (part > 0) {
            book[tick] += sign * part, left -= part;
            outcome->volume += part, outcome->value += (cl_long)part * tick, outcome->trades++;
        }
    }
    outcome->refused += order->kind == MARKET ? left > 0 : order->kind == AT_ONCE && left == order->quantity;
    book[order->tick] += order->kind == LIMIT ? sign * left : 0;
}

static int order_books_check(struct clbench *b) {
    const struct order *orders = b->buffer[0].host;
    const cl_int *starts = b->buffer[1].host;
    const struct outcome *got = b->buffer[2].host;
    long trades = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        int book[TICKS] = {0};
        struct outcome want = {0, 0, 0, -1, TICKS, 0};
        for (cl_int k = starts[i]; k < starts[i + 1]; k++) {
            follow(book, orders + k, &want);
        }
        for (short tick = 0; tick < TICKS; tick++) {
            want.bid = book[tick] > 0 ? tick : want.bid;
            want.ask = book[tick] < 0 && want.ask == TICKS ? tick : want.ask;
        }
        ok = same("value", i, got[i].value, want.value) && same("volume", i, got[i].volume, want.volume) &&
             same("trades", i, got[i].trades, want.trades) && same("bid", i, got[i].bid, want.bid) &&
             same("ask", i, got[i].ask, want.ask) && same("refused", i, got[i].refused, want.refused);
        trades += want.trades;
    }
    return ok && same("some trade", 0, trades > b->size * 5, 1);
}

const struct workload round20_markets_workloads[] = {
    WORKLOAD(round20_markets, heston_paths, 301, 10007, 100003, 1000003),
    WORKLOAD(round20_markets, value_at_risk, 7, 101, 1009, 10007),
    WORKLOAD(round20_markets, order_books, 99, 1009, 10007, 100003),
    END_OF_WORKLOADS,
};
