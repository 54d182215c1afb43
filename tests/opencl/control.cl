// Control flow: loops, branches, switches, jumps, early ends; no work-item waits for another.

// run 40 / 8 16 1: out int 40, in int 40
kernel void if_else(global int *out, global const int *in) {
    int g = get_global_id(0), v = in[g];
    if (v > 0) out[g] = v * 2; else if (v < -50) out[g] = -v; else out[g] = 7;
}

// run 40 / 8 16: out int 40, in int 40
kernel void early_return(global int *out, global const int *in) {
    int g = get_global_id(0);
    out[g] = 1;
    if (in[g] < 0) return;
    out[g] = 2;
    if (in[g] > 50) return;
    out[g] = 3;
}

// run 33 / 8 33: out int 33, in int 33
kernel void return_in_loop(global int *out, global const int *in) {
    int g = get_global_id(0);
    for (int i = 0; i < 10; i++) {
        out[g] += in[(g + i) % 33];
        if (out[g] > 60) return;
    }
    out[g] = -out[g];
}

// run 40 / 8 5: out int 40, in int 40
kernel void break_and_continue(global int *out, global const int *in) {
    int g = get_global_id(0), sum = 0;
    for (int i = 0; i < 40; i++) {
        if (in[i] % 3 == 0) continue;
        if (i > g) break;
        sum += in[i];
    }
    out[g] = sum;
}

// run 40 / 8 16: out int 40, in int 40
kernel void while_by_item(global int *out, global const int *in) {
    int g = get_global_id(0), v = abs(in[g]), steps = 0;
    while (v > 1) { v = v & 1 ? v * 3 + 1 : v / 2; steps++; }
    out[g] = steps;
}

// run 40 / 8 16: out int 40, in int 40
kernel void do_while(global int *out, global const int *in) {
    int g = get_global_id(0), v = in[g], n = 0;
    do { v += g + 3; n++; } while (v < 100);
    out[g] = v * 100 + n;
}

// run 48 / 8 12: out int 48, in int 48
kernel void switch_dense(global int *out, global const int *in) {
    int g = get_global_id(0), r;
    switch (abs(in[g]) % 6) {
    case 0: r = 10; break;
    case 1: r = in[g] * 2; break;
    case 2: r = g;
    case 3: r = g + 100; break;
    case 4: r = -1; break;
    default: r = in[g] - g;
    }
    out[g] = r;
}

// run 48 / 8 12: out int 48, in int 48
kernel void switch_sparse(global int *out, global const int *in) {
    int g = get_global_id(0);
    switch (in[g]) {
    case -100: out[g] = 1; return;
    case 3: out[g] = 2; break;
    case 77: case 78: case 79: out[g] = 3; break;
    case 1000000: out[g] = 4;
    }
    out[g] += g;
}

// run 16 / 4 16: out int 16, in int 256, value int 16
kernel void nested_loops(global int *out, global const int *in, int n) {
    int g = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++) for (int j = i; j < n; j++) sum += in[i * n + j] * (j - g);
    out[g] = sum;
}

// run 16 / 4 16: out int 16, in int 256, value int 16
kernel void triangle_by_item(global int *out, global const int *in, int n) {
    int g = get_global_id(0), sum = 0;
    for (int i = 0; i <= g; i++) for (int j = 0; j < i; j++) sum += in[i * n + j];
    out[g] = sum;
}

// run 16 / 4 16: out int 16, in int 256, value int 16
kernel void row_of_item(global int *out, global const int *in, int n) {
    int g = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++) sum += in[g * n + k];
    out[g] = sum;
}

// run 16 / 4 16: out int 16, in int 256, value int 16
kernel void column_of_item(global int *out, global const int *in, int n) {
    int g = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++) sum = sum * 3 + in[k * n + g];
    out[g] = sum;
}

// run 16 / 4 16: out float 16, in float 256, value int 16
kernel void largest_of_row(global float *out, global const float *in, int n) {
    int g = get_global_id(0), place = 0;
    float best = in[g * n];
    for (int k = 1; k < n; k++) if (in[g * n + k] > best) { best = in[g * n + k]; place = k; }
    out[g] = best * 1000 + place;
}

// run 16 / 4 16: inout float 256, value int 16
kernel void column_in_place(global float *x, int n) {
    int g = get_global_id(0);
    for (int k = 1; k < n; k++) x[k * n + g] += x[(k - 1) * n + g] * 0.5f;
}

