// Loops along rows of which each item reads one of its own, and structures whose members items read one by one. Vectors of
// items read 16 bytes of each row at once.

// Rows of all lengths beside the numbers that are read at once, down to none: what lies behind them must not be touched.
// run 24 / 8 24 3: out float 24, in float 24, value int 1
kernel void row_of_one(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[g * n + k];
    out[g] = sum;
}

// run 24 / 8 24: out float 24, in float 24, value int 0
kernel void row_of_none(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    float sum = 1.0f;
    for (int k = 0; k < n; k++)
        sum += in[g * n + k];
    out[g] = sum;
}

// run 24 / 8 24: out float 24, in float 96, value int 4
kernel void row_of_four(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + in[g * n + k];
    out[g] = sum;
}

// run 24 / 8 24 5: out float 24, in float 168, value int 7
kernel void row_of_seven(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k != n; k++)
        sum = sum * 0.5f + in[g * n + k];
    out[g] = sum;
}

// run 24 / 8 24: out double 24, in double 240, value uint 9
kernel void row_of_doubles(global double *out, global const double *in, uint last) {
    size_t g = get_global_id(0);
    double sum = 0.0;
    for (size_t k = 0; k <= last; k++)
        sum = sum * 0.5 + in[g * (last + 1) + k];
    out[g] = sum;
}

// Counters that end next to where their type does.
// run 24 / 8 24: out float 24, in float 240
kernel void row_up_to_the_greatest(global float *out, global const float *in) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0x7ffffff5; k < 0x7fffffff; k++)
        sum = sum * 0.5f + in[g * 10 + (k - 0x7ffffff5)];
    out[g] = sum;
}

// run 24 / 8 24: out float 24, in float 240, value int -5, value int 5
kernel void row_from_below(global float *out, global const float *in, int from, int to) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = from; k < to; k++)
        sum = sum * 0.5f + in[g * 10 + 5 + k];
    out[g] = sum;
}

// No iteration though the limit is far off, as an unsigned number.
// run 24 / 8 24: out float 24, in float 24, value int 5, value int -5
kernel void row_that_ends_before(global float *out, global const float *in, int from, int to) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = from; k < to; k++)
        sum += in[g * 1000000 + k];
    out[g] = sum;
}

// Steps of two: no rows of single numbers, but two numbers of each step.
// run 24 / 8 24: out float 24, in float 240, value int 10
kernel void row_in_pairs(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k += 2)
        sum = sum * 0.5f + in[g * n + k] * in[g * n + k + 1];
    out[g] = sum;
}

// run 24 / 8 24: out float 24, in float 264, value int 11
kernel void row_by_a_pointer(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    global const float *at = in + g * n;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + *at++;
    out[g] = sum;
}

// Some items have no row.
// run 24 / 8 24: inout float 24, in float 170, value int 10, value int 17
kernel void row_of_some(global float *out, global const float *in, int n, int rows) {
    int g = get_global_id(0);
    if (g < rows) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++)
            sum = sum * 0.5f + in[g * n + k];
        out[g] = sum;
    }
}

// run 24 / 8 24: inout float 24, in float 240, value int 10
kernel void row_of_every_third(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    if (g % 3 == 0) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++)
            sum = sum * 0.5f + in[g * n + k];
        out[g] = sum;
    }
}

// run 24 / 8 24: out float 24, in int 24, in float 300, value int 10
kernel void row_that_data_tells(global float *out, global const int *row, global const float *in, int n) {
    int g = get_global_id(0), first = (row[g] & 15) * n;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + in[first + k];
    out[g] = sum;
}

// A product of matrices, the second one transposed.
// run 12x9 / 4x3 12x1: out float 108, in float 156, in float 117, value int 13
kernel void products_of_rows(global float *out, global const float *a, global const float *b, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[x * n + k] * b[y * n + k];
    out[y * 12 + x] = sum;
}

