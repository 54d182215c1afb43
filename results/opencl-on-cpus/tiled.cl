/* A product of matrices in tiles of TILE x TILE, the size of a work-group. */
kernel void product_tiled(global const float *a, global const float *b, global float *c, int inner) {
    local float of_a[TILE][TILE], of_b[TILE][TILE];
    int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
    int lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0.0f;
    for (int first = 0; first < inner; first += TILE) {
        of_a[ly][lx] = a[y * inner + first + lx];
        of_b[ly][lx] = b[(first + ly) * width + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += of_a[ly][k] * of_b[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * width + x] = sum;
}
