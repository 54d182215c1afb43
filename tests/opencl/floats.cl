// Floating point: what must be exact, and functions whose results are compared within some units in the last place.

// run 48 / 8 16: out float 48, in float 48, in float 48
kernel void exact(global float *out, global const float *a, global const float *b) {
    int g = get_global_id(0);
    out[g] = fabs(a[g]) + floor(b[g]) * 2 + ceil(a[g]) * 4 + trunc(b[g]) + rint(a[g]) + round(b[g]);
}

// run 48 / 8 16: out float 48, in float 48, in float 48
kernel void fused(global float *out, global const float *a, global const float *b) {
    int g = get_global_id(0);
    out[g] = fma(a[g], b[g], a[g]) + copysign(b[g], a[g]) + fmin(a[g], b[g]) * fmax(a[g], b[g]);
}

// run 48 / 8 16: out float 48, in float 48
kernel void roots(global float *out, global const float *in) {
    float v = fabs(in[get_global_id(0)]) + 1.0f;
    out[get_global_id(0)] = sqrt(v) + 1.0f / v + v / 3.0f;
}

// run 48 / 8 16: out int 48, in float 48, in float 48
kernel void classify(global int *out, global const float *a, global const float *b) {
    int g = get_global_id(0);
    float zero = a[g] - a[g], q = a[g] / zero;
    out[g] = isnan(q) + isinf(q) * 2 + isfinite(a[g]) * 4 + signbit(b[g]) * 8 + isless(a[g], b[g]) * 16 + isunordered(q, b[g]) * 32;
}

// run 48 / 8 16: out float 48, in float 48
kernel void parts(global float *out, global const float *in) {
    int e;
    float whole, v = in[get_global_id(0)] * 1.7f;
    float m = frexp(v, &e), f = modf(v, &whole);
    out[get_global_id(0)] = m + e * 10 + f * 100 + whole * 1000 + ldexp(v, 3) + fdim(v, 1.0f);
}

// run 48 / 8 16: out float 48, in float 48, in float 48
kernel void remainders(global float *out, global const float *a, global const float *b) {
    int g = get_global_id(0), q;
    float d = b[g] == 0.0f ? 1.0f : b[g];
    out[g] = fmod(a[g] * 9, d) + remainder(a[g], d) * 10 + remquo(a[g], d, &q) * 100 + (q & 7);
}

// run 48 / 8 16 ulp 16: out float 48, in float 48
kernel void exponentials(global float *out, global const float *in) {
    float v = in[get_global_id(0)];
    out[get_global_id(0)] = exp(v) + exp2(v) * log(fabs(v) + 2.0f) + log2(fabs(v) + 3.0f);
}

// run 48 / 8 16 ulp 64: out float 48, in float 48
kernel void angles(global float *out, global const float *in) {
    float v = in[get_global_id(0)];
    out[get_global_id(0)] = 8.0f + sin(v) + cos(v) * 2 + atan2(v, 3.0f);
}

// run 48 / 8 16 ulp 16: out float 48, in float 48
kernel void powers(global float *out, global const float *in) {
    float v = fabs(in[get_global_id(0)]) + 0.5f;
    out[get_global_id(0)] = pow(v, 1.7f) + pown(v, 3) + rootn(v, 3) + powr(v, 0.3f);
}

// run 48 / 8 16 ulp 16: out double 48, in double 48
kernel void doubles(global double *out, global const double *in) {
    double v = in[get_global_id(0)];
    out[get_global_id(0)] = 4.0 + sin(v) + exp(v * 0.1) + sqrt(fabs(v)) + fma(v, v, 1.0);
}

// run 48 / 8 16 ulp 16: out float 48, in float 48
kernel void in_divergent_code(global float *out, global const float *in) {
    int g = get_global_id(0);
    float v = in[g];
    if (v > 0) out[g] = log(v + 1.0f); else if (v < -4.0f) out[g] = exp(v); else out[g] = sqrt(-v);
}

