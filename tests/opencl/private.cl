// Private arrays that are too large for a stack: one place for all items in turn, a place for each, and addresses of both.

// run 64 / 8 16 64: out int 64, in int 64
kernel void in_turn(global int *out, global const int *in) {
    int a[10000], g = get_global_id(0);
    for (int i = 0; i < 40; i++)
        a[(in[g] & 63) * 100 + i] = i * g;
    int sum = 0;
    for (int i = 0; i < 40; i++)
        sum += a[(in[g] & 63) * 100 + i];
    out[g] = sum;
}

// run 64 / 8 16 64: out int 64, in int 64
kernel void across_a_barrier(global int *out, global const int *in) {
    int a[10000], b[6000], g = get_global_id(0), l = get_local_id(0);
    local int t[64];
    b[(in[g] & 7) * 700] = g;
    t[l] = b[(in[g] & 7) * 700];
    a[(in[g] & 15) * 600] = t[l] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = a[(in[g] & 15) * 600] + t[l ^ 1];
}

// run 64x4 / 8x2 16x1 64x4: out float 256, in float 256
kernel void several(global float *out, global const float *in) {
    float a[3000], small[8];
    double4 b[500];
    char c[20001];
    int g = get_global_id(1) * get_global_size(0) + get_global_id(0), n = (int)in[g] & 7;
    for (int i = 0; i < 8; i++) {
        a[i * 300 + n] = in[g] + i;
        small[i ^ n] = i;
        b[i * 50 + n] = (double4)(i, n, g, 1);
        c[i * 2500 + n] = (char)(g + i);
    }
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += a[i * 300 + n] + small[n] + (float)b[i * 50 + n].x + (float)b[i * 50 + n].z + c[i * 2500 + n];
    out[g] = sum;
}

// run 64 / 8 64: out int 64, in int 64
kernel void addresses(global int *out, global const int *in) {
    int a[20000], b[4], g = get_global_id(0);
    a[in[g] & 3] = 5;
    b[in[g] & 3] = 6;
    int *p = in[g] & 1 ? a : b;
    out[g] = p[in[g] & 3] + 10 * (to_private(p) == p) + 100 * (to_global(p) == 0) + 1000 * (to_local(p) == 0);
}

// run 64 / 8 64: out int 64, in int 64
kernel void addresses_across_a_barrier(global int *out, global const int *in) {
    int a[20000], b[10000], g = get_global_id(0);
    b[in[g] & 3] = 6;
    out[g] = b[in[g] & 3];
    a[in[g] & 15] = 5;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[g] += a[in[g] & 15] + 10 * (to_private(a + (in[g] & 15)) == a + (in[g] & 15)) + 100 * (to_private(b + g) == b + g);
}

struct large { int numbers[5000]; };

// run 64 / 16: out int 64, in int 64
kernel void structures(global int *out, global const int *in) {
    struct large one, two;
    int g = get_global_id(0);
    for (int i = 0; i < 5000; i += 100)
        one.numbers[i] = i + in[g];
    two = one;
    two.numbers[100] += g;
    out[g] = two.numbers[100] + one.numbers[4900];
}

// run 64 / 8 64: out int 64, in int 64
kernel void more_aligned_than_the_rest(global int *out, global const int *in) {
    int __attribute__((aligned(512))) a[8000];
    int b[7000], __attribute__((aligned(4096))) c[6000], g = get_global_id(0), at = in[g] & 63;
    local int before[64];
    volatile ulong first = (ulong)a, last = (ulong)c, places = first % 512 + last % 4096;
    before[get_local_id(0)] = at;
    a[at] = g; b[at * 100] = g * 3; c[at * 90] = g * 5;
    out[g] = places == 0 ? a[at] + b[at * 100] + c[at * 90] : -1;
}

// run 96x2 / 32 48x2 13x2 5: out int 3072, in int 192, value int 16
kernel void kept_across_barriers_and_changed_by_some(global int *out, global const int *in, int n) {
    local int before[96];
    int sum[16], g = get_global_id(1) * get_global_size(0) + get_global_id(0);
    int at = get_local_id(1) * get_local_size(0) + get_local_id(0), all = get_local_size(0) * get_local_size(1);
    short small[16];
    for (int i = 0; i < n; i++) {
        sum[i] = in[g] * i;
        small[i] = (short)(in[g] + i);
    }
    for (int first = 0; first < 3; first++) {
        before[at] = in[g] + first;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 4 && first + k <= (in[g] & 7); k++) {
            int score = before[(at + k) % all];
            for (int i = 0; i < n; i++)
                score += sum[i] ^ small[i];
            if (score & 4)
                for (int i = 0; i < n; i++) {
                    sum[i] += score;
                    small[i ^ 1] -= (short)i;
                }
            sum[score & 15] += k;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (in[g] & 1)
        for (int i = 0; i < n; i++)
            out[g * 16 + i] = sum[i] + small[i];
}

// run 61x2 / 61x2: out float 488, in float 122
kernel void kept_by_items_that_are_not_a_vector(global float *out, global const float *in) {
    float mine[4];
    int g = get_global_id(1) * get_global_size(0) + get_global_id(0);
    for (int i = 0; i < 4; i++)
        mine[i] = in[g] + i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int i = 0; i < 4; i++)
        if (in[g] > i)
            mine[i] *= 2;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int i = 0; i < 4; i++)
        out[g * 4 + i] = mine[i];
}

// run 96x2 / 32x1 24x2: in float 512, out float 192, value int 3
kernel void median_of_many(global const float *in, global float *out, int wide) {
    float all[1000];
    int count = 0;
    for (int y = -wide; y <= wide; y++)
        for (int x = -wide; x <= wide; x++)
            if (x * x + y * y <= wide * wide + get_global_id(0) % 3) all[count++] = in[(get_global_id(0) * 3 + y * 31 + x * 7) & 511];
    for (int i = 0; i < count; i++) {
        float at = all[i];
        int j = i - 1;
        for (; j >= 0 && at < all[j]; j--) all[j + 1] = all[j];
        all[j + 1] = at;
    }
    out[get_global_id(1) * 96 + get_global_id(0)] = all[count / 2];
}

// run 80 / 40 16: in int! 512, out int 80
kernel void most_frequent(global const int *in, global int *out) {
    long counts[256];
    ushort last[256] __attribute__((aligned(256)));
    int i = get_global_id(0);
    for (int v = 0; v < 256; v++) counts[v] = last[v] = 0;
    for (int n = 0; n < 100; n++) {
        int v = in[(i * 5 + n) & 511] & (i % 5 ? 255 : 15);
        counts[v]++;
        last[v] = n;
    }
    long most = 0;
    int at = 0;
    for (int v = 0; v < 256; v++)
        if (counts[v] > most) {
            most = counts[v];
            at = v;
        }
    out[i] = at + 256 * most + 65536 * last[at];
}

// Volatile variables are nobody else's either.
// run 64 / 8 16 1: out int 64, in int 64
kernel void volatile_variables(global int *out, global const int *in) {
    volatile int at = get_global_id(0);
    volatile int own[4];
    for (int i = 0; i < 4; i++) own[i] = in[at] + i;
    own[in[at] & 3] = at;
    volatile int *last = &own[3];
    *last += own[0] * 3;
    out[at] = own[3] + own[1] - own[2];
}