// run 24 / 8 24: out float 24, out int 24, in float 264, value int 11
kernel void greatest_of_row(global float *out, global int *where, global const float *in, int n) {
    int g = get_global_id(0), place = 0;
    float greatest = in[g * n];
    for (int k = 1; k < n; k++) {
        float value = in[g * n + k];
        if (value > greatest) {
            greatest = value;
            place = k;
        }
    }
    out[g] = greatest;
    where[g] = place;
}

// Two numbers of the iteration before are handed on.
// run 24 / 8 24: out float 24, in float 264, value int 11
kernel void row_with_memory(global float *out, global const float *in, int n) {
    int g = get_global_id(0);
    float before = 1.0f, last = 2.0f, sum = 0.0f;
    for (int k = 0; k < n; k++) {
        float now = in[g * n + k];
        sum = sum * 0.5f + now * before + last;
        before = last;
        last = now;
    }
    out[g] = sum + before * 3.0f + last * 5.0f;
}

// Rows of local memory, by a barrier.
// run 32 / 8 16: out float 32, in float 32
kernel void row_of_tile(global float *out, global const float *in) {
    local float tile[16 * 9];
    int l = get_local_id(0), size = get_local_size(0);
    for (int k = 0; k < 9; k++)
        tile[k * size + l] = in[get_global_id(0)] + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 9; k++)
        sum = sum * 0.5f + tile[l * 9 + k];
    out[get_global_id(0)] = sum;
}

typedef struct {
    float x, y, z, mass;
} body;

// run 24 / 8 24 3: out float 24, in float 96
kernel void members(global float *out, global const body *in) {
    int g = get_global_id(0);
    out[g] = in[g].x + 2.0f * in[g].y + 3.0f * in[g].z + 4.0f * in[g].mass;
}

// run 24 / 8 24 3: inout int 24, in int 24, in float 96
kernel void members_of_some(global int *out, global const int *index, global const body *in) {
    int g = get_global_id(0), i = index[g] & 15;
    if (index[g] > 10)
        out[g] = (int)(in[i].x + 2.0f * in[i].y + 3.0f * in[i].z + 4.0f * in[i].mass);
}

// Members are written between those that are read.
// run 24 / 8 24: inout float 96
kernel void members_in_turns(global body *in) {
    int g = get_global_id(0);
    in[g].x += in[g].y;
    in[g].y -= in[g].z * 2.0f;
    in[g].z += in[g].mass * in[g].x;
    in[g].mass += in[g].y;
}

typedef struct {
    long a, b;
    int c, d, e, f;
    short g, h;
    int i;
} record;

// run 24 / 8 24: out long 24, in int 240
kernel void members_of_all_kinds(global long *out, global const record *in) {
    int g = get_global_id(0);
    out[g] = in[g].a * 3 + in[g].b + in[g].c * 5 + in[g].d * 7 + in[g].e * 11 + in[g].f * 13 + in[g].g * 17 +
             in[g].h * 19 + in[g].i * 23;
}

// Five in a row: four at once, one alone.
// run 24 / 8 24: out int 24, in int 120
kernel void five_members(global int *out, global const int *in) {
    int g = get_global_id(0);
    out[g] = in[g * 5] + in[g * 5 + 1] * 2 + in[g * 5 + 2] * 3 + in[g * 5 + 3] * 4 + in[g * 5 + 4] * 5;
}

// Unsigned indices that wrap around between numbers of a row.
// run 24 / 8 24: out int 24, in int 128, value uint 4294967294
kernel void row_that_wraps_around(global int *out, global const int *in, uint from) {
    uint g = get_global_id(0);
    int sum = 0;
    for (uint k = 0; k < 5; k++)
        sum = sum * 3 + in[(g * 5 + from + k) & 127];
    out[g] = sum;
}

// Rows of bytes, four of which are read as one vector; and vectors by themselves, from where data tells.
// run 24 / 8 24: out int 24, in char 960, value int 10
kernel void row_of_bytes(global int *out, global const char4 *in, int n) {
    int g = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++) {
        int4 p = convert_int4(in[g * n + k]) * (int4)(1, 3, 5, 7);
        sum = sum * 3 + p.x + p.y + p.z + p.w;
    }
    out[g] = sum;
}

