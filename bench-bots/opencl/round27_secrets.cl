/* Secrets: tags of packets, a cipher a bit at a time, many streams of numbers that look random. */

#define PART 0x3ffffff /* a number of 130 bits has five parts of 26 */
#define BLOCK 16

/* Adds a block, and the bit above it, to the sum `h`, and multiplies it by the key's number `r`. */
void absorb(const uint4 block, const uint above, const uint *r, uint *h)
{
    h[0] += block.x & PART;
    h[1] += (block.x >> 26 | block.y << 6) & PART;
    h[2] += (block.y >> 20 | block.z << 12) & PART;
    h[3] += (block.z >> 14 | block.w << 18) & PART;
    h[4] += block.w >> 8 | above << 24;

    ulong sums[5];
    for (int i = 0; i < 5; i++) {
        sums[i] = 0;
        for (int k = 0; k < 5; k++) sums[i] += (ulong)h[k] * (k <= i ? r[i - k] : 5 * r[5 + i - k]);
    }
    ulong carry = 0;
    for (int i = 0; i < 5; i++) {
        sums[i] += carry;
        h[i] = (uint)sums[i] & PART;
        carry = sums[i] >> 26;
    }
    h[0] += (uint)carry * 5;
    h[1] += h[0] >> 26;
    h[0] &= PART;
}

/* What is left of the sum modulo 2^130 - 5, as 128 bits. */
uint4 reduced(uint *h)
{
    uint over[5], carry = 0;
    for (int i = 1; i < 6; i++) {
        h[i % 5] += carry * (i == 5 ? 5 : 1);
        carry = h[i % 5] >> 26;
        h[i % 5] &= PART;
    }
    h[1] += carry;
    carry = 5;
    for (int i = 0; i < 5; i++) {
        over[i] = h[i] + carry;
        carry = over[i] >> 26;
        over[i] &= PART;
    }
    const uint is_over = -carry;
    for (int i = 0; i < 5; i++) h[i] = (h[i] & ~is_over) | (over[i] & is_over);
    return (uint4)(h[0] | h[1] << 26, h[1] >> 6 | h[2] << 20, h[2] >> 12 | h[3] << 14,
                   h[3] >> 18 | h[4] << 8);
}

/* Each item makes the tag of a packet: Poly1305 with a key of its own, as TLS has it. */
__kernel void poly1305_tags(__global const uchar *bytes, __global const uint *starts,
                            __global const uint8 *keys, const int packets, __global uint4 *tags)
{
    const int id = get_global_id(0);
    if (id >= packets) return;
    const uint8 key = keys[id];
    const uint r[5] = {
        key.s0 & 0x3ffffff,
        (key.s0 >> 26 | key.s1 << 6) & 0x3ffff03,
        (key.s1 >> 20 | key.s2 << 12) & 0x3ffc0ff,
        (key.s2 >> 14 | key.s3 << 18) & 0x3f03fff,
        (key.s3 >> 8) & 0x00fffff,
    };
    uint h[5] = {0, 0, 0, 0, 0};
    uint at = starts[id];
    const uint end = starts[id + 1];
    for (; at + BLOCK <= end; at += BLOCK) absorb(as_uint4(vload16(0, bytes + at)), 1, r, h);
    if (at < end) {
        uchar rest[BLOCK];
        for (uint i = 0; i < BLOCK; i++) rest[i] = at + i < end ? bytes[at + i] : at + i == end;
        absorb(as_uint4(vload16(0, rest)), 0, r, h);
    }

    const uint4 sum = reduced(h);
    ulong word = (ulong)sum.x + key.s4;
    uint4 tag;
    tag.x = (uint)word;
    word = (word >> 32) + sum.y + key.s5;
    tag.y = (uint)word;
    word = (word >> 32) + sum.z + key.s6;
    tag.z = (uint)word;
    word = (word >> 32) + sum.w + key.s7;
    tag.w = (uint)word;
    tags[id] = tag;
}

#define BITS 64
#define LANES 32 /* blocks of an item: one in each bit of a word */
#define ROUNDS 31

/* Rows become columns: afterwards bit i of word k is what bit k of word i was. */
void turn_bits(uint *words)
{
    uint mask = 0x0000ffff;
    for (int apart = 16; apart != 0; apart >>= 1, mask ^= mask << apart) {
        for (int k = 0; k < LANES; k = ((k | apart) + 1) & ~apart) {
            const uint change = ((words[k] >> apart) ^ words[k | apart]) & mask;
            words[k] ^= change << apart;
            words[k | apart] ^= change;
        }
    }
}

