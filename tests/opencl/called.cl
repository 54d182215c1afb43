// Functions that stay functions: called for vectors of items, under masks, in loops that items leave apart, by each other.

#define STAYS __attribute__((annotate("vicinity_call=stay"))) static

constant int weights[8] = {3, -1, 4, 1, -5, 9, 2, 6};

typedef struct { int low; float part; short2 two; } Pair;

STAYS int table(int i) { return weights[i & 7]; }

STAYS int collatz(uint n, int most)
{
    int steps = 0;
    while (n > 1 && steps < most) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        if (n % 7 == 5) return -steps;
        steps++;
    }
    return steps;
}

// run 40 / 8 16 40: in int 40, out int 40
kernel void nested(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = table(in[i]) * collatz((uint)in[i] + 20, 17 + table(i));
}

STAYS float smooth(global const float *row, int at, int n)
{
    float sum = 0;
    for (int k = -1; k <= 1; k++) sum += row[clamp(at + k, 0, n - 1)];
    return sum / 3;
}

// run 50 / 10 25: in float 50, out float 50
kernel void neighbours(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float a = smooth(in, i, 50);
    if (i % 3 != 1) a += smooth(in, min(i + 1, 47), 49);
    for (int k = 0; k < i % 4; k++) a = a * 0.5f + smooth(in, (i * 7 + k) % 50, 50);
    out[i] = a;
}

STAYS Pair turned(Pair pair, int by)
{
    if (by & 1) return (Pair){pair.low ^ by, pair.part + 1, pair.two.yx};
    pair.low += by;
    pair.two += (short2)(1, (short)by);
    return pair;
}

STAYS void sort(int *list, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && list[k - 1] > list[k]; k--) {
            int other = list[k];
            list[k] = list[k - 1];
            list[k - 1] = other;
        }
}

// run 33 / 11 33: in int 33, out int 33
kernel void own(global const int *in, global int *out)
{
    int i = get_global_id(0), list[6];
    Pair pair = {in[i], i * 0.5f, (short2)(i, -i)};
    for (int k = 0; k < 6; k++) list[k] = in[(i * 5 + k * 3) % 33];
    sort(list, 3 + (i & 3));
    for (int k = 0; k < i % 3; k++) pair = turned(pair, list[k]);
    out[i] = list[0] + list[1] * 3 + list[2] * 5 + list[5] * 7 + pair.low + (int)pair.part + pair.two.x - pair.two.y;
}

STAYS void count(global int *bins, local int *here, int of)
{
    if (of < 0) atomic_add(&bins[0], 1);
    else atomic_add(&here[of & 3], of);
    atomic_max(&bins[1 + (of & 1)], of);
}

STAYS void give(global int *out, int at, int4 what) { vstore4(what.wzyx, at, out); }

// run 32 / 8 32: inout int 32, out int 4, out int 128
kernel void effects(global int *in, global int *bins, global int *out)
{
    local int here[4];
    int i = get_global_id(0);
    if (get_local_id(0) < 4) here[get_local_id(0)] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[i] & 1) count(bins, here, in[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    give(out, i, (int4)(in[i], here[i & 3], i, 1));
    if (i % 5 == 2) give(out, i, (int4)(0, i, here[0], in[i]));
}