// run 24 / 8 24: out int 24, in short 480, value int 10
kernel void row_of_shorts(global int *out, global const short2 *in, int n) {
    int g = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + in[g * n + k].x - in[g * n + k].y * 2;
    out[g] = sum;
}

// run 24 / 8 24: inout float 24, in int 24, in float 96
kernel void vectors_that_data_tells(global float *out, global const int *index, global const float4 *in) {
    int g = get_global_id(0);
    float4 v = in[index[g] & 15];
    if (index[g] & 1)
        v += in[index[g] >> 1 & 15].wzyx;
    out[g] = v.x + v.y * 2.0f + v.z * 3.0f + v.w * 4.0f;
}

// run 24 / 8 24: out long 24, in int 24, in long 48, in uchar 192
kernel void pairs_that_data_tells(global long *out, global const int *index, global const long2 *in, global const uchar8 *bytes) {
    int g = get_global_id(0);
    long2 v = in[index[g] & 15];
    uchar8 b = bytes[index[g] & 7];
    out[g] = v.x * 3 + v.y + b.s0 + b.s3 * 5 + b.s7 * 7;
}

// Rows of more than a line of the cache: whole lines, what makes 16 bytes of the rest, and single numbers.
// run 48 / 16 48 5: out float 48, in float 2592, value int 1, value int 54
kernel void row_of_lines(global float *out, global const float *in, int from, int n) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = from; k < n; k++)
        sum = sum * 0.5f + in[g * n + k];
    out[g] = sum;
}

// run 48 / 16 48 5: out double 48, in double 1104, value int 23
kernel void row_of_lines_of_doubles(global double *out, global const double *in, int n) {
    int g = get_global_id(0);
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum = sum * 0.5 + in[g * n + k];
    out[g] = sum;
}

// Two rows have half a line each.
// run 48 / 16 48 5: out float 48, in float 1440, in float 1440, value int 30
kernel void two_rows_of_lines(global float *out, global const float *a, global const float *b, int n) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + a[g * n + k] * b[g * n + k];
    out[g] = sum;
}

// run 48 / 16 48 5: out short 48, in short2 1776, value int 37
kernel void row_of_lines_of_pairs(global short *out, global const short2 *in, int n) {
    int g = get_global_id(0);
    short sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + in[g * n + k].x - in[g * n + k].y;
    out[g] = sum;
}

// Structures of a line, of half of one, and of one and a half.
// run 48 / 16 48 5: out float 48, in float 768, in float 384, in float 1152
kernel void structures_of_lines(global float *out, global const float *line, global const float *half_line,
                                global const float *more) {
    int g = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 16; k++)
        sum = sum * 0.5f + line[g * 16 + k];
    for (int k = 0; k < 8; k++)
        sum = sum * 0.5f + half_line[g * 8 + k];
    for (int k = 0; k < 24; k++)
        sum = sum * 0.5f + more[g * 24 + k];
    out[g] = sum;
}

// run 48 / 16 48 5: out float4 48, in float4 192
kernel void structure_of_vectors(global float4 *out, global const float4 *in) {
    int g = get_global_id(0);
    global const float4 *own = in + 4 * g;
    out[g] = own[0] * own[1].wzyx + own[2].yxwz * own[3];
}

// A loop ends where another one's counter did.
// run 48 / 16 48 5: out float 48, in float 1680, value int 30
kernel void row_as_long_as_another(global float *out, global const float *in, int n) {
    int g = get_global_id(0), k = 0, more = 5;
    float sum = 0.0f;
    for (; k < n; k += 3, more++)
        sum = sum * 0.5f + in[g * 35 + k / 3];
    for (; k < 35; k++)
        sum = sum * 0.5f + in[g * 35 + k];
    for (int j = 0; j < k; j++)
        sum = sum * 0.5f + in[g * 35 + j];
    for (int j = 0; j < more; j++)
        sum = sum * 0.5f + in[g * 35 + j];
    out[g] = sum;
}