/* The table of the cipher as a formula; `bits` has the lowest bit of four first. */
void substitute(uint *bits)
{
    uint a = bits[1] ^ bits[2], b = bits[2] & a;
    const uint c = bits[3] ^ b, lowest = bits[0] ^ c;
    b = a & c;
    a ^= lowest;
    b ^= bits[2];
    const uint second = a ^ (bits[0] | b);
    b ^= ~bits[0];
    bits[3] = second ^ b;
    bits[2] = c ^ (b | a);
    bits[1] = second;
    bits[0] = lowest;
}

/* Each item encrypts 32 blocks in counter mode by the cipher PRESENT: word k of its state has bit k
 * of all of them. */
__kernel void present_slices(__constant ulong *round_keys, const ulong nonce,
                             __global const uint2 *plain, __global uint2 *secret)
{
    __private uint state[BITS], next[BITS];
    const ulong first = nonce + get_global_id(0) * LANES; /* a multiple of 32 */
    state[0] = 0xaaaaaaaa;
    state[1] = 0xcccccccc;
    state[2] = 0xf0f0f0f0;
    state[3] = 0xff00ff00;
    state[4] = 0xffff0000;
    for (int k = 5; k < BITS; k++) state[k] = -(uint)(first >> k & 1);

    for (int round = 0; round < ROUNDS; round++) {
        const ulong key = round_keys[round];
        for (int k = 0; k < BITS; k++) state[k] ^= -(uint)(key >> k & 1);
        for (int k = 0; k < BITS; k += 4) substitute(state + k);
        for (int k = 0; k < BITS; k++) next[k / 4 + k % 4 * 16] = state[k];
        for (int k = 0; k < BITS; k++) state[k] = next[k];
    }
    const ulong key = round_keys[ROUNDS];
    for (int k = 0; k < BITS; k++) state[k] ^= -(uint)(key >> k & 1);

    turn_bits(state);
    turn_bits(state + LANES);
    plain += get_global_id(0) * LANES;
    secret += get_global_id(0) * LANES;
    for (int k = 0; k < LANES; k++) secret[k] = plain[k] ^ (uint2)(state[k], state[k + LANES]);
}

#define WORDS 624
#define AHEAD 397
#define TWISTERS 128

uint twisted(const uint high, const uint low)
{
    const uint both = (high & 0x80000000) | (low & 0x7fffffff);
    return both >> 1 ^ (low & 1 ? 0x9908b0df : 0);
}

uint tempered(uint word)
{
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680;
    word ^= word << 15 & 0xefc60000;
    return word ^ word >> 18;
}

/* A work-group goes on with a stream of the Mersenne twister, turn by turn; two words become two
 * normal numbers. What a word is made of may be as new as the word 227 before it, so a turn takes
 * three steps. */
__kernel __attribute__((reqd_work_group_size(TWISTERS, 1, 1)))
void twister_normals(__global const uint *states, const int turns, __global float2 *normals)
{
    __local uint first[WORDS], second[WORDS];

    const int lid = get_local_id(0), stream = get_group_id(0);
    __local uint *from = first, *to = second;
    for (int i = lid; i < WORDS; i += TWISTERS) from[i] = states[stream * WORDS + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int turn = 0; turn < turns; turn++) {
        const int step = WORDS - AHEAD;
        for (int i = lid; i < step; i += TWISTERS) {
            to[i] = from[i + AHEAD] ^ twisted(from[i], from[i + 1]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = step + lid; i < 2 * step; i += TWISTERS) {
            to[i] = to[i - step] ^ twisted(from[i], from[i + 1]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 2 * step + lid; i < WORDS; i += TWISTERS) {
            to[i] = to[i - step] ^ twisted(from[i], i + 1 < WORDS ? from[i + 1] : to[0]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        __global float2 *out = normals + (turn * get_num_groups(0) + stream) * (WORDS / 2);
        for (int i = lid; i < WORDS / 2; i += TWISTERS) {
            const float share = ((tempered(to[2 * i]) >> 8) + 1) * 0x1p-24f;
            const float angle = (tempered(to[2 * i + 1]) >> 8) * (2.0f * M_PI_F * 0x1p-24f);
            out[i] = sqrt(-2.0f * log(share)) * (float2)(native_cos(angle), native_sin(angle));
        }
        __local uint *other = from;
        from = to;
        to = other;
    }
}
