/* Radio. Sizes are satellites, words, symbols of all carriers. */
#include "workloads.h"

enum { CHIPS = 1023, EACH = 4, PERIODS = 2, BINS = 21, TURN = 32 };

/* A half of a turn in a period is between two bins. */
static const cl_int step = 524800, first = 300000000;

struct peak {
    cl_uint power;
    cl_int bin, phase;
    cl_float ratio;
};

/* The sum of two registers' sequences, of which the second one begins later. */
static void gold_code(cl_uint *words, int delay) {
    unsigned char sequences[2][CHIPS];
    uint32_t registers[2] = {1023, 1023};
    for (int i = 0; i < CHIPS; i++) {
        uint32_t a = registers[0], c = registers[1];
        sequences[0][i] = a >> 9 & 1, sequences[1][i] = c >> 9 & 1;
        registers[0] = (a << 1 | ((a >> 9 ^ a >> 2) & 1)) & 1023;
        registers[1] = (c << 1 | ((c >> 9 ^ c >> 8 ^ c >> 7 ^ c >> 5 ^ c >> 2 ^ c >> 1) & 1)) & 1023;
    }
    for (int i = 0; i < CHIPS; i++) {
        words[i / 32] |= (cl_uint)(sequences[0][i] ^ sequences[1][(i + delay) % CHIPS]) << i % 32;
    }
}

static int is_set(const cl_uint *words, long bit) { return words[bit / 32] >> bit % 32 & 1; }

/* Each third satellite, but six at most, is above the horizon, all with other delays and speeds. */
static int is_up(long satellite) { return satellite % 3 == 1 && satellite < 18; }

static long delay_of(long satellite) { return (satellite * 331 + 77) % CHIPS; }

static long bin_of(long satellite) { return (satellite * 5 + 3) % BINS; }

static cl_char heard(double value) { return (cl_char)(value > 1.0 ? 3 : value > 0.0 ? 1 : value > -1.0 ? -1 : -3); }

static void gps_acquire_prepare(struct clbench *b) {
    cl_char2 *samples = make(b, 0, PERIODS * CHIPS * EACH * sizeof *samples);
    cl_char *sines = make(b, 1, TURN);
    cl_uint *codes = make(b, 3, (size_t)b->size * 32 * sizeof *codes);
    uint32_t state = 3001;
    for (int i = 0; i < TURN; i++) {
        sines[i] = (cl_char)rint(7.0 * sin(2.0 * acos(-1.0) * i / TURN));
    }
    for (long i = 0; i < b->size; i++) {
        gold_code(codes + i * 32, (int)(5 + 7 * i) % CHIPS);
    }
    for (long i = 0; i < PERIODS * CHIPS * EACH; i++) {
        double parts[2];
        for (int k = 0; k < 2; k++) {
            parts[k] = 1.7 * ((double)random_unit(&state) + (double)random_unit(&state) + (double)random_unit(&state) - 1.5);
        }
        for (long k = 0; k < b->size; k++) {
            double turn = 2.0 * acos(-1.0) * (double)i * ((double)first + (double)step * (double)bin_of(k) + 90001.0) * 0x1p-32;
            double sign = is_set(codes + k * 32, (i / EACH + CHIPS - delay_of(k)) % CHIPS) ? -0.35 : 0.35;
            parts[0] += is_up(k) ? sign * cos(turn) : 0.0, parts[1] += is_up(k) ? sign * sin(turn) : 0.0;
        }
        samples[i].s[0] = heard(parts[0]), samples[i].s[1] = heard(parts[1]);
    }
    make(b, 2, BINS * PERIODS * CHIPS * sizeof(cl_short2)), make(b, 4, (size_t)(b->size * BINS * CHIPS) * sizeof(cl_uint));
    make(b, 5, (size_t)b->size * sizeof(struct peak));
    up(b, 0), up(b, 1), up(b, 3);
}

