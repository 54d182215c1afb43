// Pointers, private arrays, structures, unions, generic addresses, functions.

// run 32 / 8 16: out int 32, in int 32
kernel void pointer_walk(global int *out, global const int *in) {
    global const int *p = in + get_global_id(0), *end = in + 32;
    int sum = 0;
    for (; p < end; p += 3) sum = sum * 2 + *p;
    out[get_global_id(0)] = sum;
}

// run 32 / 8 16: out int 32, in int 32, in int 32
kernel void pointer_select(global int *out, global const int *a, global const int *b) {
    int g = get_global_id(0);
    global const int *p = a[g] > b[g] ? a : b, *q = g & 1 ? p + 1 : p;
    out[g] = q[g & 15] + p[31 - g];
}

// run 32 / 8 16: out int 32, in int 32
kernel void private_array(global int *out, global const int *in) {
    int g = get_global_id(0), t[16];
    for (int i = 0; i < 16; i++) t[i] = in[(g + i) % 32];
    for (int i = 0; i < 15; i++) for (int j = 0; j < 15 - i; j++) if (t[j] > t[j + 1]) { int v = t[j]; t[j] = t[j + 1]; t[j + 1] = v; }
    out[g] = t[0] + t[8] * 100 + t[15] * 10000 + t[g & 15];
}

// run 32 / 8 16: out int 32, in int 32
kernel void private_array_by_value(global int *out, global const int *in) {
    int g = get_global_id(0), count[8] = {0};
    for (int i = 0; i < 32; i++) count[(in[i] + g) & 7]++;
    int r = 0;
    for (int i = 0; i < 8; i++) r = r * 5 + count[i];
    out[g] = r;
}

// run 32 / 8 16: out int 32, in int 32
kernel void two_dimensional(global int *out, global const int *in) {
    int g = get_global_id(0), m[4][4], r = 0;
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) m[j][i] = in[(i * 4 + j + g) % 32];
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) r = r * 3 + m[i][(j + g) & 3];
    out[g] = r;
}

constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
constant float4 corners[2] = {(float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8)};

// run 32 / 8 16: out int 32, in int 32
kernel void constant_table(global int *out, global const int *in) {
    int g = get_global_id(0);
    out[g] = table[in[g] & 7] * 10 + table[g & 7] + (int)corners[g & 1].z;
}

// run 32 / 8 16: out int 32, in int 32
kernel void constant_argument(global int *out, constant int *in) {
    int g = get_global_id(0);
    out[g] = in[g] + in[5] * in[31 - g];
}

struct point { float x, y; int tag; };

// run 32 / 8 16: out float 32, in float 32
kernel void structure(global float *out, global const float *in) {
    int g = get_global_id(0);
    struct point p = {in[g], in[31 - g], g}, q = p;
    q.x += 1.0f;
    if (q.tag & 1) p = q; else q.y = p.x;
    out[g] = p.x * q.y - p.y * q.x + p.tag;
}

// run 32 / 8 16: out float 32, in float 96
kernel void structures_in_memory(global float *out, global const float *in) {
    global const struct point *p = (global const struct point *)in;
    int g = get_global_id(0);
    out[g] = p[g].x + p[(g + 1) % 32].y * 2 + (p[g].tag >> 24);
}

struct nested { struct point corner[2]; char name[5]; long id; };

// run 32 / 8 16: out long 32, in int 32
kernel void nested_structure(global long *out, global const int *in) {
    int g = get_global_id(0);
    struct nested n;
    n.id = in[g] * 1000000007L;
    for (int i = 0; i < 2; i++) { n.corner[i].x = in[(g + i) % 32]; n.corner[i].tag = i + g; }
    for (int i = 0; i < 5; i++) n.name[i] = (char)(in[i] + g);
    out[g] = n.id + (long)n.corner[g & 1].x + n.corner[1].tag + n.name[g % 5];
}

union word { uint w; uchar b[4]; float f; };

// run 32 / 8 16: out uint 32, in uint! 32
kernel void unions(global uint *out, global const uint *in) {
    union word u;
    u.w = in[get_global_id(0)];
    uchar t = u.b[0];
    u.b[0] = u.b[3];
    u.b[3] = t;
    out[get_global_id(0)] = u.w;
}

struct point moved(struct point p, float by) { p.x += by; p.y -= by; p.tag++; return p; }

// run 32 / 8 16: out float 32, in float 32
kernel void structure_by_value(global float *out, global const float *in) {
    int g = get_global_id(0);
    struct point p = {in[g], 2.0f, 0};
    for (int i = 0; i < (g & 3); i++) p = moved(p, 0.5f);
    out[g] = p.x + p.y * 10 + p.tag * 100;
}

