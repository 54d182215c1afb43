/* Whole numbers and letters: a hash, an alignment, a search in a text. */

__constant uint round_constant[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u};

uint sum0_of(uint x) { return rotate(x, 30u) ^ rotate(x, 19u) ^ rotate(x, 10u); }
uint sum1_of(uint x) { return rotate(x, 26u) ^ rotate(x, 21u) ^ rotate(x, 7u); }
uint small0_of(uint x) { return rotate(x, 25u) ^ rotate(x, 14u) ^ (x >> 3); }
uint small1_of(uint x) { return rotate(x, 15u) ^ rotate(x, 13u) ^ (x >> 10); }

/* The SHA-256 digest of each record of 32 bytes, in words: one block with its padding. */
__kernel void sha256_records(uint records, __global const uint *in, __global uint *out) {
    uint record = get_global_id(0);
    if (record >= records) {
        return;
    }
    uint w[16];
    for (int i = 0; i < 8; i++) {
        w[i] = in[record * 8 + i];
        w[8 + i] = 0;
    }
    w[8] = 0x80000000u;
    w[15] = 256;
    const uint start[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                     0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
    uint s[8];
    for (int i = 0; i < 8; i++) {
        s[i] = start[i];
    }
    for (int round = 0; round < 64; round++) {
        if (round >= 16) {
            w[round & 15] += small0_of(w[(round + 1) & 15]) + w[(round + 9) & 15] + small1_of(w[(round + 14) & 15]);
        }
        uint t1 = s[7] + sum1_of(s[4]) + bitselect(s[6], s[5], s[4]) + round_constant[round] + w[round & 15];
        uint t2 = sum0_of(s[0]) + bitselect(s[0], s[1], s[2] ^ s[0]);
        for (int i = 7; i > 0; i--) {
            s[i] = s[i - 1];
        }
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) {
        out[record * 8 + i] = start[i] + s[i];
    }
}

#define LONGEST 128

/* The best local alignment of a query with each text: a group has a text, an item a letter of the query, and all
 * go down the diagonals together. A gap costs 2 a letter. */
__kernel void smith_waterman(int query_length, int text_length, __global const uchar *query,
                             __global const uchar *texts, __global int *best) {
    __local int line[3][LONGEST + 1];
    __local int greatest[LONGEST];
    const int item = get_local_id(0);
    __global const uchar *text = texts + get_group_id(0) * text_length;
    int mine = 0;
    for (int i = 0; i < 3; i++) {
        line[i][item + 1] = 0;
        if (item == 0) {
            line[i][0] = 0;
        }
    }
    const uchar letter = item < query_length ? query[item] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 0; step < query_length + text_length - 1; step++) {
        __local int *now = line[step % 3];
        __local const int *before = line[(step + 2) % 3];
        __local const int *two_before = line[(step + 1) % 3];
        const int at = step - item;
        if (item < query_length && at >= 0 && at < text_length) {
            int straight = two_before[item] + (letter == text[at] ? 3 : -3);
            int gap = max(before[item], before[item + 1]) - 2;
            int score = max(0, max(straight, gap));
            now[item + 1] = score;
            mine = max(mine, score);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    greatest[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = LONGEST / 2; half_of > 0; half_of /= 2) {
        if (item < half_of) {
            greatest[item] = max(greatest[item], greatest[item + half_of]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        best[get_group_id(0)] = greatest[0];
    }
}

#define PATTERNS 6

/* How often each of several patterns is in a text: counted by group in local memory, then for all. `start` has where
 * each pattern begins in `letters`, and the end of the last. */
__kernel void pattern_count(uint length, __global const char *text, __constant char *letters, __constant uint *start,
                            __global uint *count) {
    __local uint found[PATTERNS];
    if (get_local_id(0) < PATTERNS) {
        found[get_local_id(0)] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = get_global_id(0); at < length; at += get_global_size(0)) {
        for (uint p = 0; p < PATTERNS; p++) {
            uint letters_of = start[p + 1] - start[p];
            if (at + letters_of > length) {
                continue;
            }
            uint same = 0;
            while (same < letters_of && text[at + same] == letters[start[p] + same]) {
                same++;
            }
            if (same == letters_of) {
                atomic_inc(&found[p]);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < PATTERNS && found[get_local_id(0)] > 0) {
        atomic_add(&count[get_local_id(0)], found[get_local_id(0)]);
    }
}
