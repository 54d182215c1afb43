// Numbers of 8 and 16 bits in rows of items that are shorter than vectors of these, as long, or longer by a part.

// run 48x32 / 16x16 8x8 48x2 24x4 4x8 3x2 32x4 64x3: out uchar! 1536, in uchar! 2000
kernel void median(global uchar *out, global const uchar *in) {
    local uchar t[35][67];
    int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), h = get_local_size(1);
    int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    for (int row = y; row < h + 2; row += h) {
        for (int column = x; column < w + 2; column += w) {
            t[row][column] = in[at + (row - y) * 3 + column - x];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar a = min(t[y][x], t[y][x + 1]), b = max(t[y][x], t[y][x + 1]), c = t[y + 1][x + 2];
    out[at] = max(a, min(b, c)) + t[y + 2][x];
}

// run 60x9 / 16x3 8x3 60x1 20x9 10x3 7x2: out short 540, in short! 540, value int 45
kernel void departing(global short *out, global const short *in, int n) {
    local short t[9][64];
    int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0);
    int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    t[y][x] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) >= n) return;
    out[at] = t[y][w - 1 - x] * 3 + t[y][x] + get_group_id(0);
}

// run 96 / 16 8 32 48 5 96: inout uchar! 96, inout uchar! 96
kernel void maybe_the_same(global uchar *a, global uchar *b) {
    local uchar t[96];
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
    t[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[g] = b[g] / 2 + t[(l + 1) % n];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[g] = b[g - l + (l + 3) % n] ^ t[n - 1 - l];
}

// run 32x20 / 4x16 16x4 1x20 2x16 8x8: out short 640, in short! 640
kernel void columns(global short *out, global const short *in) {
    local short t[32][32];
    int x = get_local_id(0), y = get_local_id(1), h = get_local_size(1);
    int at = get_global_id(0) * get_global_size(1) + get_global_id(1);
    t[x][y] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = t[x][h - 1 - y] - t[x][y];
}
