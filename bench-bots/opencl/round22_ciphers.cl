/* Ciphers: keys that two sides agree on, a slow hash of passwords, tags that tell whether a message is as it was sent. */

#define LIMBS 8

/* Numbers modulo 2^255 - 19 are kept below 2^256. Adds 38 times a carry out of the highest word, as often as there is one. */
void add_carry(uint *number, ulong carry)
{
    carry *= 38;
    for (int i = 0; i < LIMBS; i++) {
        carry += number[i];
        number[i] = (uint)carry;
        carry >>= 32;
    }
    number[0] += 38 * (uint)carry;
}

void field_add(uint *sum, const uint *a, const uint *b)
{
    ulong carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (ulong)a[i] + b[i];
        sum[i] = (uint)carry;
        carry >>= 32;
    }
    add_carry(sum, carry);
}

void field_subtract(uint *difference, const uint *a, const uint *b)
{
    long borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        borrow += (long)a[i] - b[i];
        difference[i] = (uint)borrow;
        borrow >>= 32;
    }
    borrow *= 38;
    for (int i = 0; i < LIMBS; i++) {
        borrow += difference[i];
        difference[i] = (uint)borrow;
        borrow >>= 32;
    }
    difference[0] += 38 * (uint)borrow;
}

void field_multiply(uint *product, const uint *a, const uint *b)
{
    uint wide[2 * LIMBS];
    for (int i = 0; i < 2 * LIMBS; i++) wide[i] = 0;
    for (int i = 0; i < LIMBS; i++) {
        uint carry = 0;
        for (int k = 0; k < LIMBS; k++) {
            const ulong part = (ulong)a[i] * b[k] + wide[i + k] + carry;
            wide[i + k] = (uint)part;
            carry = part >> 32;
        }
        wide[i + LIMBS] = carry;
    }
    ulong carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (ulong)wide[i + LIMBS] * 38 + wide[i];
        product[i] = (uint)carry;
        carry >>= 32;
    }
    add_carry(product, carry);
}

void field_square_times(uint *number, const int times)
{
    for (int i = 0; i < times; i++) field_multiply(number, number, number);
}

void field_scale(uint *product, const uint *a, const uint factor)
{
    ulong carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (ulong)a[i] * factor;
        product[i] = (uint)carry;
        carry >>= 32;
    }
    add_carry(product, carry);
}

/* Swaps two numbers or not, without a branch. */
void field_swap(uint *a, uint *b, const uint is_swapped)
{
    for (int i = 0; i < LIMBS; i++) {
        const uint change = (a[i] ^ b[i]) & -is_swapped;
        a[i] ^= change;
        b[i] ^= change;
    }
}

/* The power 2^255 - 21, which is one over the number. */
void field_invert(uint *result, const uint *number)
{
    uint power[LIMBS], bits[LIMBS];
    for (int i = 0; i < LIMBS; i++) power[i] = bits[i] = number[i];
    for (int i = 1; i < 250; i++) { /* 250 one bits */
        field_square_times(power, 1);
        field_multiply(power, power, bits);
    }
    field_square_times(power, 2); /* then 01011 */
    field_multiply(power, power, bits);
    field_square_times(power, 2);
    field_multiply(power, power, bits);
    field_square_times(power, 1);
    field_multiply(result, power, bits);
}

/* The least number that is the same modulo 2^255 - 19. */
void field_reduce(uint *number)
{
    for (int round = 0; round < 2; round++) {
        ulong carry = 19 * (number[LIMBS - 1] >> 31);
        number[LIMBS - 1] &= 0x7fffffff;
        for (int i = 0; i < LIMBS; i++) {
            carry += number[i];
            number[i] = (uint)carry;
            carry >>= 32;
        }
    }
    uint less[LIMBS];
    ulong carry = 19;
    for (int i = 0; i < LIMBS; i++) {
        carry += number[i];
        less[i] = (uint)carry;
        carry >>= 32;
    }
    if (less[LIMBS - 1] >> 31) {
        for (int i = 0; i < LIMBS; i++) number[i] = less[i];
        number[LIMBS - 1] &= 0x7fffffff;
    }
}