// run 16 / 4 16: inout float 256, value int 16
kernel void row_in_place(global float *x, int n) {
    int g = get_global_id(0);
    for (int k = 1; k < n; k++) x[g * n + k] += x[g * n + k - 1] * 0.5f;
}

// run 16 / 4 16: out float 256, in float 256, value int 16
kernel void column_to_row(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    for (int k = 0; k < n; k++) out[g * n + k] = in[k * n + g];
}

// run 40 / 8 16: out int 40, in int 40
kernel void ternary_chain(global int *out, global const int *in) {
    int g = get_global_id(0), v = in[g];
    out[g] = v < -50 ? v * v : v < 0 ? -v : v < 50 ? v + (g & 1 ? 5 : 6) : 50;
}

// run 40 / 8 16: out int 40, in int 40
kernel void short_circuit(global int *out, global const int *in) {
    int g = get_global_id(0);
    if (g > 0 && in[g - 1] > 0 || g < 39 && in[g + 1] < 0) out[g] = 1;
    if (g == 0 || in[g] / g > 1) out[g] += 2;
}

// run 40 / 8 16: out int 40, value int 0
kernel void loop_never_runs(global int *out, int n) {
    int g = get_global_id(0), sum = g;
    for (int i = 0; i < n; i++) sum += out[i];
    out[g] = sum;
}

// run 40 / 8 16: out int 40, in int 40
kernel void goto_out(global int *out, global const int *in) {
    int g = get_global_id(0), i, j;
    for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) if (in[(i * 8 + j + g) % 40] > 90) goto found;
    i = j = -1;
found:
    out[g] = i * 100 + j;
}

// run 40 / 8 16: out int 40, in int 40
kernel void goto_back(global int *out, global const int *in) {
    int g = get_global_id(0), i = 0;
again:
    out[g] += in[(g + i) % 40];
    if (++i < g % 5 + 1) goto again;
}

// run 40 / 8 16: out int 40, in int 40
kernel void two_exits(global int *out, global const int *in) {
    int g = get_global_id(0), i = 0, r;
    for (;;) {
        if (in[(g + i) % 40] > 70) { r = i; break; }
        if (i * i > g) { r = -i; break; }
        i++;
    }
    out[g] = r;
}

// run 40 / 8 16: out int 40, in int 40
kernel void uniform_if_around(global int *out, global const int *in) {
    int g = get_global_id(0);
    if (get_group_id(0) % 2 == 0) { for (int i = 0; i < 4; i++) out[g] += in[(g + i) % 40]; }
    else out[g] = -in[g];
}

// run 40 / 8 16: out int 40, in int 40, value int 3
kernel void loop_step(global int *out, global const int *in, int step) {
    int g = get_global_id(0);
    for (int i = g; i < 40; i += step) out[g] += in[i];
    for (int i = 39; i >= g; i -= step + 1) out[g] ^= in[i];
}

// run 40 / 8 16: out uint 40
kernel void unsigned_down(global uint *out) {
    uint g = get_global_id(0), sum = 0;
    for (uint i = g; i-- > 0;) sum = sum * 31 + i;
    out[g] = sum;
}

int helper_abs_sum(global const int *in, int n, int g) {
    int sum = 0;
    for (int i = 0; i < n; i++) { if (i == g) continue; sum += in[i] < 0 ? -in[i] : in[i]; if (sum > 900) return -sum; }
    return sum;
}

// run 40 / 8 16: out int 40, in int 40
kernel void call_with_returns(global int *out, global const int *in) {
    int g = get_global_id(0);
    out[g] = helper_abs_sum(in, g, g / 2) + helper_abs_sum(in + 5, 20, g);
}

// run 24 / 8 24: out int 24, in int 24
kernel void loop_in_branch_in_loop(global int *out, global const int *in) {
    int g = get_global_id(0), sum = 0;
    for (int i = 0; i < 6; i++) {
        if ((in[(g + i) % 24] + i) & 1) { for (int j = 0; j < (in[i] & 3); j++) sum += j * i + g; }
        else sum -= i;
    }
    out[g] = sum;
}

// run 24 / 8 24: out int 24, in int 24
kernel void divergent_then_uniform(global int *out, global const int *in) {
    int g = get_global_id(0), a = in[g];
    for (int i = 0; i < (g & 3); i++) a = a * 3 + 1;
    for (int i = 0; i < 5; i++) a += in[i];
    for (int i = 0; i < (a & 3); i++) a ^= i;
    out[g] = a;
}
