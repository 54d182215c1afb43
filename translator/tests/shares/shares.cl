// One vector's values: what is the same for all items, what goes by a stride, what differs.

// The bound and the factor are uniform, the address goes by a stride, what is loaded varies, and so does the guard.
kernel void scale(global float *out, const global float *in, float by, int n) {
    int i = get_global_id(0);
    if (i < n) {
        out[i] = in[i] * (by * 2.0f);
    }
}

// The loop runs alike for all: its counter, its branch and the loads of one matrix are uniform.
kernel void product(global float *c, const global float *a, const global float *b, int n) {
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

// Items leave the loop one by one: the counter is uniform inside, and varies behind it. What it is compared with is loaded by a gather.
kernel void steps(global int *out, const global int *kind, const global float *limit, int n) {
    int i = get_global_id(0), k = 0;
    float most = limit[kind[i]], z = 0.0f;
    while (z < most && k < n) {
        z = z * z + 0.5f;
        k++;
    }
    out[i] = k;
}
