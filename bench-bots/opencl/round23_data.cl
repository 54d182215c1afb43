/* Data: blocks of a field in few bits, words as tokens of a language model, packets that are sorted by flows, what repeats in a series. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define VALUES 64
#define BLOCK_WORDS 16 /* eight bits a value */
#define SIGNS 0xaaaaaaaau

typedef struct {
    __global uint *to;
    ulong waiting;
    int count, left;
} writer_t;

/* Writes up to 32 bits, the lowest one first. */
void put(writer_t *writer, const uint bits, const int count)
{
    writer->waiting |= (ulong)bits << writer->count;
    writer->count += count;
    writer->left -= count;
    if (writer->count >= 32) {
        *writer->to++ = (uint)writer->waiting;
        writer->waiting >>= 32;
        writer->count -= 32;
    }
}

/* Makes four numbers in a line a mean and what is left of them. */
void lift(int *values, const int stride)
{
    int x = values[0], y = values[stride], z = values[2 * stride], w = values[3 * stride];
    x += w;
    x >>= 1;
    w -= x;
    z += y;
    z >>= 1;
    y -= z;
    x += z;
    x >>= 1;
    z -= x;
    w += y;
    w >>= 1;
    y -= w;
    w += y >> 1;
    y -= w >> 1;
    values[0] = x;
    values[stride] = y;
    values[2 * stride] = z;
    values[3 * stride] = w;
}

/* Writes planes of bits, from the highest one on: of numbers that were not 0 before a bit each, then where the next ones are. */
void put_planes(writer_t *writer, const uint *numbers)
{
    int known = 0;
    for (int plane = 31; plane >= 0 && writer->left > 0; plane--) {
        ulong bits = 0;
        for (int i = 0; i < VALUES; i++) bits |= (ulong)(numbers[i] >> plane & 1) << i;
        for (int at = 0; at < known && writer->left > 0; at += 32) {
            const int count = min(min(known - at, 32), writer->left);
            put(writer, (uint)(bits & ((1ul << count) - 1)), count);
            bits >>= count;
        }
        while (known < VALUES && writer->left > 0) {
            put(writer, bits != 0, 1);
            if (bits == 0) break;
            while (known < VALUES - 1 && writer->left > 0) {
                const uint bit = bits & 1;
                put(writer, bit, 1);
                if (bit) break;
                bits >>= 1;
                known++;
            }
            bits >>= 1;
            known++;
        }
    }
}

/* Each item packs a block of four by four by four values into 64 bytes, as ZFP does: whole numbers by the greatest exponent, their
 * differences, and the bits that count most. At the borders of the field the last value is repeated. */
__kernel __attribute__((reqd_work_group_size(4, 4, 4)))
void zfp_blocks(__global const float *field, const int4 size, const int4 blocks, __constant uchar *order, __global uint *packed)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= blocks.x || y >= blocks.y || z >= blocks.z) return;
    float values[VALUES];
    float most = 0.0f;
    for (int i = 0; i < VALUES; i++) {
        const int column = min(4 * x + i % 4, size.x - 1), row = min(4 * y + i / 4 % 4, size.y - 1);
        const int layer = min(4 * z + i / 16, size.z - 1);
        values[i] = field[(layer * size.y + row) * size.x + column];
        most = fmax(most, fabs(values[i]));
    }
    writer_t writer;
    writer.to = packed + ((z * blocks.y + y) * blocks.x + x) * BLOCK_WORDS;
    writer.waiting = 0;
    writer.count = 0;
    writer.left = BLOCK_WORDS * 32;
    if (most == 0.0f) {
        for (int i = 0; i < BLOCK_WORDS; i++) writer.to[i] = 0;
        return;
    }
    int power;
    frexp(most, &power);
    put(&writer, 1 | (uint)(power + 127) << 1, 9);

    int lifted[VALUES];
    for (int i = 0; i < VALUES; i++) lifted[i] = (int)ldexp(values[i], 30 - power);
    for (int i = 0; i < 16; i++) lift(lifted + 4 * i, 1);
    for (int i = 0; i < 16; i++) lift(lifted + i / 4 * 16 + i % 4, 4);
    for (int i = 0; i < 16; i++) lift(lifted + i, 16);
    uint numbers[VALUES];
    for (int i = 0; i < VALUES; i++) numbers[i] = ((uint)lifted[order[i]] + SIGNS) ^ SIGNS;
    put_planes(&writer, numbers);
    while (writer.left > 0) put(&writer, 0, min(writer.left, 32));
}

#define MOST_LETTERS 32
#define NONE 0x7fffffff

typedef struct {
    ushort left, right;
    int merged; /* the token of both, or -1 where the slot is empty */
} merge_t;