/* Each item multiplies a point of Curve25519 by a secret number: Montgomery's ladder, a bit at a time. */
__kernel void x25519_ladder(__global const uint *secrets, __global const uint *points, const int count, __global uint *shared)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    uint secret[LIMBS], x1[LIMBS], x2[LIMBS], z2[LIMBS], x3[LIMBS], z3[LIMBS], a[LIMBS], b[LIMBS], c[LIMBS], d[LIMBS];
    for (int i = 0; i < LIMBS; i++) {
        secret[i] = secrets[id * LIMBS + i];
        x1[i] = points[id * LIMBS + i];
    }
    x1[LIMBS - 1] &= 0x7fffffff;
    secret[0] &= 0xfffffff8;
    secret[LIMBS - 1] = (secret[LIMBS - 1] & 0x7fffffff) | 0x40000000;
    for (int i = 0; i < LIMBS; i++) {
        x2[i] = z3[i] = i == 0;
        z2[i] = 0;
        x3[i] = x1[i];
    }
    uint last = 0;
    for (int bit = 254; bit >= 0; bit--) {
        const uint now = secret[bit >> 5] >> (bit & 31) & 1;
        field_swap(x2, x3, last ^ now);
        field_swap(z2, z3, last ^ now);
        last = now;
        field_add(a, x2, z2);
        field_subtract(b, x2, z2);
        field_add(c, x3, z3);
        field_subtract(d, x3, z3);
        field_multiply(d, d, a);
        field_multiply(c, c, b);
        field_add(x3, d, c);
        field_multiply(x3, x3, x3);
        field_subtract(z3, d, c);
        field_multiply(z3, z3, z3);
        field_multiply(z3, z3, x1);
        field_multiply(a, a, a);
        field_multiply(b, b, b);
        field_multiply(x2, a, b);
        field_subtract(c, a, b);
        field_scale(d, c, 121665);
        field_add(d, d, a);
        field_multiply(z2, c, d);
    }
    field_swap(x2, x3, last);
    field_swap(z2, z3, last);
    field_invert(z2, z2);
    field_multiply(x2, x2, z2);
    field_reduce(x2);
    for (int i = 0; i < LIMBS; i++) shared[id * LIMBS + i] = x2[i];
}

#define GROUP 8
#define BOX_WORDS 1024
#define KEY_WORDS 18

__constant uint text[6] = {0x4f727068, 0x65616e42, 0x65686f6c, 0x64657253, 0x63727944, 0x6f756274};

/* Blowfish: 16 rounds by four boxes of 256 words. */
uint2 encipher(const uint *keys, __local const uint *boxes, uint left, uint right)
{
    for (int i = 0; i < 16; i += 2) {
        left ^= keys[i];
        right ^= ((boxes[left >> 24] + boxes[256 + (left >> 16 & 255)]) ^ boxes[512 + (left >> 8 & 255)]) + boxes[768 + (left & 255)];
        right ^= keys[i + 1];
        left ^= ((boxes[right >> 24] + boxes[256 + (right >> 16 & 255)]) ^ boxes[512 + (right >> 8 & 255)]) + boxes[768 + (right & 255)];
    }
    return (uint2)(right ^ keys[17], left ^ keys[16]);
}

/* Makes all keys and boxes anew, from themselves and four words of salt. */
void expand(uint *keys, __local uint *boxes, const uint4 salt)
{
    uint2 pair = (uint2)(0);
    for (int i = 0; i < KEY_WORDS; i += 2) {
        pair ^= i % 4 == 0 ? salt.xy : salt.zw;
        pair = encipher(keys, boxes, pair.x, pair.y);
        keys[i] = pair.x;
        keys[i + 1] = pair.y;
    }
    for (int i = 0; i < BOX_WORDS; i += 2) {
        pair ^= i % 4 == 0 ? salt.zw : salt.xy;
        pair = encipher(keys, boxes, pair.x, pair.y);
        boxes[i] = pair.x;
        boxes[i + 1] = pair.y;
    }
}

