// Integer arithmetic and builtins of all widths.

// run 48 / 8 16: out int 48, in int 48, in int 48
kernel void divide(global int *out, global const int *a, global const int *b) {
    int g = get_global_id(0), d = b[g] == 0 ? 1 : b[g];
    out[g] = a[g] / d * 1000 + a[g] % d;
}

// Divisors of all magnitudes, in all lanes of a vector.
// run 96 / 8 48: out int 96, out uint 96, in int! 96, in int! 96
kernel void divide_any(global int *out, global uint *other, global const int *a, global const int *b) {
    int g = get_global_id(0), d = b[g] >> (g % 31) | 1;
    uint e = (uint)b[g] >> (g % 31) | 1;
    out[g] = a[g] / d ^ a[g] % d << 3;
    other[g] = (uint)a[g] / e ^ (uint)a[g] % e << 3;
}

// run 48 / 8 16: out int 48, in int 48, in int 48
kernel void divide_guarded(global int *out, global const int *a, global const int *b) {
    int g = get_global_id(0);
    if (b[g] > 20) out[g] = a[g] * 100 / (b[g] - 20); else out[g] = -1;
}

// run 48 / 8 16: out uint 48, in uint! 48, in uint! 48
kernel void bits(global uint *out, global const uint *a, global const uint *b) {
    int g = get_global_id(0);
    out[g] = (a[g] & b[g]) ^ (a[g] | ~b[g]) + (a[g] << (b[g] & 31)) - (a[g] >> (b[g] & 31));
}

// run 48 / 8 16: out uint 48, in uint! 48
kernel void counts(global uint *out, global const uint *in) {
    uint v = in[get_global_id(0)];
    out[get_global_id(0)] = popcount(v) + clz(v >> (v & 15)) * 100 + ctz(v | 1u << 20) * 10000;
}

// run 48 / 8 16: out uint 48, in uint! 48, in uint! 48
kernel void high_parts(global uint *out, global const uint *a, global const uint *b) {
    int g = get_global_id(0);
    out[g] = mul_hi(a[g], b[g]) + rotate(a[g], b[g]) * 3 + mad_hi(a[g], b[g], 7u) + hadd(a[g], b[g]) + rhadd(a[g], b[g]);
}

// run 48 / 8 16: out int 48, in int! 48, in int! 48
kernel void saturated(global int *out, global const int *a, global const int *b) {
    int g = get_global_id(0);
    out[g] = add_sat(a[g], b[g]) ^ sub_sat(a[g], b[g]) ^ mad_sat(a[g], 3, b[g]);
}

// run 48 / 8 16: out char 48, in char! 48, in char! 48
kernel void saturated_chars(global char *out, global const char *a, global const char *b) {
    int g = get_global_id(0);
    out[g] = add_sat(a[g], b[g]) ^ sub_sat(b[g], a[g]);
}

// run 48 / 8 16: out int 48, in int 48, in int 48
kernel void limits(global int *out, global const int *a, global const int *b) {
    int g = get_global_id(0);
    out[g] = min(a[g], b[g]) * 1000 + max(a[g], b[g]) + clamp(a[g], -10, 10) * 7 + (int)abs_diff(a[g], b[g]);
}

// run 48 / 8 16: out long 48, in long! 48, in long! 48
kernel void longs(global long *out, global const long *a, global const long *b) {
    int g = get_global_id(0);
    out[g] = (long)((ulong)a[g] * (ulong)b[g]) ^ mul_hi(a[g], b[g]) ^ a[g] >> (b[g] & 63) ^ max(a[g], b[g]);
}

// run 48 / 8 16: out ulong 48, in uint! 48, in uint! 48
kernel void widen(global ulong *out, global const uint *a, global const uint *b) {
    int g = get_global_id(0);
    out[g] = (ulong)a[g] * b[g] + upsample(a[g], b[g]);
}

// run 48 / 8 16: out int 48, in int 48
kernel void narrow(global int *out, global const int *in) {
    int v = in[get_global_id(0)] * 12345;
    out[get_global_id(0)] = (char)v + (uchar)v * 3 + (short)v * 5 + (ushort)v * 7;
}

// run 48 / 8 16: out int 48, in int 48
kernel void mul24_mad24(global int *out, global const int *in) {
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = mul24(v, v - 5) + mad24(v, 3, 100);
}