/* What two tokens become, if they become one. */
int merged_token(__global const merge_t *merges, const uint mask, const ushort left, const ushort right)
{
    uint slot = ((uint)left << 16 | right) * 0x9e3779b1u >> 7 & mask;
    for (; merges[slot].merged >= 0; slot = (slot + 1) & mask) {
        if (merges[slot].left == left && merges[slot].right == right) return merges[slot].merged;
    }
    return NONE;
}

__kernel void unused_tokens(__global int *uses, const int tokens)
{
    const int id = get_global_id(0);
    if (id < tokens) uses[id] = 0;
}

/* Each item makes tokens of a word: it begins with letters, and merges pairs, those first that were learned first. */
__kernel void bpe_merges(__global const uchar *text, __global const int *starts, const int words, __global const merge_t *merges,
                         const uint mask, __global ushort *tokens, __global uchar *counts, __global int *uses)
{
    const int id = get_global_id(0);
    if (id >= words) return;
    ushort own[MOST_LETTERS];
    int count = min(starts[id + 1] - starts[id], MOST_LETTERS);
    for (int i = 0; i < count; i++) own[i] = text[starts[id] + i];
    while (count > 1) {
        int best = NONE, place = 0;
        for (int i = 0; i + 1 < count; i++) {
            const int merged = merged_token(merges, mask, own[i], own[i + 1]);
            if (merged < best) {
                best = merged;
                place = i;
            }
        }
        if (best == NONE) break;
        const ushort left = own[place], right = own[place + 1];
        int to = place;
        for (int i = place; i < count;) {
            if (i + 1 < count && own[i] == left && own[i + 1] == right) {
                own[to++] = best;
                i += 2;
            } else {
                own[to++] = own[i++];
            }
        }
        count = to;
    }
    counts[id] = count;
    for (int i = 0; i < count; i++) {
        tokens[id * MOST_LETTERS + i] = own[i];
        atomic_inc(&uses[own[i]]);
    }
}

#define KINDS 7
#define BUCKETS 1024
#define KEY 40
#define VLAN 0x8100
#define IPV4 0x0800

enum { IS_TCP, IS_UDP, IS_OTHER, IS_PART, IS_BROKEN, IS_SHORT, IS_FOREIGN };

typedef struct {
    uint hash;
    uchar kind, queue;
    ushort network;
} flow_t;

uint two_bytes(__global const uchar *bytes)
{
    return (uint)bytes[0] << 8 | bytes[1];
}

/* Toeplitz's hash, as network cards have it: each bit that is set adds 32 bits of the key. */
uint flow_hash(__constant uchar *key, const uchar *input, const int length)
{
    ulong window = 0;
    for (int i = 0; i < 8; i++) window = window << 8 | key[i];
    uint hash = 0;
    for (int i = 0; i < length; i++) {
        for (int bit = 7; bit >= 0; bit--) {
            if (input[i] >> bit & 1) hash ^= (uint)(window >> 32);
            window <<= 1;
        }
        window |= key[8 + i];
    }
    return hash;
}

/* What a packet is; where it belongs to a flow, what tells the flow is written to `input`. */
uchar parse_packet(__global const uchar *packet, int length, uchar *input, int *known, ushort *network)
{
    int at = 12;
    if (length < 34) return IS_SHORT;
    uint type = two_bytes(packet + at);
    while (type == VLAN && at + 6 <= length) {
        *network = two_bytes(packet + at + 2) & 0xfff;
        at += 4;
        type = two_bytes(packet + at);
    }
    if (type != IPV4) return IS_FOREIGN;
    at += 2;
    if (at + 20 > length) return IS_SHORT;
    __global const uchar *header = packet + at;
    const int header_length = (header[0] & 15) * 4;
    if (header[0] >> 4 != 4 || header_length < 20 || at + header_length > length) return IS_BROKEN;
    uint sum = 0;
    for (int i = 0; i < header_length; i += 2) sum += two_bytes(header + i);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    if (sum != 0xffff) return IS_BROKEN;
    for (int i = 0; i < 8; i++) input[i] = header[12 + i];
    *known = 8;
    if (two_bytes(header + 6) & 0x3fff) return IS_PART;
    switch (header[9]) {
    case 6:
    case 17:
        if (at + header_length + 8 > length) return IS_SHORT;
        for (int i = 0; i < 4; i++) input[8 + i] = header[header_length + i];
        *known = 12;
        return header[9] == 6 ? IS_TCP : IS_UDP;
    default:
        return IS_OTHER;
    }
}

__kernel void no_packets(__global int *kinds, __global uint2 *buckets)
{
    const int id = get_global_id(0);
    if (id < KINDS) kinds[id] = 0;
    if (id < BUCKETS) buckets[id] = (uint2)(0);
}

