/* Radio: satellites that a receiver looks for, words of a polar code, carriers whose symbols become soft bits. */

#define CHIPS 1023
#define GROUP 128
#define TURN 32 /* steps of a whole turn */

typedef struct {
    uint power;
    int bin, phase;
    float ratio;
} peak_t;

/* Each item takes a carrier off the samples of a chip, and adds them up. */
__kernel void wipe_carrier(__global const char2 *samples, const int each, __constant char *sines, const int first, const int step,
                           __global short2 *chips)
{
    const int chip = get_global_id(0), period = get_global_id(1), bin = get_global_id(2);
    if (chip >= CHIPS) return;
    const int at = (period * CHIPS + chip) * each;
    const uint turn = first + bin * step;
    uint phase = turn * at;
    int2 sum = (int2)(0);
    for (int k = 0; k < each; k++) {
        const char2 sample = samples[at + k];
        const uint place = phase >> 27;
        const int sine = sines[place], cosine = sines[(place + TURN / 4) % TURN];
        sum.x += sample.x * cosine + sample.y * sine;
        sum.y += sample.y * cosine - sample.x * sine;
        phase += turn;
    }
    chips[(bin * get_global_size(1) + period) * CHIPS + chip] = convert_short2(sum >> 2);
}

/* Each item tries a delay of a satellite's code; a work-group shares the code and what is received. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void gps_acquire(__global const short2 *chips, __global const uint *codes, const int periods, const int bins, __global uint *powers)
{
    __local short2 received[CHIPS];
    __local char code[2 * CHIPS];

    const int lid = get_local_id(0), phase = get_global_id(0);
    const int bin = get_global_id(1), satellite = get_global_id(2);
    for (int i = lid; i < CHIPS; i += GROUP) {
        const char sign = codes[satellite * 32 + i / 32] >> i % 32 & 1 ? -1 : 1;
        code[i] = sign;
        code[i + CHIPS] = sign;
    }
    uint power = 0;
    for (int period = 0; period < periods; period++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < CHIPS; i += GROUP) received[i] = chips[(bin * periods + period) * CHIPS + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (phase < CHIPS) {
            __local const char *delayed = code + CHIPS - phase;
            int real = 0, imaginary = 0;
            for (int i = 0; i < CHIPS; i++) {
                real += received[i].x * delayed[i];
                imaginary += received[i].y * delayed[i];
            }
            real >>= 4;
            imaginary >>= 4;
            power += real * real + imaginary * imaginary;
        }
    }
    if (phase < CHIPS) powers[(satellite * bins + bin) * CHIPS + phase] = power;
}

/* A work-group finds where a satellite is heard best, and how much better than elsewhere. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void acquire_peaks(__global const uint *powers, const int bins, __global peak_t *peaks)
{
    __local ulong keys[GROUP], sums[GROUP];

    const int lid = get_local_id(0), satellite = get_group_id(0), places = bins * CHIPS;
    ulong key = 0, sum = 0;
    for (int i = lid; i < places; i += GROUP) {
        const uint power = powers[satellite * places + i];
        key = max(key, (ulong)power << 32 | (uint)~i);
        sum += power;
    }
    keys[lid] = key;
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size) {
            keys[lid] = max(keys[lid], keys[lid + half_size]);
            sums[lid] += sums[lid + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        const int place = ~(uint)keys[0];
        peak_t peak;
        peak.power = keys[0] >> 32;
        peak.bin = place / CHIPS;
        peak.phase = place % CHIPS;
        peak.ratio = (float)peak.power * places / (float)sums[0];
        peaks[satellite] = peak;
    }
}

#define CODE 256 /* bits of a word */
#define DEPTH 8
#define LANES 32
#define WORDS 4 /* of a message */
#define CRC 0x07

/* Where the node of a depth has its part of an array: 256 places, then 128, and so on. */
int stage(const int depth)
{
    return 2 * CODE - (2 * CODE >> depth);
}

/* What is believed of the sum of two bits. */
char of_sum(const char a, const char b)
{
    const char least = min(abs(a), abs(b));
    return (a ^ b) < 0 ? -least : least;
}

/* What is believed of the second bit, as the sum is known. */
char of_second(const char a, const char b, const uchar sum)
{
    return max(add_sat(b, (char)(sum ? -a : a)), (char)-127);
}

