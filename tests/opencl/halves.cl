// Numbers of 16 bits: by themselves, in vectors, through memory, and by a whole work-group.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// run 48 / 8 16: out float 48, in float 48, in float 48
kernel void half_arithmetic(global float *out, global const float *a, global const float *b) {
    int g = get_global_id(0);
    half x = (half)a[g], y = (half)b[g], z = y == 0.0h ? 1.0h : y;
    out[g] = x + y * 3.0h - x / z + (x < y ? x : -y) + fma(x, y, z) + fabs(x) + floor(y * 0.3h) + sqrt(fabs(x * y));
}

// Sums in one half, loop by loop.
// run 48 / 8 16: out ushort 48, in float 48
kernel void half_sums(global ushort *out, global const float *in) {
    int g = get_global_id(0);
    half sum = 0.0h, product = 1.0h;
    for (int i = 0; i < 48; i++) {
        sum += (half)in[(g + i) % 48] * 0.125h;
        product *= 1.0h + (half)(i & g) * 0.01h;
    }
    out[g] = as_ushort(sum) ^ as_ushort(product);
}

// run 48 / 8 16: out ushort 192, out ushort 144, in float 48, in float 48
kernel void half_vectors(global half4 *out, global half *three, global const float *a, global const float *b) {
    int g = get_global_id(0);
    half4 v = (half4)((half)a[g], (half)b[g], (half)g, 2.0h), w = v.wzyx * v + 0.5h;
    out[g] = select(v, w, isless(v, w)) + convert_half4(convert_int4_rtp(w)) + max(v, w.yxwz);
    vstore3(v.xyz * 1.5h - w.zzz, g, three);
}

// run 48 / 8 16: out ushort 48, in double 48
kernel void half_of_doubles(global ushort *out, global const double *in) {
    int g = get_global_id(0);
    double tie = 1.0 + ldexp(1.0, -11) + in[g] * ldexp(1.0, -60);
    half near = (half)tie, cut = convert_half_rtz(tie * in[g]);
    out[g] = as_ushort(near) + 3 * as_ushort(cut);
}

// run 64 / 8 16: out ushort 64, in int 64
kernel void half_collectives(global ushort *out, global const int *in) {
    half x = (half)in[get_global_id(0)];
    out[get_global_id(0)] = as_ushort(work_group_reduce_max(x)) + 3 * as_ushort(work_group_scan_inclusive_add(x * 0.125h))
                            + 5 * as_ushort(work_group_broadcast(x, 2)) + 7 * as_ushort(work_group_scan_exclusive_min(x));
}
