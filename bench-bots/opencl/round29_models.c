/* Models. Sizes are rows of an expert, ways that a robot tries. */
#include "workloads.h"

enum { LANES = 64, ROWS = 4, BLOCK = 32, BLOCKS = 90, EXPERTS = 4, TOKENS = 6 };

/* As the kernel has it. */
struct mx_block {
    unsigned char power, pairs[BLOCK / 2];
};

static void mxfp4_rows_prepare(struct clbench *b) {
    long rows = EXPERTS * b->size;
    struct mx_block *weights = make(b, 0, (size_t)(rows * BLOCKS) * sizeof *weights);
    uint32_t state = 4751;
    for (long i = 0; i < rows * BLOCKS; i++) {
        weights[i].power = (unsigned char)(118 + random_word(&state) % 6);
        for (int k = 0; k < BLOCK / 2; k++) {
            weights[i].pairs[k] = (unsigned char)(random_word(&state) >> 11);
        }
    }
    fill_between(make(b, 1, (size_t)rows * sizeof(cl_float)), rows, 4759, -1.0f, 1.0f);
    fill_between(make(b, 2, TOKENS * BLOCKS * BLOCK * sizeof(cl_float)), TOKENS * BLOCKS * BLOCK, 4783, -1.0f, 1.0f);
    cl_int *experts = make(b, 3, TOKENS * sizeof *experts);
    for (cl_int i = 0; i < TOKENS; i++) {
        experts[i] = (5 * i + i / 2) % EXPERTS;
    }
    make(b, 4, (size_t)(TOKENS * b->size) * sizeof(cl_float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void mxfp4_rows_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, blocks = BLOCKS;
    launch(b, "mxfp4_rows", RANGE2(round_up(b->size, ROWS) / ROWS * LANES, TOKENS, LANES, 1), B(0), B(1), B(2), B(3),
           V(rows), V(blocks), B(4));
}

/* What four bits mean: a sign, two bits of exponent, one of mantissa. */
static double four_bits(int code) {
    int power = code >> 1 & 3, half = code & 1;
    double value = power == 0 ? 0.5 * half : ldexp(1.0 + 0.5 * half, power - 1);
    return code & 8 ? -value : value;
}

static int mxfp4_rows_check(struct clbench *b) {
    const struct mx_block *weights = b->buffer[0].host;
    const float *biases = b->buffer[1].host, *tokens = b->buffer[2].host, *got = b->buffer[4].host;
    const cl_int *experts = b->buffer[3].host;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < TOKENS * b->size; i++) {
        long token = i / b->size, row = experts[token] * b->size + i % b->size;
        double sum = (double)biases[row];
        for (long k = 0; k < BLOCKS * BLOCK; k++) {
            const struct mx_block *block = weights + row * BLOCKS + k / BLOCK;
            int pair = block->pairs[k % (BLOCK / 2)];
            double value = four_bits(k % BLOCK < BLOCK / 2 ? pair & 15 : pair >> 4);
            sum += ldexp(value, block->power - 127) * (double)tokens[token * BLOCKS * BLOCK + k];
        }
        ok = near("product", i, (double)got[i], sum, 2e-5);
    }
    return ok;
}

enum { STEPS = 55, DRIVERS = 64, BLENDERS = 128, MAP_WIDTH = 160, MAP_HEIGHT = 110, WALL = 255 };

/* As the kernels have it. */
struct car {
    cl_float x, y, heading, speed;
};
struct plan {
    cl_float dt, wheel_base, most_steer, most_speed, steer_noise, pull_noise, cell, heat, goal_x, goal_y;
    cl_int map_width, map_height;
};
static const struct car start = {1.6f, 5.3f, 0.1f, 1.0f};
static const struct plan plan = {0.1f, 0.5f, 0.6f, 3.0f, 0.25f, 1.5f, 0.1f, 4.0f, 14.5f, 6.0f, MAP_WIDTH, MAP_HEIGHT};
static const cl_uint2 key = {{0x2545f491u, 0x4f6cdd1du}};

/* Round pillars, in a yard with walls; what is near one is a risk. */
static void fill_map(unsigned char *map) {
    for (long i = 0; i < MAP_WIDTH * MAP_HEIGHT; i++) {
        double x = (double)(i % MAP_WIDTH), y = (double)(i / MAP_WIDTH), nearest = 1000.0;
        for (uint32_t k = 0; k < 14; k++) {
            double pillar_x = 34.0 + mixed_word(2 * k) % 120, pillar_y = mixed_word(2 * k + 1) % 110;
            nearest = fmin(nearest, hypot(x - pillar_x, y - pillar_y) - 3.0 - k % 4);
        }
        nearest = fmin(nearest, fmin(fmin(x, MAP_WIDTH - 1 - x), fmin(y, MAP_HEIGHT - 1 - y)));
        map[i] = nearest <= 0.0 ? WALL : (unsigned char)(200.0 * exp(-nearest / 4.0));
    }
}

static void mppi_rollouts_prepare(struct clbench *b) {
    make(b, 0, (size_t)(STEPS * b->size) * sizeof(cl_float2));
    cl_float2 *controls = make(b, 1, STEPS * sizeof *controls);
    for (int i = 0; i < STEPS; i++) {
        controls[i].s[0] = 0.15f * (float)sin(0.2 * i), controls[i].s[1] = i < 12 ? 1.0f : 0.0f;
    }
    fill_map(make(b, 2, MAP_WIDTH * MAP_HEIGHT));
    make(b, 3, (size_t)b->size * sizeof(cl_float));
    *(cl_uint *)make(b, 4, sizeof(cl_uint)) = 0xffffffffu;
    make(b, 5, STEPS * sizeof(cl_float2));
    up(b, 1), up(b, 2);
}

static void mppi_rollouts_once(struct clbench *b) {
    cl_int ways = (cl_int)b->size, steps = STEPS;
    size_t items = round_up(b->size, DRIVERS);
    up(b, 4);
    launch(b, "draw_noise", RANGE2(items, (STEPS + 1) / 2, DRIVERS, 1), B(0), V(ways), V(steps), V(key), V(plan));
    launch(b, "mppi_rollouts", RANGE1(items, DRIVERS), B(0), B(1), B(2), V(ways), V(steps), V(start), V(plan), B(3),
           B(4));
    launch(b, "blend_controls", RANGE1(STEPS * BLENDERS, BLENDERS), B(0), B(3), B(4), V(ways), V(plan), B(1), B(5));
}

static void philox(uint32_t word[4]) {
    uint32_t one = key.s[0], other = key.s[1];
    for (int round = 0; round < 10; round++, one += 0x9e3779b9u, other += 0xbb67ae85u) {
        uint64_t left = 0xd2511f53ull * word[0], right = 0xcd9e8d57ull * word[2];
        word[0] = (uint32_t)(right >> 32) ^ word[1] ^ one, word[1] = (uint32_t)right;
        word[2] = (uint32_t)(left >> 32) ^ word[3] ^ other, word[3] = (uint32_t)left;
    }
}

static int noise_is_right(const struct clbench *b) {
    const cl_float2 *noise = b->buffer[0].host;
    int ok = 1;
    for (long i = 0; ok && i < STEPS * b->size; i++) {
        long step = i / b->size;
        uint32_t word[4] = {(uint32_t)(i % b->size), (uint32_t)(step / 2), 0, 0};
        philox(word);
        double unit = ((word[step % 2] >> 9) + 0.5) * 0x1p-23, turn = ((word[2 + step % 2] >> 9) + 0.5) * 0x1p-23;
        double far = sqrt(-2.0 * log(unit)), angle = 2.0 * acos(-1.0) * turn;
        ok = near("steering", i, (double)noise[i].s[0], (double)plan.steer_noise * far * cos(angle), 1e-5) &&
             near("pull", i, (double)noise[i].s[1], (double)plan.pull_noise * far * sin(angle), 2e-5);
    }
    return ok;
}

static double within(double value, double low, double high) { return fmin(fmax(value, low), high); }

/* The cost of a way; it is unsure where the way comes so near to a cell's border that rounding decides. */
static double cost_of(const struct clbench *b, long way, int *is_unsure) {
    const cl_float2 *noise = b->buffer[0].host, *controls = b->buffer[1].host;
    const unsigned char *map = b->buffer[2].host;
    double x = (double)start.x, y = (double)start.y, heading = (double)start.heading, speed = (double)start.speed;
    double cost = 0.0, dt = (double)plan.dt, steer_most = (double)plan.most_steer;
    for (long step = 0; step < STEPS; step++) {
        const float *planned = controls[step].s, *off = noise[step * b->size + way].s;
        double steer = (double)planned[0] + (double)off[0];
        speed = within(speed + ((double)planned[1] + (double)off[1]) * dt, 0.0, (double)plan.most_speed);
        heading += speed * tan(within(steer, -steer_most, steer_most)) / (double)plan.wheel_base * dt;
        x += speed * cos(heading) * dt, y += speed * sin(heading) * dt;
        double column = x / (double)plan.cell, row = y / (double)plan.cell;
        *is_unsure |= fabs(column - round(column)) < 3e-4 || fabs(row - round(row)) < 3e-4;
        long is_inside = column >= 0.0 && row >= 0.0 && column < MAP_WIDTH && row < MAP_HEIGHT;
        int risk = is_inside ? map[(long)row * MAP_WIDTH + (long)column] : WALL;
        if (risk == WALL) {
            cost += 500.0 + (double)(STEPS - step);
            break;
        }
        cost += 0.01 * risk + 0.5 * (double)planned[0] * steer + 0.1 * fabs(speed - 0.8 * (double)plan.most_speed);
    }
    return fmax(cost + 2.0 * hypot(x - (double)plan.goal_x, y - (double)plan.goal_y), 0.0);
}

static int controls_are_right(const struct clbench *b) {
    const cl_float2 *noise = b->buffer[0].host, *controls = b->buffer[1].host, *better = b->buffer[5].host;
    const cl_float *costs = b->buffer[3].host;
    float lowest = costs[0];
    int ok = 1;
    for (long way = 0; way < b->size; way++) {
        lowest = costs[way] < lowest ? costs[way] : lowest;
    }
    for (long step = 0; ok && step < STEPS; step++) {
        double all = 0.0, sum[2] = {0.0, 0.0};
        for (long way = 0; way < b->size; way++) {
            double share = exp(((double)lowest - (double)costs[way]) / (double)plan.heat);
            all += share, sum[0] += share * (double)noise[step * b->size + way].s[0];
            sum[1] += share * (double)noise[step * b->size + way].s[1];
        }
        for (int k = 0; ok && k < 2; k++) {
            ok = near("control", step, (double)better[step].s[k], (double)controls[step].s[k] + sum[k] / all, 1e-4);
        }
    }
    return ok && same("the least cost", 0, memcmp(&lowest, b->buffer[4].host, sizeof lowest), 0);
}

static int mppi_rollouts_check(struct clbench *b) {
    const cl_float *costs = b->buffer[3].host;
    long unsure = 0, crashes = 0;
    int ok = 1;
    down(b, 0), down(b, 3), down(b, 4), down(b, 5);
    for (long way = 0; ok && way < b->size; way++) {
        int is_unsure = 0;
        double want = cost_of(b, way, &is_unsure);
        unsure += is_unsure, crashes += want > 500.0;
        ok = is_unsure || near("cost", way, (double)costs[way], want, 1e-4);
    }
    return ok && noise_is_right(b) && controls_are_right(b) && same("most are sure", 0, unsure * 5 < b->size, 1) &&
           same("some crash", 0, crashes * 10 > b->size && crashes * 10 < 9 * b->size, 1);
}

const struct workload round29_models_workloads[] = {
    WORKLOAD(round29_models, mxfp4_rows, 31, 509, 2003, 5003),
    WORKLOAD(round29_models, mppi_rollouts, 301, 3001, 12007, 50021),
    END_OF_WORKLOADS,
};
