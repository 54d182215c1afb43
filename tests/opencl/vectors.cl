// Vector types: arithmetic, swizzles, comparisons, selection, loads and stores, in and across branches.

// run 32 / 8 16: out float4 32, in float4 32
kernel void arithmetic(global float4 *out, global const float4 *in) {
    float4 v = in[get_global_id(0)];
    out[get_global_id(0)] = v * 2.0f + v.wzyx - (float4)(1, 2, 3, 4);
}

// run 32 / 8 16: out int4 32, in int4 32
kernel void swizzles(global int4 *out, global const int4 *in) {
    int4 v = in[get_global_id(0)], r;
    r.xy = v.zw;
    r.zw = v.yx;
    r.odd += v.even;
    r.s0 -= v.s3;
    r.hi = r.lo * v.hi;
    out[get_global_id(0)] = r;
}

// run 32 / 8 16: out int4 32, in int4 32
kernel void comparisons(global int4 *out, global const int4 *in) {
    int4 v = in[get_global_id(0)], w = v.wzyx;
    out[get_global_id(0)] = (v < w) + (v == w) * 2 + (v >= 10) * 4 + ((v > 0) & (w > 0)) * 8 + (!v) * 16;
}

// run 32 / 8 16: out float4 32, in float4 32
kernel void ternary(global float4 *out, global const float4 *in) {
    float4 v = in[get_global_id(0)];
    out[get_global_id(0)] = v > v.yzwx ? v : -v.yzwx;
}

// run 32 / 8 16: out int 32, in int8 32
kernel void eight(global int *out, global const int8 *in) {
    int8 v = in[get_global_id(0)] * 3;
    int4 w = v.lo + v.hi;
    int2 x = w.even - w.odd;
    out[get_global_id(0)] = x.x * 7 + x.y;
}

// run 16 / 8 16: out int16 16, in int16 16
kernel void sixteen(global int16 *out, global const int16 *in) {
    int16 v = in[get_global_id(0)];
    v.s0123 = v.sfedc;
    v.odd = v.odd ^ v.even;
    out[get_global_id(0)] = v.sFEDCBA9876543210 + v;
}

// run 32 / 8 16: out float 96, in float 96
kernel void three(global float *out, global const float *in) {
    int g = get_global_id(0);
    float3 v = vload3(g, in);
    vstore3(cross(v, v.zxy + 1.0f), g, out);
}

// run 16 / 8 16: out float 64, in float 64
kernel void vload_vstore(global float *out, global const float *in) {
    int g = get_global_id(0);
    float2 a = vload2(g, in), b = vload2(g + 16, in);
    vstore4((float4)(a, b), g, out);
}

// run 16 / 8 16: out uchar16 16, in uchar16! 16
kernel void bytes(global uchar16 *out, global const uchar16 *in) {
    uchar16 v = in[get_global_id(0)];
    out[get_global_id(0)] = (v >> (uchar)3) + (v << (uchar)1) ^ v.s5555555555555555;
}

// run 32 / 8 16: out short8 32, in short8 32
kernel void shorts(global short8 *out, global const short8 *in) {
    short8 v = in[get_global_id(0)];
    out[get_global_id(0)] = v * (short8)(1, 2, 3, 4, 5, 6, 7, 8);
}

// run 32 / 8 16: out long2 32, in long2 32
kernel void longs(global long2 *out, global const long2 *in) {
    long2 v = in[get_global_id(0)];
    out[get_global_id(0)] = (v ^ v.yx) + (v >> 7) * 3;
}

// run 32 / 8 16: out double4 32, in double4 32
kernel void doubles(global double4 *out, global const double4 *in) {
    double4 v = in[get_global_id(0)];
    out[get_global_id(0)] = v * v.x + fmax(v, v.yzwx) - floor(v);
}

// run 32 / 8 16: out float4 32, in float4 32, in int 32
kernel void in_branches(global float4 *out, global const float4 *in, global const int *how) {
    int g = get_global_id(0);
    float4 v = in[g];
    if (how[g] > 0) v.xy = v.zw * 2.0f; else if (how[g] < -50) v = (float4)(g);
    out[g] = v;
}

// run 32 / 8 16: out float4 32, in float4 32
kernel void in_loops(global float4 *out, global const float4 *in) {
    int g = get_global_id(0);
    float4 sum = 0.0f;
    for (int i = 0; i < 5 + (g & 3); i++) sum = sum * 0.5f + in[(g + i) % 32];
    out[g] = sum;
}

// run 32 / 8 16: out float4 32, in float4 32
kernel void across_barriers(global float4 *out, global const float4 *in) {
    local float4 t[64];
    int l = get_local_id(0), g = get_global_id(0);
    float4 v = in[g];
    t[l] = v.yzwx;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 w = t[l ^ 1] + v;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = w;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 2] * w - v;
}