/* A work-group decodes a word by cancelling bit after bit: down a tree with beliefs, up with the bits that are known. */
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void polar_decode(__global const char *received, __constant uchar *is_frozen, __global uint *messages, __global uchar *is_flawed,
                  __global int *flawed)
{
    __local char belief[2 * CODE];
    __local uchar first[2 * CODE], bits[CODE];
    __local uint words[WORDS];

    const int lid = get_local_id(0);
    const size_t frame = get_group_id(0);
    for (int i = lid; i < CODE; i += LANES) belief[i] = received[frame * CODE + i];
    if (lid < WORDS) words[lid] = 0;
    int found = 0;
    for (int leaf = 0; leaf < CODE; leaf++) {
        const int turn = leaf == 0 ? 0 : DEPTH - (int)popcount((leaf & -leaf) - 1);
        for (int depth = max(turn, 1); depth <= DEPTH; depth++) {
            const int length = CODE >> depth;
            const int above = stage(depth - 1), own = stage(depth);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = lid; i < length; i += LANES) {
                const char a = belief[above + i], b = belief[above + length + i];
                belief[own + i] = depth == turn ? of_second(a, b, first[own + i]) : of_sum(a, b);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uchar bit = 0;
        if (!is_frozen[leaf]) {
            bit = belief[stage(DEPTH)] < 0;
            if (lid == 0) words[found / 32] |= (uint)bit << found % 32;
            found++;
        }
        if (lid == 0) bits[0] = bit;
        int depth = DEPTH;
        for (; leaf >> (DEPTH - depth) & 1; depth--) {
            const int length = CODE >> depth;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = lid; i < length; i += LANES) {
                const uchar second = bits[i];
                bits[length + i] = second;
                bits[i] = first[stage(depth) + i] ^ second;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < CODE >> depth; i += LANES) first[stage(depth) + i] = bits[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < WORDS) messages[frame * WORDS + lid] = words[lid];
    if (lid == 0) {
        uchar crc = 0;
        for (int i = 0; i < WORDS * 32; i++) {
            const uchar bit = words[i / 32] >> i % 32 & 1;
            const bool is_over = (crc >> 7) ^ bit;
            crc = crc << 1 ^ (is_over ? CRC : 0);
        }
        is_flawed[frame] = crc != 0;
        if (crc != 0) atomic_inc(flawed);
    }
}

__kernel void none_flawed(__global int *flawed)
{
    *flawed = 0;
}

#define PILOT_GROUP 64

float2 times_conjugate(const float2 a, const float2 b)
{
    return (float2)(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y);
}

/* Each item tells what became of a pilot, which everybody knows. */
__kernel void pilot_channel(__global const float2 *received, const int carriers, const int spacing, __constant uchar *pilot_bits,
                            __global float2 *channel)
{
    const size_t pilot = get_global_id(0), symbol = get_global_id(1);
    const uchar bits = pilot_bits[pilot];
    const float2 sent = (float2)(bits & 1 ? -M_SQRT1_2_F : M_SQRT1_2_F, bits & 2 ? -M_SQRT1_2_F : M_SQRT1_2_F);
    channel[symbol * get_global_size(0) + pilot] = times_conjugate(received[symbol * carriers + pilot * spacing], sent);
}

/* A work-group finds a symbol's noise: how far pilots are from the middle of their neighbours. */
__kernel void carrier_noise(__global const float2 *channel, const int pilots, __global float *noise)
{
    __local float parts[PILOT_GROUP];

    const int lid = get_local_id(0), symbol = get_group_id(0);
    __global const float2 *own = channel + symbol * pilots;
    float sum = 0.0f;
    for (int i = lid + 1; i < pilots - 1; i += PILOT_GROUP) {
        const float2 off = own[i] - 0.5f * (own[i - 1] + own[i + 1]);
        sum += dot(off, off);
    }
    parts[lid] = sum;
    for (int half_size = PILOT_GROUP / 2; half_size > 0; half_size >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size) parts[lid] += parts[lid + half_size];
    }
    if (lid == 0) noise[symbol] = parts[0] / (1.5f * (pilots - 2));
}

/* Each item makes soft bits of a carrier's value, as many as the carrier has; both axes have half of them. Pilots have none. */
__kernel void ofdm_demap(__global const float2 *received, const int carriers, const int spacing, __global const float2 *channel,
                         const int pilots, __global const float *noise, __constant uchar *orders, __global char *soft_bits)
{
    const int carrier = get_global_id(0), symbol = get_global_id(1);
    const int at = symbol * carriers + carrier, pilot = carrier / spacing;
    if (carrier % spacing == 0) {
        vstore8((char8)(0), at, soft_bits);
        return;
    }
    const float2 before = channel[symbol * pilots + pilot], behind = channel[symbol * pilots + min(pilot + 1, pilots - 1)];
    const float2 gain = mix(before, behind, (float)(carrier % spacing) / spacing);
    const float strength = dot(gain, gain);
    const float2 value = times_conjugate(received[at], gain) / strength;
    float8 soft = (float8)(0.0f);
    float spread;
    switch (orders[carrier]) {
    case 2:
        spread = M_SQRT1_2_F;
        soft.s04 = value / spread;
        break;
    case 4:
        spread = 0.31622777f;
        soft.s04 = value / spread;
        soft.s15 = 2.0f - fabs(soft.s04);
        break;
    case 6:
        spread = 0.15430335f;
        soft.s04 = value / spread;
        soft.s15 = 4.0f - fabs(soft.s04);
        soft.s26 = 2.0f - fabs(soft.s15);
        break;
    case 8:
        spread = 0.076696499f;
        soft.s04 = value / spread;
        soft.s15 = 8.0f - fabs(soft.s04);
        soft.s26 = 4.0f - fabs(soft.s15);
        soft.s37 = 2.0f - fabs(soft.s26);
        break;
    default:
        spread = 0.0f;
    }
    vstore8(convert_char8_sat_rte(soft * (4.0f * strength * spread * spread / noise[symbol])), at, soft_bits);
}