/* Each item reads the headers of a packet and finds its flow, the queue of the flow, and counts it there. */
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void packet_flows(__global const uchar *bytes, __global const int *starts, const int packets, __constant uchar *key,
                  __constant uchar *queues, __global flow_t *flows, __global int *kinds, __global uint *buckets)
{
    __local int own_kinds[KINDS];

    const int id = get_global_id(0), lid = get_local_id(0);
    if (lid < KINDS) own_kinds[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < packets) {
        const int start = starts[id], length = starts[id + 1] - start;
        uchar input[12];
        int known = 0;
        flow_t flow = {0, IS_FOREIGN, 0, 0};
        flow.kind = parse_packet(bytes + start, length, input, &known, &flow.network);
        if (known > 0) {
            flow.hash = flow_hash(key, input, known);
            flow.queue = queues[flow.hash & 127];
            const uint bucket = flow.hash & (BUCKETS - 1);
            atomic_inc(&buckets[2 * bucket]);
            atomic_add(&buckets[2 * bucket + 1], (uint)length);
        }
        flows[id] = flow;
        atomic_inc(&own_kinds[flow.kind]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < KINDS && own_kinds[lid] > 0) atomic_add(&kinds[lid], own_kinds[lid]);
}

#define SERIES_GROUP 256

typedef struct {
    double mean, inverse; /* of the window's spread */
    double slope, change; /* what changes products when windows move on by one */
} window_t;

typedef struct {
    int motif, discord;
    float motif_distance, discord_distance;
} repeats_t;

/* Each item finds what a window of the series has by itself. */
__kernel void series_windows(__global const double *series, const int count, const int length, __global window_t *windows,
                             __global uint *profile)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < length; i++) sum += series[id + i];
    window_t window;
    window.mean = sum / length;
    for (int i = 0; i < length; i++) {
        const double off = series[id + i] - window.mean;
        squares += off * off;
    }
    window.inverse = squares > 1e-12 ? rsqrt(squares) : 0.0;
    window.slope = 0.0;
    window.change = 0.0;
    if (id > 0) {
        const double first = series[id - 1], last = series[id + length - 1];
        const double mean_before = window.mean + (first - last) / length;
        window.slope = 0.5 * (last - first);
        window.change = last - window.mean + first - mean_before;
    }
    windows[id] = window;
    profile[id] = 0;
}

/* Each item compares all windows that are so far apart, and keeps for both how alike they are, if that is more than before. */
__kernel void matrix_profile(__global const double *series, __global const window_t *windows, const int count, const int length,
                             const int nearest, volatile __global uint *profile)
{
    const int apart = nearest + (int)get_global_id(0);
    if (apart >= count) return;
    double product = 0.0;
    for (int i = 0; i < length; i++) product += (series[i] - windows[0].mean) * (series[apart + i] - windows[apart].mean);
    for (int i = 0; i + apart < count; i++) {
        const window_t first = windows[i], second = windows[i + apart];
        if (i > 0) product += first.slope * second.change + second.slope * first.change;
        const float likeness = (float)clamp(product * first.inverse * second.inverse + 1.0, 0.0, 2.0);
        const uint key = as_uint(likeness);
        if (key > profile[i]) atomic_max(&profile[i], key);
        if (key > profile[i + apart]) atomic_max(&profile[i + apart], key);
    }
}

/* One work-group finds the window that repeats best, and the one that is least like all others. */
__kernel __attribute__((reqd_work_group_size(SERIES_GROUP, 1, 1)))
void series_repeats(__global const uint *profile, const int count, const int length, __global repeats_t *repeats)
{
    __local ulong most[SERIES_GROUP], least[SERIES_GROUP];

    const int lid = get_local_id(0);
    ulong own_most = 0, own_least = ULONG_MAX;
    for (int i = lid; i < count; i += SERIES_GROUP) {
        const ulong key = (ulong)profile[i] << 32 | i;
        own_most = max(own_most, key);
        own_least = min(own_least, key);
    }
    most[lid] = own_most;
    least[lid] = own_least;
    for (int half_size = SERIES_GROUP / 2; half_size > 0; half_size >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size) {
            most[lid] = max(most[lid], most[lid + half_size]);
            least[lid] = min(least[lid], least[lid + half_size]);
        }
    }
    if (lid != 0) return;
    repeats->motif = (int)most[0];
    repeats->discord = (int)least[0];
    repeats->motif_distance = sqrt(2.0f * length * (2.0f - as_float((uint)(most[0] >> 32))));
    repeats->discord_distance = sqrt(2.0f * length * (2.0f - as_float((uint)(least[0] >> 32))));
}