static void gps_acquire_once(struct clbench *b) {
    cl_int each = EACH, periods = PERIODS, bins = BINS;
    launch(b, "wipe_carrier", RANGE3(1024, PERIODS, BINS, 64, 1, 1), B(0), V(each), B(1), V(first), V(step), B(2));
    launch(b, "gps_acquire", RANGE3(1024, BINS, (size_t)b->size, 128, 1, 1), B(2), B(3), V(periods), V(bins), B(4));
    launch(b, "acquire_peaks", RANGE1((size_t)b->size * 128, 128), B(4), V(bins), B(5));
}

/* What a chip has without the carrier, before rounding. */
static void wiped_chip(const struct clbench *b, long bin, long chip, long sum[2]) {
    const cl_char2 *samples = b->buffer[0].host;
    const cl_char *sines = b->buffer[1].host;
    sum[0] = sum[1] = 0;
    for (long i = chip * EACH; i < (chip + 1) * EACH; i++) {
        uint32_t place = ((uint32_t)(first + bin * step) * (uint32_t)i) >> 27;
        long sine = sines[place], cosine = sines[(place + TURN / 4) % TURN];
        sum[0] += samples[i].s[0] * cosine + samples[i].s[1] * sine;
        sum[1] += samples[i].s[1] * cosine - samples[i].s[0] * sine;
    }
}

static long power_of(const struct clbench *b, const cl_short2 *chips, long place) {
    const cl_uint *code = (const cl_uint *)b->buffer[3].host + place / CHIPS / BINS * 32;
    long phase = place % CHIPS, bin = place / CHIPS % BINS, power = 0;
    for (long period = 0; period < PERIODS; period++) {
        for (int part = 0; part < 2; part++) {
            long sum = 0;
            for (long i = 0; i < CHIPS; i++) {
                long value = chips[(bin * PERIODS + period) * CHIPS + (i + phase) % CHIPS].s[part];
                sum += is_set(code, i) ? -value : value;
            }
            power += (sum >> 4) * (sum >> 4);
        }
    }
    return power;
}

/* Of many places not all are looked at, but all are where a satellite's peak may be. */
static int gps_acquire_check(struct clbench *b) {
    const cl_short2 *chips = b->buffer[2].host;
    const cl_uint *powers = b->buffer[4].host;
    const struct peak *peaks = b->buffer[5].host;
    long places = BINS * CHIPS, step_on = b->size * places / 20011 + 1;
    int ok = 1;
    down(b, 2), down(b, 4), down(b, 5);
    for (long i = 0; ok && i < BINS * PERIODS * CHIPS; i++) {
        long sum[2];
        wiped_chip(b, i / CHIPS / PERIODS, i % (CHIPS * PERIODS), sum);
        ok = same("real chip", i, chips[i].s[0], sum[0] >> 2) && same("imaginary chip", i, chips[i].s[1], sum[1] >> 2);
    }
    for (long i = 0; ok && i < b->size * places; i += step_on) {
        ok = same("power", i, powers[i], power_of(b, chips, i));
    }
    for (long i = 0; ok && i < b->size; i++) {
        const cl_uint *own = powers + i * places;
        double sum = 0.0;
        long best = 0;
        for (long k = 0; k < places; k++) {
            best = own[k] > own[best] ? k : best, sum += own[k];
        }
        ok = same("peak", i, peaks[i].bin * CHIPS + peaks[i].phase, best) && same("peak's power", i, peaks[i].power, own[best]) &&
             near("ratio", i, (double)peaks[i].ratio, own[best] * (double)places / sum, 1e-5) &&
             (!is_up(i) || (same("delay", i, peaks[i].phase, delay_of(i)) && same("bin", i, peaks[i].bin, bin_of(i))));
    }
    return ok;
}

enum { CODE = 256, WORDS = 4 };

/* A bit in place `i` is the better known, the less is lost on the way down to it, in a channel that loses a half of all. */
static double loss_of(int i) {
    double loss = 0.5;
    for (int bit = CODE / 2; bit > 0; bit /= 2) {
        loss = i & bit ? loss * loss : loss * (2.0 - loss);
    }
    return loss;
}

static unsigned crc_of(const cl_uint *words, int bits) {
    unsigned crc = 0;
    for (int i = 0; i < bits; i++) {
        crc = (crc << 1 & 255) ^ (((crc >> 7) ^ (unsigned)is_set(words, i)) & 1 ? 7u : 0u);
    }
    return crc;
}

