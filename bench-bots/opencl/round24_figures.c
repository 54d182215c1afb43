/* Figures. Sizes are a side of a picture, options, shares. */
#include "workloads.h"

enum { PAINTS = 24 };

static long pixel_count(const struct clbench *b) { return b->size * (b->size * 3 / 4 + 1); }

static double linear(double value) { return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4); }

static double root_of(double value) { return value > 216.0 / 24389.0 ? cbrt(value) : (24389.0 / 27.0 * value + 16.0) / 116.0; }

static void lab_of(const unsigned char *colour, double lab[3]) {
    double red = linear(colour[0] / 255.0), green = linear(colour[1] / 255.0), blue = linear(colour[2] / 255.0);
    double x = root_of((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047);
    double y = root_of(0.2126729 * red + 0.7151522 * green + 0.0721750 * blue);
    double z = root_of((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883);
    lab[0] = 116.0 * y - 16.0, lab[1] = 500.0 * (x - y), lab[2] = 200.0 * (y - z);
}

static void colour_match_prepare(struct clbench *b) {
    long pixels = pixel_count(b);
    unsigned char *picture = make(b, 0, (size_t)pixels * 4);
    cl_float4 *paints = make(b, 1, PAINTS * sizeof *paints);
    uint32_t state = 4091;
    for (int i = 0; i < PAINTS; i++) {
        unsigned char colour[3];
        double lab[3];
        for (int k = 0; k < 3; k++) {
            colour[k] = (unsigned char)(i < 4 ? i * 70 + 20 : (int)(random_word(&state) % 256));
        }
        lab_of(colour, lab);
        for (int k = 0; k < 3; k++) {
            paints[i].s[k] = (float)lab[k];
        }
    }
    for (long i = 0; i < pixels; i++) {
        double x = (double)(i % b->size) / (double)b->size, y = (double)(i / b->size) / (double)b->size;
        double waves[3] = {sin(9.0 * x + 4.0 * y), sin(13.0 * y - 5.0 * x), sin(7.0 * (x + y) * (x + 0.3))};
        for (int k = 0; k < 3; k++) {
            picture[4 * i + k] = (unsigned char)(127.0 + 110.0 * waves[k] + (double)(random_word(&state) % 17));
        }
        picture[4 * i + 3] = 255;
    }
    make(b, 2, (size_t)pixels), make(b, 3, (size_t)pixels * sizeof(float));
    up(b, 0), up(b, 1);
}

static void colour_match_once(struct clbench *b) {
    cl_int pixels = (cl_int)pixel_count(b), paints = PAINTS;
    launch(b, "colour_match", RANGE1(round_up(pixels, 64), 64), B(0), V(pixels), B(1), V(paints), B(2), B(3));
}

static double degrees(double angle) { return angle * 180.0 / acos(-1.0); }

static double cosine_of(double angle) { return cos(angle * acos(-1.0) / 180.0); }

/* CIEDE2000 as its authors write it, in degrees. */
static double difference_of(const double one[3], const double other[3]) {
    double c7 = pow(0.5 * (hypot(one[1], one[2]) + hypot(other[1], other[2])), 7.0), g = 0.5 * (1.0 - sqrt(c7 / (c7 + pow(25.0, 7.0))));
    double a1 = (1.0 + g) * one[1], a2 = (1.0 + g) * other[1], c1 = hypot(a1, one[2]), c2 = hypot(a2, other[2]);
    double h1 = c1 == 0.0 ? 0.0 : fmod(degrees(atan2(one[2], a1)) + 360.0, 360.0);
    double h2 = c2 == 0.0 ? 0.0 : fmod(degrees(atan2(other[2], a2)) + 360.0, 360.0);
    double turn = c1 * c2 == 0.0 ? 0.0 : remainder(h2 - h1, 360.0), mean = h1 + h2;
    if (c1 * c2 != 0.0) {
        mean = fabs(h1 - h2) <= 180.0 ? 0.5 * mean : mean < 360.0 ? 0.5 * (mean + 360.0) : 0.5 * (mean - 360.0);
    }
    double big_h = 2.0 * sqrt(c1 * c2) * cosine_of(90.0 - 0.5 * turn), c = 0.5 * (c1 + c2), l = pow(0.5 * (one[0] + other[0]) - 50.0, 2.0);
    double t = 1.0 - 0.17 * cosine_of(mean - 30.0) + 0.24 * cosine_of(2.0 * mean);
    t += 0.32 * cosine_of(3.0 * mean + 6.0) - 0.2 * cosine_of(4.0 * mean - 63.0);
    double rc = 2.0 * sqrt(pow(c, 7.0) / (pow(c, 7.0) + pow(25.0, 7.0)));
    double rt = -cosine_of(90.0 - 60.0 * exp(-pow((mean - 275.0) / 25.0, 2.0))) * rc;
    double dl = (other[0] - one[0]) / (1.0 + 0.015 * l / sqrt(20.0 + l));
    double dc = (c2 - c1) / (1.0 + 0.045 * c), dh = big_h / (1.0 + 0.015 * c * t);
    return sqrt(fmax(dl * dl + dc * dc + dh * dh + rt * dc * dh, 0.0));
}

/* Of many pixels not all are looked at. First two pairs of colours whose difference was published. */
static int colour_match_check(struct clbench *b) {
    static const double known[2][6] = {{50.0, 2.6772, -79.7751, 50.0, 0.0, -82.7485}, {2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514}};
    const unsigned char *picture = b->buffer[0].host, *matches = b->buffer[2].host;
    const cl_float4 *paints = b->buffer[1].host;
    const float *got = b->buffer[3].host;
    long pixels = pixel_count(b), step_on = pixels / 20011 + 1;
    int ok = near("known", 0, difference_of(known[0], known[0] + 3), 2.0425, 1e-4) &&
             near("known", 1, difference_of(known[1], known[1] + 3), 0.9082, 1e-4);
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < pixels; i += step_on) {
        double lab[3], differences[PAINTS], best = 1000.0;
        lab_of(picture + 4 * i, lab);
        for (int k = 0; k < PAINTS; k++) {
            double paint[3] = {(double)paints[k].s[0], (double)paints[k].s[1], (double)paints[k].s[2]};
            differences[k] = difference_of(lab, paint), best = fmin(best, differences[k]);
        }
        ok = same("a paint", i, matches[i] < PAINTS, 1) && near("difference", i, (double)got[i], best, 1e-3) &&
             near("paint's difference", i, differences[matches[i]], best, 1e-3);
    }
    return ok;
}

enum { PRICES = 80, TIMES = 30 };

struct terms {
    cl_double spot, strike, barrier, rate, volatility, years;
    cl_int is_call, is_american;
};

static void barrier_grids_prepare(struct clbench *b) {
    struct terms *options = make(b, 0, (size_t)b->size * sizeof *options);
    uint32_t state = 4093;
    for (long i = 0; i < b->size; i++) {
        struct terms *own = options + i;
        own->spot = 80.0 + 40.0 * (double)random_unit(&state), own->strike = 75.0 + 50.0 * (double)random_unit(&state);
        own->barrier = i % 4 == 1 ? 400.0 : 140.0 + 80.0 * (double)random_unit(&state);
        own->rate = 0.01 + 0.05 * (double)random_unit(&state);
        own->volatility = 0.1 + 0.3 * (double)random_unit(&state), own->years = 0.3 + 1.5 * (double)random_unit(&state);
        own->is_call = i % 2 == 0, own->is_american = i % 3 == 0;
    }
    size_t bytes = (size_t)b->size * (PRICES + 1) * sizeof(double);
    make(b, 1, bytes), make(b, 2, bytes), make(b, 3, (size_t)b->size * sizeof(double));
    up(b, 0);
}

static void barrier_grids_once(struct clbench *b) {
    cl_int options = (cl_int)b->size, prices = PRICES, steps = TIMES;
    launch(b, "barrier_grids", RANGE1(round_up(options, 32), 32), B(0), V(options), V(prices), V(steps), B(1), B(2), B(3));
}

static double end_gain(const struct terms *own, int price) {
    double gain = price * own->barrier / PRICES - own->strike;
    return price == PRICES ? 0.0 : fmax(own->is_call ? gain : -gain, 0.0);
}

/* The same steps, by plain elimination. Where nobody uses the option early, it may begin at either end of the prices. */
static double grid_worth(const struct terms *own, int is_upward) {
    double now[PRICES + 1], below[PRICES + 1], on[PRICES + 1], above[PRICES + 1], right[PRICES + 1], step = own->years / TIMES;
    for (int i = 0; i <= PRICES; i++) {
        now[i] = end_gain(own, i);
        below[i] = 0.25 * step * (pow(own->volatility * i, 2.0) - own->rate * i);
        above[i] = 0.25 * step * (pow(own->volatility * i, 2.0) + own->rate * i);
    }
    for (int k = 1; k <= TIMES; k++) {
        for (int i = 1; i < PRICES; i++) {
            double middle = 0.5 * step * (pow(own->volatility * i, 2.0) + own->rate);
            on[i] = 1.0 + middle, right[i] = below[i] * now[i - 1] + (1.0 - middle) * now[i] + above[i] * now[i + 1];
        }
        now[PRICES] = 0.0, now[0] = own->is_call ? 0.0 : own->strike * (own->is_american ? 1.0 : exp(-own->rate * k * step));
        right[1] += below[1] * now[0];
        if (is_upward) {
            for (int i = 2; i < PRICES; i++) {
                on[i] -= below[i] * above[i - 1] / on[i - 1], right[i] += below[i] * right[i - 1] / on[i - 1];
            }
            for (int i = PRICES - 1; i > 0; i--) {
                now[i] = (right[i] + above[i] * now[i + 1]) / on[i];
                now[i] = own->is_american ? fmax(now[i], end_gain(own, i)) : now[i];
            }
        } else {
            for (int i = PRICES - 2; i > 0; i--) {
                on[i] -= above[i] * below[i + 1] / on[i + 1], right[i] += above[i] * right[i + 1] / on[i + 1];
            }
            for (int i = 1; i < PRICES; i++) {
                now[i] = (right[i] + (i > 1 ? below[i] * now[i - 1] : 0.0)) / on[i];
            }
        }
    }
    double place = own->spot / own->barrier * PRICES;
    return now[(int)place] + (place - floor(place)) * (now[(int)place + 1] - now[(int)place]);
}

/* The part of a normal distribution that is below. */
static double below_of(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

/* Of many options not all are looked at. Puts whose barrier is far away are those of Black and Scholes. */
static int barrier_grids_check(struct clbench *b) {
    const struct terms *options = b->buffer[0].host;
    const double *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i += b->size / 1009 + 1) {
        const struct terms *own = options + i;
        ok = near("worth", i, got[i], grid_worth(own, own->is_american), 1e-9);
        if (ok && i % 4 == 1 && !own->is_american) {
            double spread = own->volatility * sqrt(own->years);
            double d = (log(own->spot / own->strike) + own->rate * own->years) / spread + 0.5 * spread;
            double put = own->strike * exp(-own->rate * own->years) * below_of(spread - d) - own->spot * below_of(-d);
            ok = near("put", i, got[i] / 100.0, put / 100.0, 0.005);
        }
    }
    return ok;
}

enum { WINDOW = 21, DAYS = 251 };

struct rolling {
    cl_float median, spread;
    cl_ushort rank, rises;
};

/* Prices in hundredths, so that many are equal. */
static void rolling_ranks_prepare(struct clbench *b) {
    float *prices = make(b, 0, (size_t)b->size * DAYS * sizeof *prices);
    uint32_t state = 4099;
    for (long i = 0; i < b->size * DAYS; i++) {
        float last = i < b->size ? 20.0f + (float)(i % 60) : prices[i - b->size];
        prices[i] = rintf(last * 100.0f * (1.0f + 0.02f * (random_unit(&state) - 0.497f))) / 100.0f;
    }
    make(b, 1, (size_t)b->size * DAYS * sizeof(struct rolling));
    up(b, 0);
}

static void rolling_ranks_once(struct clbench *b) {
    cl_int shares = (cl_int)b->size, days = DAYS;
    launch(b, "rolling_ranks", RANGE1(round_up(shares, 64), 0), B(0), V(shares), V(days), B(1));
}

static int by_price(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static int rolling_ranks_check(struct clbench *b) {
    const float *prices = b->buffer[0].host;
    const struct rolling *got = b->buffer[1].host;
    long step_on = b->size * DAYS / 100003 + 1;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size * DAYS; i += step_on) {
        float sorted[WINDOW];
        long day = i / b->size, rises = 0, rank = 0;
        int count = (int)(day < WINDOW ? day + 1 : WINDOW);
        for (int k = 0; k < count; k++) {
            sorted[k] = prices[i - k * b->size], rank += k > 0 && sorted[k] <= prices[i];
        }
        qsort(sorted, (size_t)count, sizeof *sorted, by_price);
        while (rises < day && prices[i - rises * b->size] > prices[i - (rises + 1) * b->size]) {
            rises++;
        }
        double median = 0.5 * ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]);
        ok = near("median", i, (double)got[i].median, median, 1e-6) &&
             near("spread", i, (double)got[i].spread, (double)sorted[count * 3 / 4] - (double)sorted[count / 4], 1e-5) &&
             same("rank", i, got[i].rank, rank) && same("rises", i, got[i].rises, rises);
    }
    return ok;
}

const struct workload round24_figures_workloads[] = {
    WORKLOAD(round24_figures, colour_match, 19, 151, 301, 1003),
    WORKLOAD(round24_figures, barrier_grids, 37, 4001, 16001, 60013),
    WORKLOAD(round24_figures, rolling_ranks, 37, 2003, 10007, 50021),
    END_OF_WORKLOADS,
};