/* Each item hashes a password as bcrypt does. Its boxes are in local memory. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void bcrypt_rounds(__global const uint *start, __global const uint *passwords, __global const uint4 *salts, const uint count,
                   const uint rounds, __global uint *hashes)
{
    __local uint all_boxes[GROUP][BOX_WORDS];

    const uint id = get_global_id(0);
    if (id >= count) return;
    __local uint *boxes = all_boxes[get_local_id(0)];
    uint password[KEY_WORDS], keys[KEY_WORDS];
    const uint4 salt = salts[id];
    for (int i = 0; i < KEY_WORDS; i++) {
        password[i] = passwords[id * KEY_WORDS + i];
        keys[i] = start[i] ^ password[i];
    }
    for (int i = 0; i < BOX_WORDS; i++) boxes[i] = start[KEY_WORDS + i];
    expand(keys, boxes, salt);
    const uint salt_words[4] = {salt.x, salt.y, salt.z, salt.w};
    for (uint round = 0; round < rounds; round++) {
        for (int i = 0; i < KEY_WORDS; i++) keys[i] ^= password[i];
        expand(keys, boxes, (uint4)(0));
        for (int i = 0; i < KEY_WORDS; i++) keys[i] ^= salt_words[i & 3];
        expand(keys, boxes, (uint4)(0));
    }
    for (int i = 0; i < 6; i += 2) {
        uint2 pair = (uint2)(text[i], text[i + 1]);
        for (int k = 0; k < 64; k++) pair = encipher(keys, boxes, pair.x, pair.y);
        hashes[id * 6 + i] = pair.x;
        hashes[id * 6 + i + 1] = pair.y;
    }
}

__constant ushort folded[16] = {0x0000, 0x1c20, 0x3840, 0x2460, 0x7080, 0x6ca0, 0x48c0, 0x54e0,
                                0xe100, 0xfd20, 0xd940, 0xc560, 0x9180, 0x8da0, 0xa9c0, 0xb5e0};

/* 16 bytes as two words, the first byte the highest. */
ulong2 words_of(const uchar16 bytes)
{
    return as_ulong2(bytes.s76543210fedcba98);
}

/* The product with the key, four bits at a time from the last ones. */
ulong2 ghash_product(const ulong2 value, __local const ulong2 *multiples)
{
    ulong2 sum = (ulong2)(0);
    for (int i = 0; i < 32; i++) {
        const uint bits = (i < 16 ? value.y >> 4 * i : value.x >> 4 * (i - 16)) & 15;
        const uint lost = sum.y & 15;
        sum.y = sum.y >> 4 | sum.x << 60;
        sum.x = sum.x >> 4 ^ (ulong)folded[lost] << 48;
        sum ^= multiples[bits];
    }
    return sum;
}

/* Each item makes the tag of a message as AES-GCM does, by products in a field of 2^128. */
__kernel void ghash_tags(__global const uchar *messages, __global const uint *starts, const uint count, const ulong2 key,
                         __global const ulong2 *masks, __global ulong2 *tags)
{
    __local ulong2 multiples[16];

    const uint id = get_global_id(0), lid = get_local_id(0);
    if (lid < 16) {
        ulong2 shifted = key, multiple = (ulong2)(0);
        for (uint bit = 8; bit > 0; bit >>= 1) {
            if (lid & bit) multiple ^= shifted;
            const ulong is_odd = shifted.y & 1;
            shifted = (ulong2)(shifted.x >> 1, shifted.y >> 1 | shifted.x << 63);
            if (is_odd) shifted.x ^= 0xe100000000000000UL;
        }
        multiples[lid] = multiple;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id >= count) return;

    __global const uchar *from = messages + starts[id];
    const uint length = starts[id + 1] - starts[id];
    ulong2 sum = (ulong2)(0);
    uint at = 0;
    for (; at + 16 <= length; at += 16) {
        sum = ghash_product(sum ^ words_of(vload16(0, from + at)), multiples);
    }
    if (at < length) {
        uchar last[16];
        for (int i = 0; i < 16; i++) last[i] = at + i < length ? from[at + i] : 0;
        sum = ghash_product(sum ^ words_of(vload16(0, last)), multiples);
    }
    sum = ghash_product(sum ^ (ulong2)(0, (ulong)length * 8), multiples);
    tags[id] = sum ^ masks[id];
}