static void polar_encode(unsigned char *bits, int length) {
    for (int i = 0; i < length / 2; i++) {
        bits[i] ^= bits[length / 2 + i];
    }
    if (length > 2) {
        polar_encode(bits, length / 2), polar_encode(bits + length / 2, length / 2);
    }
}

/* Messages whose last eight bits are the CRC of the others; what is received is loud where it is right, mostly. */
static void polar_decode_prepare(struct clbench *b) {
    cl_char *received = make(b, 0, (size_t)b->size * CODE);
    unsigned char *is_frozen = make(b, 1, CODE);
    cl_uint *sent = make(b, 5, (size_t)b->size * WORDS * sizeof *sent);
    uint32_t state = 3011;
    for (int i = 0; i < CODE; i++) {
        int better = 0;
        for (int k = 0; k < CODE; k++) {
            better += loss_of(k) < loss_of(i) || (loss_of(k) <= loss_of(i) && k < i);
        }
        is_frozen[i] = better >= WORDS * 32;
    }
    for (long frame = 0; frame < b->size; frame++) {
        unsigned char bits[CODE] = {0};
        cl_uint *words = sent + frame * WORDS;
        for (int i = 0; i < WORDS; i++) {
            words[i] = random_word(&state);
        }
        words[WORDS - 1] &= 0xffffff;
        for (unsigned i = 0, crc = crc_of(words, WORDS * 32 - 8); i < 8; i++) {
            words[WORDS - 1] |= (crc >> (7 - i) & 1) << (24 + i);
        }
        for (int i = 0, at = 0; i < CODE; i++) {
            bits[i] = !is_frozen[i] && is_set(words, at++);
        }
        polar_encode(bits, CODE);
        for (int i = 0; i < CODE; i++) {
            double noise = (double)random_unit(&state) + (double)random_unit(&state) + (double)random_unit(&state) - 1.5;
            received[frame * CODE + i] = (cl_char)rint((bits[i] ? -32.0 : 32.0) + 48.0 * noise);
        }
    }
    make(b, 2, (size_t)b->size * WORDS * sizeof(cl_uint)), make(b, 3, (size_t)b->size), make(b, 4, sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void polar_decode_once(struct clbench *b) {
    launch(b, "none_flawed", RANGE1(1, 0), B(4));
    launch(b, "polar_decode", RANGE1((size_t)b->size * 32, 32), B(0), B(1), B(2), B(3), B(4));
}

/* Decodes a half after the other, and gives the bits as they were sent. The bits before are in `decoded`. */
static void cancel(const int *beliefs, int length, const unsigned char *is_frozen, unsigned char *decoded, unsigned char *coded) {
    int half = length / 2, below[CODE / 2] = {0};
    if (length == 1) {
        *decoded = *coded = !*is_frozen && *beliefs < 0;
        return;
    }
    for (int i = 0; i < half; i++) {
        int a = beliefs[i], c = beliefs[half + i], least = abs(a) < abs(c) ? abs(a) : abs(c);
        below[i] = (a < 0) != (c < 0) ? -least : least;
    }
    cancel(below, half, is_frozen, decoded, coded);
    for (int i = 0; i < half; i++) {
        int sum = beliefs[half + i] + (coded[i] ? -beliefs[i] : beliefs[i]);
        below[i] = sum > 127 ? 127 : sum < -127 ? -127 : sum;
    }
    cancel(below, half, is_frozen + half, decoded + half, coded + half);
    for (int i = 0; i < half; i++) {
        coded[i] ^= coded[half + i];
    }
}

static int polar_decode_check(struct clbench *b) {
    const cl_char *received = b->buffer[0].host;
    const unsigned char *is_frozen = b->buffer[1].host, *is_flawed = b->buffer[3].host;
    const cl_uint *got = b->buffer[2].host, *sent = b->buffer[5].host;
    long flawed = 0, right = 0;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long frame = 0; ok && frame < b->size; frame++) {
        int beliefs[CODE];
        unsigned char decoded[CODE], coded[CODE];
        cl_uint words[WORDS] = {0};
        for (int i = 0; i < CODE; i++) {
            beliefs[i] = received[frame * CODE + i];
        }
        cancel(beliefs, CODE, is_frozen, decoded, coded);
        for (int i = 0, at = 0; i < CODE; i++) {
            if (!is_frozen[i]) {
                words[at / 32] |= (cl_uint)decoded[i] << at % 32, at++;
            }
        }
        for (int i = 0; ok && i < WORDS; i++) {
            ok = same("word", frame * WORDS + i, got[frame * WORDS + i], words[i]);
        }
        int is_bad = crc_of(words, WORDS * 32) != 0;
        ok = ok && same("a flaw", frame, is_flawed[frame], is_bad);
        flawed += is_bad, right += memcmp(words, sent + frame * WORDS, sizeof words) == 0;
    }
    return ok && same("flaws", 0, *(const cl_int *)b->buffer[4].host, flawed) &&
           same("most are right", 0, right > b->size / 2 && right + flawed <= b->size, 1);
}

enum { CARRIERS = 1200, SPACING = 6, PILOTS = CARRIERS / SPACING };

/* The value of an axis: Gray code in `bits` bits, whose signs are folded again and again. */
static double axis_value(uint32_t word, int bits) {
    double value = 0.0;
    for (int i = bits - 1; i >= 0; i--) {
        double folded = ldexp(1.0, bits - 1 - i) - value;
        value = word >> i & 1 ? -folded : folded;
    }
    return value;
}

/* A channel of three ways, carriers of 2 to 8 bits or none. */
static void ofdm_demap_prepare(struct clbench *b) {
    cl_float2 *received = make(b, 0, (size_t)b->size * CARRIERS * sizeof *received);
    unsigned char *pilot_bits = make(b, 1, PILOTS), *orders = make(b, 4, CARRIERS);
    uint32_t state = 3019;
    for (int i = 0; i < PILOTS; i++) {
        pilot_bits[i] = random_word(&state) & 3;
    }
    for (int i = 0; i < CARRIERS; i++) {
        orders[i] = (unsigned char)(i / 50 % 6 == 5 ? 0 : 2 * (1 + (i / 50 + (int)(random_word(&state) % 2)) % 4));
    }
    for (long at = 0; at < b->size * CARRIERS; at++) {
        long carrier = at % CARRIERS, symbol = at / CARRIERS;
        int half = orders[carrier] / 2, pilot = pilot_bits[carrier / SPACING];
        double slow = 0.01 * (double)symbol, pi = acos(-1.0), size = sqrt(2.0 * (pow(4.0, half) - 1.0) / 3.0);
        double gain[2] = {1.0, 0.0}, sent[2] = {0.0, 0.0};
        for (int way = 1; way < 3; way++) {
            double turn = -2.0 * pi * (double)(carrier * 4 * way) / CARRIERS + slow * way;
            gain[0] += 0.4 / way * cos(turn), gain[1] += 0.4 / way * sin(turn);
        }
        for (int k = 0; k < 2; k++) {
            sent[k] = half > 0 ? axis_value(random_word(&state), half) / size : 0.0;
            sent[k] = carrier % SPACING == 0 ? (pilot >> k & 1 ? -sqrt(0.5) : sqrt(0.5)) : sent[k];
        }
        double noise = 0.05 * ((double)random_unit(&state) - 0.5), other = 0.05 * ((double)random_unit(&state) - 0.5);
        received[at].s[0] = (float)(sent[0] * gain[0] - sent[1] * gain[1] + noise);
        received[at].s[1] = (float)(sent[0] * gain[1] + sent[1] * gain[0] + other);
    }
    make(b, 2, (size_t)b->size * PILOTS * sizeof(cl_float2)), make(b, 3, (size_t)b->size * sizeof(float));
    make(b, 5, (size_t)b->size * CARRIERS * 8);
    up(b, 0), up(b, 1), up(b, 4);
}

static void ofdm_demap_once(struct clbench *b) {
    cl_int carriers = CARRIERS, spacing = SPACING, pilots = PILOTS;
    size_t symbols = (size_t)b->size;
    launch(b, "pilot_channel", RANGE2(PILOTS, symbols, 0, 0), B(0), V(carriers), V(spacing), B(1), B(2));
    launch(b, "carrier_noise", RANGE1(symbols * 64, 64), B(2), V(pilots), B(3));
    launch(b, "ofdm_demap", RANGE2(CARRIERS, symbols, 0, 0), B(0), V(carriers), V(spacing), B(2), V(pilots), B(3), B(4), B(5));
}

/* The channel at a symbol's pilots. */
static void pilot_gains(const struct clbench *b, long symbol, double gains[PILOTS][2]) {
    const cl_float2 *received = (const cl_float2 *)b->buffer[0].host + symbol * CARRIERS;
    const unsigned char *pilot_bits = b->buffer[1].host;
    for (int i = 0; i < PILOTS; i++) {
        double x = (double)received[i * SPACING].s[0], y = (double)received[i * SPACING].s[1];
        double p = pilot_bits[i] & 1 ? -sqrt(0.5) : sqrt(0.5), q = pilot_bits[i] & 2 ? -sqrt(0.5) : sqrt(0.5);
        gains[i][0] = x * p + y * q, gains[i][1] = y * p - x * q;
    }
}

/* A soft bit is right if it is the nearest whole number of the true value, or of one that is hardly another. */
static int soft_bits_are(const struct clbench *b, long at, const double gain[2], double noise) {
    const cl_float2 *received = b->buffer[0].host;
    const cl_char *got = (const cl_char *)b->buffer[5].host + at * 8;
    int half = ((const unsigned char *)b->buffer[4].host)[at % CARRIERS] / 2, ok = 1;
    double x = (double)received[at].s[0], y = (double)received[at].s[1], strength = gain[0] * gain[0] + gain[1] * gain[1];
    double spread = half > 0 ? 1.0 / sqrt(2.0 * (pow(4.0, half) - 1.0) / 3.0) : 0.0;
    for (int axis = 0; axis < 2; axis++) {
        double value = (axis == 0 ? x * gain[0] + y * gain[1] : y * gain[0] - x * gain[1]) / strength / (half > 0 ? spread : 1.0);
        for (int i = 0; ok && i < 4; i++) {
            double soft = i < half && at % CARRIERS % SPACING > 0 ? value * 4.0 * strength * spread * spread / noise : 0.0;
            soft = fmin(fmax(soft, -128.0), 127.0);
            ok = same("soft bit", at * 8 + axis * 4 + i, fabs(got[axis * 4 + i] - soft) < 0.505, 1);
            value = ldexp(1.0, half - 1 - i) - fabs(value);
        }
    }
    return ok;
}

static int ofdm_demap_check(struct clbench *b) {
    const float *noises = b->buffer[3].host;
    int ok = 1;
    down(b, 3), down(b, 5);
    for (long symbol = 0; ok && symbol < b->size; symbol++) {
        double gains[PILOTS][2], noise = 0.0;
        pilot_gains(b, symbol, gains);
        for (int i = 1; i < PILOTS - 1; i++) {
            for (int k = 0; k < 2; k++) {
                noise += pow(gains[i][k] - 0.5 * (gains[i - 1][k] + gains[i + 1][k]), 2.0) / (1.5 * (PILOTS - 2));
            }
        }
        ok = near("noise ratio", symbol, (double)noises[symbol] / noise, 1.0, 1e-4);
        for (long carrier = 0; ok && carrier < CARRIERS; carrier++) {
            long pilot = carrier / SPACING, next = pilot + 1 < PILOTS ? pilot + 1 : pilot;
            double part = (double)(carrier % SPACING) / SPACING, gain[2];
            for (int k = 0; k < 2; k++) {
                gain[k] = (1.0 - part) * gains[pilot][k] + part * gains[next][k];
            }
            ok = soft_bits_are(b, symbol * CARRIERS + carrier, gain, noise);
        }
    }
    return ok;
}

const struct workload round23_radio_workloads[] = {
    WORKLOAD(round23_radio, gps_acquire, 2, 5, 30, 140),
    WORKLOAD(round23_radio, polar_decode, 7, 401, 2003, 12007),
    WORKLOAD(round23_radio, ofdm_demap, 3, 701, 3001, 15013),
    END_OF_WORKLOADS,
};
