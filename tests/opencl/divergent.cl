// Loops that work-items leave at different times, or that only some of them run.

// run 45 / 16 7 45: out int 45, in int 45
kernel void trips_of_their_own(global int *out, global const int *in) {
    int g = get_global_id(0), sum = 0;
    for (int i = 0; i < in[g] % 9; i++) sum += i * g;
    out[g] = sum;
}

// run 45 / 16 7 1: out int 45, in int 90
kernel void first_match(global int *out, global const int *in) {
    int g = get_global_id(0), found = -1;
    for (int i = 0; i < 45; i++)
        if (in[g + i] > 60) {
            found = i;
            break;
        }
    out[g] = found;
}

// run 45 / 16 9: out int 45, in int 90
kernel void breaks_that_differ(global int *out, global const int *in) {
    int g = get_global_id(0), a = 1, b = g;
    for (int i = 0; i < 30; i++) {
        if (in[g + i] < -40) { b = a + 100; break; }
        a += in[g + i];
        if (a > 100) break;
        if (a & 1) continue;
        b ^= a;
        if (b % 7 == 3) { a = -b; break; }
    }
    out[g] = a * 3 + b;
}

// run 45 / 16 15: out int 45, in int 45
kernel void returns_inside(global int *out, global const int *in) {
    int g = get_global_id(0), v = in[g];
    out[g] = -1;
    while (v != 1) {
        if (v <= 0) return;
        out[g] += v;
        if (out[g] > 4000) { out[g] = 7; return; }
        v = v % 2 ? v * 3 + 1 : v / 2;
    }
    out[g] *= 2;
}

// run 45 / 16 5: out int 45, in int 45
kernel void tested_at_the_end(global int *out, global const int *in) {
    int g = get_global_id(0), v = in[g] & 63, n = 0;
    do {
        n += v;
        v -= 1 + (n & 3);
    } while (v > 0 && n < 200);
    out[g] = n - v;
}

// run 45 / 16 15: out int 45, in int 45
kernel void nested_and_divergent(global int *out, global const int *in) {
    int g = get_global_id(0), sum = 0;
    for (int i = 0; i < (in[g] & 7); i++) {
        int j = i;
        while (j < (in[(g + i) % 45] & 15)) {
            sum += j * i;
            if (sum % 11 == 5) break;
            j += 1 + (sum & 1);
        }
        for (int k = 0; k < 3; k++) sum += in[(g + k) % 45] & k;
    }
    out[g] = sum;
}

// run 30 / 10 15: out int 30, in int 30
kernel void three_deep(global int *out, global const int *in) {
    int g = get_global_id(0), sum = 1;
    for (int i = 0; i < 2 + (g & 1); i++)
        for (int j = 0; j <= (in[g] & 3); j++) {
            for (int k = j; k < (g & 3) + i; k++) {
                if ((sum ^ k) % 5 == 4) break;
                sum = sum * 3 + k;
            }
            if (sum > 100000) goto out;
        }
out:
    out[g] = sum;
}

// run 45 / 16 15: out int 45, in int 45, value int 37
kernel void behind_a_guard(global int *out, global const int *in, int n) {
    int g = get_global_id(0);
    if (g < n) {
        int v = in[g], steps = 0;
        while (v * v > 10 && steps < 12) {
            v = v / 2 + steps;
            steps++;
        }
        out[g] = v * 16 + steps;
    } else {
        out[g] = -in[g];
    }
}

// run 45 / 16 15: out int 45, in int 45, value int 5
kernel void behind_two_guards(global int *out, global const int *in, int n) {
    int g = get_global_id(0), a = in[g], b = 3;
    if (a > -50) {
        a += n;
        if (a & 1) {
            int c = a * 3;
            for (int i = 0; i < (a & 15); i++) {
                b += c ^ i;
                if (b > 300) { c = i; break; }
            }
            b -= c;
        }
        for (int i = 0; i < (b & 7); i++) a ^= b << i;
    }
    out[g] = a * 7 + b;
}

// The way to the second loop leads through the first one.
// run 45 / 16 15: out int 450, in int 450, value int 37
kernel void rows_behind_a_guard(global int *out, global const int *in, int n) {
    int g = get_global_id(0), row[10];
    if (g < n) {
        for (int k = 0; k < 10; k++) row[k] = in[g * 10 + k];
        for (int j = 0; j < 10; j++) {
            int sum = 0;
            for (int k = 0; k < 10; k++) sum += row[k] * in[k * 10 + j];
            out[g * 10 + j] = sum;
        }
    }
}

// run 45 / 16 15: out int 45, in int 450, value int 40
kernel void several_loops_behind_a_guard(global int *out, global const int *in, int n) {
    int g = get_global_id(0), a = in[g], b = 5, last = -1;
    if (g < n) {
        b = a & 3;
        for (int k = 0; k < n; k++) b += in[k] ^ g;
        if (b & 1) a += b;
        for (int j = 0; j < 9; j++) {
            for (int k = 0; k < 7; k++) a = a * 3 + in[k * 45 + (g + j) % 45];
            if (a % 5 == 2) last = j;
        }
        for (int k = 0; k < (a & 7); k++) b ^= in[k] << k;
    } else {
        a = -a;
    }
    out[g] = a * 7 + b * 3 + last;
}

