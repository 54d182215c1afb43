/* One kernel for each rule on which our order differs from the paper's, and loops that a model of state and trip counts is for.
   All have the same parameters: rows and columns of n, m more of whatever a kernel says. */

/* Elements of four numbers, of which one is read: the index grows by 4, the memory by 16 bytes. */
kernel void one_of_four(global const float *a, global const float *b, global float *c, int n, int m) {
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < m; k++)
        s += a[4 * (k * n + i)];
    c[i] = s;
}
/* A picture in one dimension: row and column by division. */
kernel void row_by_division(global const float *a, global const float *b, global float *c, int n, int m) {
    int i = get_global_id(0), y = i / n, x = i % n;
    float s = 0;
    for (int k = 0; k < m; k++)
        s += a[(k + y) * n + x];
    c[i] = s;
}
/* Blocks of items that share an element, and walk on from it. */
kernel void shared_by_division(global const float *a, global const float *b, global float *c, int n, int m) {
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < m; k++)
        s += a[i / n + k] * b[i / n + k + 1];
    c[i] = s;
}
/* What a register holds votes in the paper. */
kernel void held(global const float *a, global const float *b, global float *c, int n, int m) {
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < m; k++)
        s += a[i] * b[k * n + i];
    c[i] = s;
}
/* Two accesses to one element: a read and a write. */
kernel void in_place(global const float *a, global const float *b, global float *c, int n, int m) {
    int x = get_global_id(0), y = get_global_id(1);
    for (int k = 0; k < m; k++)
        c[y * n + x] += a[y * n + k] * b[k * n + x];
}
/* Rows inside of columns. */
kernel void rows_in_columns(global const float *a, global const float *b, global float *c, int n, int m) {
    int i = get_global_id(0);
    float s = 0;
    for (int j = 0; j < m; j++) {
        int t = 0;
        for (int k = 0; k < m; k++)
            t += as_int(a[i * m + k]) >> (j & 7);
        s += b[j * n + i] * b[(j + 1) * n + i] * t;
    }
    c[i] = s;
}
/* A loop that half of the items run. */
kernel void half_active(global const float *a, global const float *b, global float *c, int n, int m) {
    int i = get_global_id(0);
    float s = 0;
    if (get_local_id(0) < 32)
        for (int k = 0; k < m; k++)
            s += a[k * n + i];
    c[i] = s;
}
/* A loop that each item leaves when it likes, by columns. */
kernel void apart(global const float *a, global const float *b, global float *c, int n, int m) {
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < m + (i & 7); k++)
        s += a[k * n + i];
    c[i] = s;
}
/* One item a few rows, as pictures are processed: the bound is the end of the picture or of the item's rows. */
kernel void few_rows(global const float *a, global const float *b, global float *c, int n, int m) {
    int x = get_global_id(0), y0 = get_global_id(1) * 4;
    if (x < n)
        for (int y = y0, y1 = min(m, y0 + 4); y < y1; ++y)
            c[y * n + x] = a[y * n + x] * 2 + b[y * n + x];
}
/* The same, with the number of rows as an argument would give it: one. */
kernel void some_rows(global const float *a, global const float *b, global float *c, int n, int m) {
    int x = get_global_id(0), y0 = get_global_id(1) * (m >> 9);
    for (int y = y0; y < min(m, y0 + (m >> 9)); ++y)
        c[y * n + x] = a[y * n + x] * 2 + b[y * n + x];
}
/* A sum over all that there is, in steps of all items, and over a group behind a barrier. */
kernel void grid_stride(global const float *a, global const float *b, global float *c, int n, int m) {
    local float part[256];
    int l = get_local_id(0);
    float s = 0, t = 1e30f, u = -1e30f;
    for (int i = get_global_id(0); i < n * m; i += get_global_size(0)) {
        float v = a[i];
        s += v;
        t = min(t, v);
        u = max(u, v);
    }
    part[l] = s + t * u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 128; step > 0; step >>= 1) {
        if (l < step)
            part[l] += part[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        c[get_group_id(0)] = part[0];
}
/* The same with as many iterations for all items, so that breadth-first can be had. */
kernel void even_stride(global const float *a, global const float *b, global float *c, int n, int m) {
    local float part[256];
    int l = get_local_id(0);
    float s = 0, t = 1e30f, u = -1e30f;
    for (int k = 0; k < m; k++) {
        float v = a[k * n + get_global_id(0)];
        s += v;
        t = min(t, v);
        u = max(u, v);
    }
    part[l] = s + t * u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        c[get_group_id(0)] = part[0] + part[255];
}
/* A filter of a few taps over a tile of local memory. */
kernel void taps_of_tile(global const float *a, global const float *b, global float *c, int n, int m) {
    local float tile[24][64];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    for (int r = ly; r < 24; r += 4)
        tile[r][lx] = a[(y - ly + r) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0;
    for (int k = 0; k < 20; k++)
        s += b[k] * tile[ly + k][lx];
    c[y * n + x] = s;
}
/* A filter of a few taps over the picture: 20 rows. */
kernel void taps_of_rows(global const float *a, global const float *b, global float *c, int n, int m) {
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int k = 0; k < 20; k++)
        s += b[k] * a[(y + k) * n + x];
    c[y * n + x] = s;
}
/* The same, where the number of taps is an argument. */
kernel void taps_given(global const float *a, global const float *b, global float *c, int n, int m) {
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int k = 0; k < m; k++)
        s += b[k] * a[(y + k) * n + x];
    c[y * n + x] = s;
}
/* Columns, in a kernel whose items wait for each other later. */
kernel void columns_and_barrier(global const float *a, global const float *b, global float *c, int n, int m) {
    local float row[256];
    int i = get_global_id(0), l = get_local_id(0);
    float s = 0;
    for (int k = 0; k < m; k++)
        s += a[k * n + i] * b[k];
    row[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = row[l ^ 1] + s;
}
/* Columns by an index that each item advances by itself. */
kernel void own_index(global const float *a, global const float *b, global float *c, int n, int m) {
    int i = get_global_id(0), at = i;
    float s = 0;
    for (int k = 0; k < m; k++, at += n)
        s += a[at];
    c[i] = s;
}
/* The same by an address. */
kernel void own_address(global const float *a, global const float *b, global float *c, int n, int m) {
    int i = get_global_id(0);
    global const float *p = a + i;
    float s = 0;
    for (int k = 0; k < m; k++, p += n)
        s += *p;
    c[i] = s;
}
/* Counts of values in global memory, in steps of all items. */
kernel void grid_histogram(global const float *a, global const float *b, global float *c, int n, int m) {
    volatile global int *count = (volatile global int *)c;
    for (int i = get_global_id(0); i < n * m; i += get_global_size(0))
        atomic_inc(count + ((int)(a[i] * 37) & 1023));
}
