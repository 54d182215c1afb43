/* Markets: prices whose variance wanders too, the losses of portfolios, books of orders. */

typedef struct {
    float price, variance;
    float pull, level, wobble, together; /* of the variance: to where, how much by chance, how much of it as the price */
    float rate, strike, barrier;
} heston_t;

typedef struct {
    long first[3], second[3];
} chance_t;

/* The generator MRG32k3a: two sequences together. */
uint next_word(chance_t *chance)
{
    long a = (1403580 * chance->first[1] - 810728 * chance->first[0]) % 4294967087;
    if (a < 0) a += 4294967087;
    chance->first[0] = chance->first[1];
    chance->first[1] = chance->first[2];
    chance->first[2] = a;
    long b = (527612 * chance->second[2] - 1370589 * chance->second[0]) % 4294944443;
    if (b < 0) b += 4294944443;
    chance->second[0] = chance->second[1];
    chance->second[1] = chance->second[2];
    chance->second[2] = b;
    return (uint)(a > b ? a - b : a - b + 4294967087);
}

float next_unit(chance_t *chance)
{
    return next_word(chance) * 2.3283064e-10f;
}

uint mixed(uint word)
{
    word = (word ^ word >> 16) * 0x7feb352du;
    word = (word ^ word >> 15) * 0x846ca68bu;
    return word ^ word >> 16;
}

#define GROUP 64

/* Each item follows a price until it falls below a barrier, where nothing is paid, or until the end. A work-group adds up what its
 * items pay. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void heston_paths(const heston_t model, const int paths, const int steps, const float time, const uint seed,
                  __global float *payoffs, __global float *sums)
{
    __local float parts[GROUP];

    const int lid = get_local_id(0), path = get_global_id(0);
    const float step = time / steps, root = sqrt(step);
    chance_t chance;
    for (int k = 0; k < 3; k++) {
        chance.first[k] = mixed(seed + path * 6 + k) % 4294967086u + 1;
        chance.second[k] = mixed(seed + path * 6 + 3 + k) % 4294944442u + 1;
    }
    float payoff = 0.0f;
    if (path < paths) {
        float price = model.price, variance = model.variance;
        for (int i = 0; i < steps; i++) {
            const float size = sqrt(-2.0f * log(next_unit(&chance))), angle = 6.2831853f * next_unit(&chance);
            const float a = size * cos(angle), b = size * sin(angle);
            const float known = fmax(variance, 0.0f), spread = sqrt(known) * root;
            price *= exp((model.rate - 0.5f * known) * step + spread * a);
            if (price < model.barrier) break;
            variance += model.pull * (model.level - known) * step +
                        model.wobble * spread * (model.together * a + sqrt(1.0f - model.together * model.together) * b);
        }
        if (price >= model.barrier) payoff = exp(-model.rate * time) * fmax(price - model.strike, 0.0f);
        payoffs[path] = payoff;
    }
    parts[lid] = payoff;
    for (int half_size = GROUP / 2; half_size > 0; half_size >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size) parts[lid] += parts[lid + half_size];
    }
    if (lid == 0) sums[get_group_id(0)] = parts[0];
}

#define SCENARIOS 512

typedef struct {
    int asset;
    float amount;
} holding_t;

/* A work-group finds what a portfolio gains in each scenario and sorts that: the loss that is exceeded in so many scenarios alone,
 * and the mean of those losses. */
__kernel void value_at_risk(__global const float *returns, __global const int *starts, __global const holding_t *holdings,
                            const int worst, __global float2 *risks)
{
    __local float gains[SCENARIOS];

    const int lid = get_local_id(0), size = get_local_size(0), portfolio = get_group_id(0);
    for (int scenario = lid; scenario < SCENARIOS; scenario += size) {
        float gain = 0.0f;
        for (int i = starts[portfolio]; i < starts[portfolio + 1]; i++) {
            gain += holdings[i].amount * returns[holdings[i].asset * SCENARIOS + scenario];
        }
        gains[scenario] = gain;
    }
    for (int length = 2; length <= SCENARIOS; length <<= 1) {
        for (int step = length >> 1; step > 0; step >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = lid; i < SCENARIOS / 2; i += size) {
                const int low = 2 * i - (i & (step - 1)), high = low + step;
                const bool is_rising = (low & length) == 0;
                const float a = gains[low], b = gains[high];
                if ((a > b) == is_rising) {
                    gains[low] = b;
                    gains[high] = a;
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        float sum = 0.0f;
        for (int i = 0; i < worst; i++) sum += gains[i];
        risks[portfolio] = (float2)(-gains[worst], -sum / worst);
    }
}

#define TICKS 48

enum { LIMIT, MARKET, AT_ONCE, CANCEL };

typedef struct {
    int quantity;
    ushort tick;
    uchar kind;
    uchar is_buy;
} order_t;

typedef struct {
    long value; /* of all trades */
    int volume, trades;
    short bid, ask; /* the best ones that are left, or -1 and TICKS */
    int refused;
} outcome_t;

/* Trades with the levels of the other side, the best one first, up to a limit. Returns what is left. */
int trade(int *levels, const bool is_buy, const int limit, int quantity, outcome_t *outcome)
{
    const int step = is_buy ? 1 : -1;
    int tick = is_buy ? outcome->ask : outcome->bid;
    while (quantity > 0 && tick >= 0 && tick < TICKS && (is_buy ? tick <= limit : tick >= limit)) {
        const int here = min(quantity, levels[tick]);
        if (here > 0) {
            levels[tick] -= here;
            quantity -= here;
            outcome->volume += here;
            outcome->value += (long)here * tick;
            outcome->trades++;
        }
        if (levels[tick] == 0) tick += step;
    }
    return quantity;
}

/* Each item follows the orders for a paper. */
__kernel void order_books(__global const order_t *orders, __global const int *starts, const int papers, __global outcome_t *outcomes)
{
    const int paper = get_global_id(0);
    if (paper >= papers) return;
    int bids[TICKS], asks[TICKS];
    for (int i = 0; i < TICKS; i++) bids[i] = asks[i] = 0;
    outcome_t outcome = {0, 0, 0, -1, TICKS, 0};
    for (int i = starts[paper]; i < starts[paper + 1]; i++) {
        const order_t order = orders[i];
        int *own = order.is_buy ? bids : asks, *others = order.is_buy ? asks : bids;
        switch (order.kind) {
        case LIMIT:
            own[order.tick] += trade(others, order.is_buy, order.tick, order.quantity, &outcome);
            break;
        case MARKET:
            if (trade(others, order.is_buy, order.is_buy ? TICKS - 1 : 0, order.quantity, &outcome) > 0) outcome.refused++;
            break;
        case AT_ONCE:
            if (trade(others, order.is_buy, order.tick, order.quantity, &outcome) == order.quantity) outcome.refused++;
            break;
        default:
            if (own[order.tick] == 0) outcome.refused++;
            own[order.tick] = max(own[order.tick] - order.quantity, 0);
        }
        outcome.bid = TICKS - 1;
        while (outcome.bid >= 0 && bids[outcome.bid] == 0) outcome.bid--;
        outcome.ask = 0;
        while (outcome.ask < TICKS && asks[outcome.ask] == 0) outcome.ask++;
    }
    outcomes[paper] = outcome;
}