// run 48 / 16 24: out int 48, in int 48, local int 48
kernel void barrier_behind(global int *out, global const int *in, local int *t) {
    int g = get_global_id(0), l = get_local_id(0), s = get_local_size(0), v = in[g] & 31, n = 0;
    while (v > 1) {
        v = v & 1 ? v - 1 : v / 2;
        n++;
    }
    t[l] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < t[(l + 1) % s]; i++) n += t[(l + i) % s];
    out[g] = n;
}

// run 48 / 16 24: out int 48, in int 48, local int 48
kernel void between_barriers_in_a_loop(global int *out, global const int *in, local int *t) {
    int g = get_global_id(0), l = get_local_id(0), s = get_local_size(0), sum = in[g];
    for (int round = 0; round < 4; round++) {
        int n = 0;
        for (int v = sum & 63; v > round; v -= 1 + (v >> 2)) n += v;
        t[l] = n;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = t[(l + round) % s] + n;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}

// run 45 / 16 15: out int 45, in int 45, inout int 4
kernel void atomics_inside(global int *out, global const int *in, global int *sum) {
    int g = get_global_id(0), n = 0;
    for (int i = 0; i < (in[g] & 7); i++) {
        atomic_add(sum + (i & 3), g);
        n += i;
    }
    out[g] = n;
}

// run 45 / 16 15: out double 45, in double 45
kernel void square_roots_by_halves(global double *out, global const double *in) {
    int g = get_global_id(0);
    double low = 0, high = fabs(in[g]) + 1, middle = high;
    while (high - low > 1e-3) {
        middle = (low + high) / 2;
        if (middle * middle < fabs(in[g])) low = middle; else high = middle;
    }
    out[g] = middle;
}

// run 45 / 16 15: out long 45, in long 45
kernel void greatest_divisors(global long *out, global const long *in) {
    int g = get_global_id(0);
    long a = in[g] < 0 ? -in[g] : in[g], b = g + 1;
    while (b != 0) {
        long rest = a % b;
        a = b;
        b = rest;
    }
    out[g] = a;
}

// run 45 / 16 15: out short 45, in short 90
kernel void shorts(global short *out, global const short *in) {
    int g = get_global_id(0);
    short sum = 0;
    for (short i = 0; sum < 200 && i < 40; i++) {
        short v = in[g + i];
        if (v < 0) continue;
        sum += v;
    }
    out[g] = sum;
}

// run 45 / 16 15: out int 45, in int 45
kernel void private_arrays(global int *out, global const int *in) {
    int g = get_global_id(0), stack[8], top = 0, sum = 0;
    stack[top++] = in[g] & 31;
    while (top > 0) {
        int v = stack[--top];
        sum += v;
        if (v > 3 && top < 6) {
            stack[top++] = v / 2;
            stack[top++] = v / 3;
        }
    }
    out[g] = sum;
}

// run 64 / 16 8: out int 64, in int 64
kernel void stores_inside(global int *out, global const int *in) {
    int g = get_global_id(0), at = g, n = 0;
    while (at < 64 && in[at] > -30) {
        if (at == g || n & 1) out[g] += in[at] * (n + 1);
        at += 1 + (in[at] & 3);
        n++;
    }
}

// run 12x9 / 4x3 6x1 5x4: out int 108, value float 0.21
kernel void in_two_dimensions(global int *out, float scale) {
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    float cr = x * scale - 2.0f, ci = y * scale - 1.0f, re = 0, im = 0;
    while (n < 50 && re * re + im * im <= 4.0f) {
        float next = re * re - im * im + cr;
        im = 2.0f * re * im + ci;
        re = next;
        n++;
    }
    out[y * get_global_size(0) + x] = n;
}

// run 45 / 16 15: out float 45, in float 45
kernel void vectors_inside(global float *out, global const float *in) {
    int g = get_global_id(0);
    float4 v = (float4)(in[g], 1, 2, 3);
    for (int i = 0; i < (g & 7) && dot(v, v) < 1e6f; i++) v = v.yzwx * 1.5f + (float4)(i);
    out[g] = v.x + v.y * 2 + v.z * 3 + v.w * 4;
}

// run 45 / 16 15: out int 45, in int 45, value int 4
kernel void one_counter_for_all(global int *out, global const int *in, int step) {
    int g = get_global_id(0), found = -1, at = 3;
    for (int k = 0; k < 45; k += step) {
        at += k;
        if (in[k] > in[g]) { found = k * 100 + at; break; }
    }
    out[g] = found + at;
}

// run 45 / 16 15: out int 45, in int 45
kernel void switches_inside(global int *out, global const int *in) {
    int g = get_global_id(0), state = in[g] & 3, n = 0;
    for (;;) {
        switch (state) {
        case 0: state = n + g & 3; break;
        case 1: state = 2; n += 3; break;
        case 2: state = n > 20 ? 3 : 0; break;
        default: goto done;
        }
        if (++n > 40) break;
    }
    n += 1000;
done:
    out[g] = n;
}

// run 45 / 16 15: out int 45, in int 45
kernel void values_that_change_places(global int *out, global const int *in) {
    int g = get_global_id(0), a = in[g], b = g + 1, c = 7, left = 40;
    while (a > b && left-- > 0) {
        int t = a;
        a = b + c;
        b = c;
        c = t - g;
        if (c < 0) break;
    }
    out[g] = a * 5 + b * 3 + c;
}