// run 32 / 8 16: out int3 32, in int3 32
kernel void threes_in_memory(global int3 *out, global const int3 *in) {
    int3 v = in[get_global_id(0)];
    out[get_global_id(0)] = v.zyx + v;
    // What a vector of three leaves in the room of a fourth element is not said.
    ((global int *)&out[get_global_id(0)])[3] = 0;
}

// run 32 / 8 16: out int 32, in int4 32
kernel void any_all(global int *out, global const int4 *in) {
    int4 v = in[get_global_id(0)];
    out[get_global_id(0)] = any(v > 50) + 2 * all(v > -90) + 4 * any(v == v.yxwz);
}

// run 32 / 8 16: out int4 32, in int4 32, in int4 32
kernel void select_by_vector(global int4 *out, global const int4 *a, global const int4 *b) {
    int g = get_global_id(0);
    out[g] = select(a[g], b[g], a[g] > b[g]) + select(a[g], b[g], (int4)(-1, 0, -1, 0)) * 3;
}

// run 32 / 8 16: out int4 32, in int4 32
kernel void shuffles(global int4 *out, global const int4 *in) {
    int4 v = in[get_global_id(0)];
    uint4 mask = (uint4)(3, 0, 2, get_global_id(0) & 3);
    out[get_global_id(0)] = shuffle(v, mask) + shuffle2(v, v * 2, mask + (uint4)(4, 0, 1, 2));
}

// run 32 / 8 16: out float4 32, in int4 32
kernel void converted(global float4 *out, global const int4 *in) {
    int4 v = in[get_global_id(0)];
    out[get_global_id(0)] = convert_float4(v) * 0.25f + convert_float4(convert_char4(v & 127)) + convert_float4(as_float4(v | 0x3f800000) > 1.5f);
}

// run 32 / 8 16: out int 32, in int 128
kernel void element_by_variable(global int *out, global const int *in) {
    int g = get_global_id(0);
    int4 v = vload4(g, in);
    int r = 0;
    for (int i = 0; i < 4; i++) r = r * 5 + ((private int *)&v)[(i + g) & 3];
    out[g] = r;
}

// run 32 / 8 16: out float2 32, in float2 32, value int 20
kernel void complex_iteration(global float2 *out, global const float2 *in, int n) {
    int g = get_global_id(0);
    float2 c = in[g] * 0.25f, z = 0.0f;
    for (int i = 0; i < n && z.x * z.x + z.y * z.y < 4.0f; i++) z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
    out[g] = z;
}

float4 blend(float4 a, float4 b, float by) { return a + (b - a) * by; }

// run 32 / 8 16: out float4 32, in float4 32, value float 0.25
kernel void passed_by_value(global float4 *out, global const float4 *in, float by) {
    int g = get_global_id(0);
    out[g] = blend(in[g], in[31 - g], by);
}

// run 32 / 8 16: out float16 32, in float16 32
kernel void element_by_element(global float16 *out, global const float16 *in) {
    size_t i = get_global_id(0);
    float16 x = in[i], r;
    for (int j = 0; j < 16; j++)
        r[j] = x[j];
    out[i] = r;
}

// run 32 / 8 16: out float16 32, in float16 32, value int 16
kernel void some_elements(global float16 *out, global const float16 *in, int n) {
    size_t i = get_global_id(0);
    float16 x = in[i], r = x + 1;
    for (int j = 0; j < n; j++)
        r[j] = x[j] * 2;
    out[i] = r;
}

// run 32 / 8 16: out float 512, in float 512
kernel void elements_of_sixteen(global float *out, global const float *in) {
    size_t i = get_global_id(0);
    float16 x = vload16(i, in), r;
    for (int j = 0; j < 16; j++)
        r[j] = x[j];
    vstore16(r, i, out);
}

// run 32 / 8 16: out float 512, in float 512, value int 16
kernel void counted_elements(global float *out, global const float *in, int n) {
    size_t i = get_global_id(0);
    float16 x = vload16(i, in), r;
    for (int j = 0; j < n; j++)
        r[j] = x[j];
    vstore16(r, i, out);
}

// run 32 / 1 8 32: out uint16 32, in uint16 32, value int 5
kernel void rounds_of_sixteen(global uint16 *out, global const uint16 *in, int rounds) {
    uint16 a = in[get_global_id(0)], b = a.sFEDCBA9876543210;
    for (int k = 0; k < rounds; k++) {
        a = rotate(a, (uint16)(7)) + (b ^ (a | ~(b + (uint)k)));
        b = rotate(b + a, (uint16)(k + 1));
    }
    out[get_global_id(0)] = a ^ b;
}