void swap_private(int *a, int *b) { int t = *a; *a = *b; *b = t; }

// run 32 / 8 16: out int 32, in int 32
kernel void by_pointer(global int *out, global const int *in) {
    int g = get_global_id(0), a = in[g], b = g;
    if (a > b) swap_private(&a, &b);
    out[g] = a * 1000 + b;
}

int generic_sum(const int *p, int n) { int sum = 0; for (int i = 0; i < n; i++) sum = sum * 2 + p[i]; return sum; }

// run 32 / 8 16: out int 32, in int 32
kernel void generic_address(global int *out, global const int *in) {
    local int t[64];
    int l = get_local_id(0), g = get_global_id(0), mine[4] = {g, l, in[g], 3};
    t[l] = in[g] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int *p = g % 3 == 0 ? (const int *)&t[l & ~3] : g % 3 == 1 ? (const int *)mine : (const int *)(in + g / 2);
    out[g] = generic_sum(p, 4) + generic_sum(t, 2);
}

int fibonacci_like(int n) { int a = 0, b = 1; while (n-- > 0) { int t = a + b; a = b; b = t; } return a; }
int twice(int v) { return fibonacci_like(v & 7) + fibonacci_like(v & 3); }

// run 32 / 8 16: out int 32, in int 32
kernel void calls_of_calls(global int *out, global const int *in) { out[get_global_id(0)] = twice(in[get_global_id(0)]) - twice(get_global_id(0)); }

// run 32 / 8 16: inout int 32
kernel void may_alias_itself(global int *x) {
    int g = get_global_id(0);
    global int *p = x + g, *q = x + (g ^ 0);
    *p += 5;
    *q *= 2;
    x[g] = *p - *q / 2;
}

// run 32 / 8 16: out int 32, in int 32
kernel void volatile_private(global int *out, global const int *in) {
    volatile int v = in[get_global_id(0)];
    v += 3;
    v *= v;
    out[get_global_id(0)] = v;
}

// run 16 / 8 16: out int 64, in int 16
kernel void scatter(global int *out, global const int *in) {
    int g = get_global_id(0);
    for (int i = 0; i < 4; i++) out[i * 16 + (g * 5 + i) % 16] = in[g] + i;
}

// run 32 / 8 16: out uchar 128, in int 32
kernel void bytes_out(global uchar *out, global const int *in) {
    int g = get_global_id(0);
    for (int i = 0; i < 4; i++) out[g * 4 + i] = (uchar)(in[g] >> (i * 8));
}

// run 32 / 8 16: out int 32, in int 32
kernel void lookup_chain(global int *out, global const int *in) {
    int g = get_global_id(0), at = g;
    for (int i = 0; i < 6; i++) at = (in[at] & 31) ^ (i + g & 1);
    out[g] = at;
}

kernel void called_by_kernel(global int *out, global const int *in) { out[get_global_id(0)] += in[get_global_id(0)]; }

// run 32 / 8 16: out int 32, in int 32
kernel void calls_a_kernel(global int *out, global const int *in) { out[get_global_id(0)] = 3; called_by_kernel(out, in); }

// run 24 / 8: out int 24, in int 24, value int 7
kernel void element_between_elements(global int *out, global const int *x, int n) {
    int g = get_global_id(0), l = get_local_id(0), a = x[g], p[4] = {a, g * 3, n, l};
    for (int i = 0; i < n % 5; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        p[2] -= i;
    }
    if (p[1] > 0)
        p[a & 3] ^= l & a;
    out[g] = p[0] + p[1] * 2 + p[2] * 3 + p[3] * 5;
}

// run 32 / 16 32: inout int 128, in int 32
kernel void part_between_parts(global int *x, global const int *n) {
    int g = get_global_id(0), first = x[4 * g + 1];
    x[4 * g + (n[g] & 3)] ^= 77;
    x[4 * g + 2] = first + x[4 * g] * 3 + x[4 * g + 1] * 5 + x[4 * g + 3] * 7;
}

// run 32 / 16 32: inout int 128, in int 32
kernel void store_between_stores(global int *x, global const int *n) {
    int g = get_global_id(0), first = n[g];
    x[4 * g] = first;
    x[4 * g + 1] = first * 3;
    x[4 * g + (n[g] & 3)] = 77;
    x[4 * g + 2] = first + 8;
    x[4 * g + 3] = first + 9;
}