// run 48 / 8 16: out uint 48, in uint! 48
kernel void hash_loop(global uint *out, global const uint *in) {
    uint v = in[get_global_id(0)];
    for (int i = 0; i < 8; i++) { v ^= v << 13; v ^= v >> 17; v ^= v << 5; v += in[i]; }
    out[get_global_id(0)] = v;
}

// run 48 / 8 16: out int 48, in short! 48, in uchar! 48
kernel void mixed_widths(global int *out, global const short *a, global const uchar *b) {
    int g = get_global_id(0);
    out[g] = a[g] * b[g] + (a[g] > b[g]) - (short)(a[g] + b[g]);
}

// run 48 / 8 16: out int 48, in int 48
kernel void bool_values(global int *out, global const int *in) {
    bool p = in[get_global_id(0)] > 0, q = in[47 - get_global_id(0)] > 0;
    out[get_global_id(0)] = p + (p ^ q) * 2 + (p && !q) * 4 + (p | q) * 8;
}

// run 24 / 8: out uint 24, in uint 24, value uint 97
kernel void power_modulo(global uint *out, global const uint *in, uint m) {
    uint b = in[get_global_id(0)] % m, e = get_global_id(0), r = 1;
    while (e) { if (e & 1) r = r * b % m; b = b * b % m; e >>= 1; }
    out[get_global_id(0)] = r;
}

// run 24 / 8: out uint 24, in uint 24
kernel void greatest_divisor(global uint *out, global const uint *in) {
    uint a = in[get_global_id(0)] + 1, b = in[23 - get_global_id(0)] + 1;
    while (b) { uint t = a % b; a = b; b = t; }
    out[get_global_id(0)] = a;
}

// run 64 / 8 16: out uint 64, in uint! 64, in uint! 64
kernel void fields(global uint *out, global const uint *a, global const uint *b) {
    int g = get_global_id(0);
    uint offset = a[g] % 20, count = b[g] % 13;
    out[g] = bitfield_insert(a[g], b[g], offset, count) ^ bit_reverse(b[g]) ^ bitfield_extract_unsigned(b[g], offset, count)
             ^ bitfield_extract_signed(as_short2(a[g]).y, 3, count) ^ bit_reverse(as_uchar4(b[g])).z;
}

// run 64 / 8 16: out int 64, in uint! 64, in uint! 64
kernel void byte_products(global int *out, global const uint *a, global const uint *b) {
    int g = get_global_id(0), sum = dot_4x8packed_us_int(a[g], b[g]);
    for (int i = 0; i < 20; i++)
        sum = dot_acc_sat(as_char4(a[(g + i) % 64]), as_char4(b[i]), sum);
    out[g] = sum + dot(as_uchar4(a[g]), as_uchar4(b[g]));
}

// run 64 / 8 16 13: out uint 256, in uint! 64, in uint! 64, value int 4
kernel void quotients_in_loops(global uint *out, global const uint *a, global const uint *b, int n) {
    int g = get_global_id(0);
    uint sum = 0;
    for (int i = 0; i < n; i++) {
        uint x = a[(g + i) % 64], y = b[(g * 3 + i) % 64] >> (g % 32);
        sum = sum * 31 + x / y;
        sum = sum * 31 + x % y;
        if (x & 1)
            sum = sum * 31 + (x | 0x80000000) / (y & 1);
        if (y & 2)
            sum = sum * 31 + (uint)((int)x / (int)y) + (uint)((int)x % ((int)y >> 3));
        out[g * n + i] = sum + x / (uint)n + x % 7 + (uint)((int)x / -5);
    }
}

// run 128 / 16 128: out int 128, in int 160, value uint 9, value uint 5
kernel void places_of_one_number(global int *out, global const int *in, uint fours, uint width) {
    uint place = get_global_id(0);
    int c = place % fours, x = place / fours % width, y = place / (fours * width), sum = 0;
    for (int dy = -1; dy <= 1; dy++) {
        if (y + dy < 0 || y + dy >= 3) continue;
        for (int dx = -1; dx <= 1; dx++) {
            if (x + dx < 0 || x + dx >= (int)width) continue;
            sum = sum * 3 + in[((y + dy) * (int)width + x + dx) * (int)fours + c];
        }
    }
    out[place] = sum;
}
