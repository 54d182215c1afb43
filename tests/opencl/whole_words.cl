// Short vectors whose bits are one number: words of hashes in two halves, colors that are compared as a whole.

#define TURN(x, by) as_uint2(rotate(as_ulong(x), (ulong)(by)))

// run 200 / 8 64 40: in uint2! 800, out uint2 200
kernel void hash(global const uint2 *in, global uint2 *out) {
    int i = get_global_id(0);
    uint2 a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2], d = in[4 * i + 3];
    for (int round = 0; round < 24; round++) {
        uint2 all = a ^ b ^ c ^ d ^ TURN(a, 1);
        a = TURN(b ^ all, 44);
        b = TURN(c ^ all, 32 + 21).yx;
        c = bitselect(d, a, all) ^ (uint2)(0x8082, 0x80000000);
        d = round & 1 ? TURN(d, 63) & ~all : d | TURN(all, round);
    }
    out[i] = a ^ b ^ c ^ d;
}

// run 96 / 16 32: inout uint2! 96
kernel void shared(global uint2 *words) {
    local uint2 rows[32];
    uint2 state[5];
    int i = get_local_id(0);
    for (int at = 0; at < 5; at++) state[at] = words[get_global_id(0)] ^ (uint2)(at, i);
    for (int round = 0; round < 20; round++) {
        rows[i] = TURN(state[round % 5], round) ^ state[(round + i) % 5];
        barrier(CLK_LOCAL_MEM_FENCE);
        state[(round * 3 + i) % 5] ^= rows[(i + 5) % get_local_size(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    words[get_global_id(0)] = state[0] ^ TURN(state[1], 7) ^ state[2] ^ TURN(state[3] & state[4], i);
}

// run 150 / 50 10: in uchar4! 150, out uint 150, value uint 77
kernel void colors(global const uchar4 *in, global uint *out, uint limit) {
    int i = get_global_id(0);
    uchar4 color = in[i];
    if (as_uint(color) % 3 == 0) return;
    for (uint n = 0; as_uint(color) > limit && n < 40; n++) color = as_uchar4(as_uint(color ^ (uchar4)(3)) - 9) & (uchar4)(127);
    out[i] = as_uint(color);
}

// run 150 / 50 10: in ushort4! 150, inout ulong 150
kernel void fields(global const ushort4 *in, global ulong *out) {
    int i = get_global_id(0);
    ushort4 mask = in[i].zwxy, sum = 0;
    for (int n = 0; n < 9; n++) {
        sum = (sum & mask).wxyz | ~mask;
        mask ^= as_ushort4(as_ulong(sum) * 5 + out[i]);
    }
    out[i] = as_ulong(sum);
}

// run 100 / 20: in uint! 100, out ulong 100
kernel void half_of_a_word(global const uint *in, global ulong *out) {
    int i = get_global_id(0);
    uint2 word;
    word.x = in[i];
    ulong low = 0;
    for (int n = 0; n < 5; n++) {
        word ^= as_uint2(rotate(as_ulong(word & (uint2)(-1, 0)), (ulong)n)) & (uint2)(-1, 0);
        low += as_ulong(word & (uint2)(-1, 0));
    }
    out[i] = low;
}