// run 48 / 8 16 ulp 64: out float 48, in float 48, value int 6
kernel void in_a_loop(global float *out, global const float *in, int n) {
    float v = in[get_global_id(0)], sum = 0.0f;
    for (int i = 0; i < n; i++) sum += exp(-fabs(v) * 0.1f * i);
    out[get_global_id(0)] = sum;
}

// run 48 / 8 16: out int 48, in float 48
kernel void to_integers(global int *out, global const float *in) {
    float v = in[get_global_id(0)] * 3.3f;
    out[get_global_id(0)] = convert_int(v) + convert_int_rte(v) * 10 + convert_int_rtp(v) * 100 + convert_int_rtn(v) * 1000 +
                            convert_uchar_sat(v) + convert_char_sat_rte(v * 20.0f);
}

// run 48 / 8 16: out float 48, in int! 48
kernel void from_integers(global float *out, global const int *in) {
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = convert_float(v) + convert_float_rtz((uint)v) * 0.5f + (float)((long)v * v);
}

// run 48 / 8 16: out uint 48, in float 48
kernel void same_bits(global uint *out, global const float *in) {
    uint v = as_uint(in[get_global_id(0)]);
    out[get_global_id(0)] = v ^ as_uint(as_float(v & 0x7fffffff)) >> 3;
}

// run 48 / 8 16: out float 48, in float 48, in float 48
kernel void common(global float *out, global const float *a, global const float *b) {
    int g = get_global_id(0);
    out[g] = mix(a[g], b[g], 0.25f) + step(a[g], b[g]) + clamp(a[g], -1.0f, 2.0f) + sign(b[g]) + smoothstep(-2.0f, 2.0f, a[g]) + degrees(0.5f);
}

// run 24 / 8 ulp 4: out float 24, in float4 24, in float4 24
kernel void geometry(global float *out, global const float4 *a, global const float4 *b) {
    int g = get_global_id(0);
    out[g] = dot(a[g], b[g]) + length(a[g]) + distance(a[g], b[g]) + normalize(a[g] + 9.0f).x + fast_length(b[g].xy) * 0.0f;
}

// run 24 / 8: out float 24, in float 24
kernel void halves(global float *out, global const float *in) {
    int g = get_global_id(0);
    ushort bits[4];
    private half *h = (private half *)bits;
    vstore_half(in[g], 1, h);
    vstore_half_rtz(in[g] * 1.001f, 2, h);
    out[g] = vload_half(1, h) + vload_half(2, h) * 16.0f;
}

// run 24 / 8 24: out float 24, in float 24, value int 24
kernel void sums_keep_their_order(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    float sum = 0.1f;
    for (int i = 0; i < n; i++) sum += in[i] * 0.3f + in[g] * 0.7f;
    out[g] = sum;
}

// run 24 / 8 24: out double 24, in double 24, value int 24
kernel void newton(global double *out, global const double *in, int n) {
    double v = fabs(in[get_global_id(0)]) + 0.5, x = v;
    for (int i = 0; i < n; i++) { double y = 0.5 * (x + v / x); if (y == x) break; x = y; }
    out[get_global_id(0)] = x;
}

// run 96 / 48 32 ulp 4: in float 96, in uint! 96, out float 1536, out uint 96
kernel void far_angles_change_nothing_else(global const float *x, global const uint *in, global float *sines, global uint *out) {
    int i = get_global_id(0);
    uint16 all = in[i] * (uint16)(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    float at = x[i];
    for (int n = 0; n < 16; n++) {
        sines[16 * i + n] = n & 1 ? sin(at) : rsqrt(at - 3);
        at *= i % 7 == 0 ? 19.0f : 1.25f;
        all = rotate(all, 5) ^ all.s123456789abcdef0;
    }
    uint8 folded = all.lo ^ all.hi;
    uint4 quarter = folded.lo + folded.hi;
    out[i] = quarter.x ^ quarter.y ^ quarter.z ^ quarter.w;
}