// run 16 / 1 8 16: out float16 16, in float16 16, local float 256
kernel void sixteen_behind_a_barrier(global float16 *out, global const float16 *in, local float *all) {
    int g = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    float16 v = in[g] * 2.0f, sum = v;
    for (int k = 0; k < 3; k++) {
        vstore16(sum, l, all);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += vload16((l + 1) % n, all);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum - v;
}

// run 16 / 1 16: out int 16, in int 16
kernel void columns_of_one_item(global int *out, global const int *in) {
    int sum = 0;
    for (int k = 0; k < 16; k++)
        for (int j = 0; j <= k % 3; j++)
            sum = sum * 3 + in[(k * 16 + j + get_global_id(0)) % 16];
    out[get_global_id(0)] = sum;
}

// run 256 / 64 16: inout float4 256, out float 256, value int 1
kernel void parts_around_a_store(global float4 *x, global float *out, int c) {
    size_t i = get_global_id(0);
    float first = x[i].x;
    ((global float *)x)[4 * i + c] = 7;
    float second = x[i].y;
    out[i] = first * 100.0f + second;
}

// run 256 / 64 16: inout int2 256, out int 256, value int 1
kernel void parts_of_two(global int2 *x, global int *out, int c) {
    size_t i = get_global_id(0);
    int first = x[i].x;
    ((global int *)x)[2 * i + c] = 7;
    int second = x[i].y;
    out[i] = first * 100 + second;
}

// run 256 / 64 16: inout short 2048, out int 256, value int 5
kernel void parts_of_eight(global short *x, global int *out, int c) {
    size_t i = get_global_id(0);
    short8 first = vload8(i, x);
    x[8 * i + c] = 7;
    short8 second = vload8(i, x);
    out[i] = first.s0 * 100 + second.s5;
}

// run 256 / 64 16: inout float4 1024, out float 256, value int 1, value int 4
kernel void parts_in_steps(global float4 *x, global float *out, int c, int n) {
    size_t i = get_global_id(0), w = get_global_size(0);
    float sum = 0;
    for (int k = 0; k < n; k++) {
        float first = x[k * w + i].x;
        ((global float *)x)[4 * (k * w + i) + c] = 7.0f;
        float second = x[k * w + i].y;
        sum += first * 100.0f + second;
    }
    out[i] = sum;
}

// run 256 / 64 16: inout float4 512, out float 256, value int 1
kernel void parts_of_a_choice(global float4 *x, global float *out, int c) {
    size_t i = get_global_id(0);
    global float *base = (global float *)x + (c > 3 ? 1024 : c < 0 ? 5 : 0);
    float first = base[4 * i];
    ((global float *)x)[4 * i + c] = 7.0f;
    float second = base[4 * i + 1];
    out[i] = first * 100.0f + second;
}

// run 256 / 64 16: inout float 2048, out float 256, in uint 1, value int 1
kernel void parts_behind_an_index(global float *x, global float *out, global const uint *in, int c) {
    size_t i = get_global_id(0);
    float first = x[4 * i + (in[0] & 3)];
    x[4 * i + ((in[0] & 3) + c)] = 7.0f;
    float second = x[4 * i + (in[0] & 3) + 1];
    out[i] = first * 100.0f + second;
}

// run 64 / 16 64 13: out float4 64, in float4 64, in float4 64, value uint 9
kernel void vectors_that_wrap_around(global float4 *out, global const float4 *x, global const float4 *filter, uint n) {
    uint g = get_global_id(0);
    float4 sum = (float4)(0.0f);
    for (uint k = 0; k < n; k++)
        if (x[g].x > k)
            sum += x[(g + k) % 64] * filter[k * 7 + g % n % 5];
    out[63 - g] = sum + filter[g % n];
}

// run 64 / 16 64 13: inout float4 64, inout double2 64, inout uint4 64, inout uchar16 64, in int 64
kernel void vectors_to_anywhere(global float4 *a, global double2 *b, global uint4 *c, global uchar16 *d, global const int *in) {
    int g = get_global_id(0), at = (g * 37 + 5) % 64;
    float4 x = a[at];
    double2 y = b[at];
    uint4 z = c[at];
    uchar16 w = d[at];
    if (in[g] & 1) {
        a[at] = x.yxwz + (float)g;
        b[at] = y.yx * 2.0;
    }
    c[at] = z * 3 + (uint)g;
    d[at] = w + (uchar)g;
}

// run 90 / 45 30: in int 360, inout int 90, in float 180, inout float 360
kernel void components_by_number(global const int4 *in, global int *out, global const float2 *pairs, global float4 *quads) {
    int i = get_global_id(0);
    int4 all = in[i];
    for (int n = 0; n < 5; n++) {
        all[(out[i] + n) & 3] += n;
        out[i] ^= all[n & 3] + all[(i + n) & 3];
    }
    float4 quad = quads[i];
    quad[all.x & 3] = pairs[i][i & 1];
    if (all.y & 1) quad[i % 3] = quad[(uint)out[i] >> 30];
    quads[i] = quad;
}
