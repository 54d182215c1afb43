/* Items that go along rows of their own. */

/* Each number is computed of its own place alone: iterations are vectors. */
__kernel void scaled(int n, float factor, __global const float *in, __global float *out) {
    int first = get_global_id(0) * n;
    for (int i = first; i < first + n; i++) out[i] = factor * in[i];
}

/* Of what the iteration before has computed, a sum: items are vectors. */
__kernel void running(int n, __global const float *in, __global float *out) {
    int first = get_global_id(0) * n;
    float sum = 0;
    for (int i = first; i < first + n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}

/* Few iterations. */
__kernel void four(__global const float *in, __global float *out) {
    int first = get_global_id(0) * 4;
    for (int i = first; i < first + 4; i++) out[i] = 2 * in[i];
}
