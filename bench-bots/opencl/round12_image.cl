/* Pictures: edges that hang together, a filter in a coarse grid, rays through a volume. */

#define TILE 16
#define SIDE (TILE + 2)
#define WEAK 1
#define STRONG 2

/* What a gradient is: nothing, an edge if it touches one, or an edge. */
__kernel void edge_sort(__global const uchar *gradients, const int count, const uchar low, const uchar high,
                        __global uchar *states)
{
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        const uchar gradient = gradients[i];
        states[i] = gradient >= high ? STRONG : gradient >= low ? WEAK : 0;
    }
}

/* Weak edges that touch a strong one become strong, in a tile until none does; `changed` tells whether something did. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void edge_grow(__global const uchar *now, const int width, const int height, __global uchar *next, __global int *changed)
{
    __local uchar tile[SIDE][SIDE];
    __local int grown, weak;

    const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * TILE + lx;
    const int x = get_global_id(0), y = get_global_id(1);
    const bool inside = x < width && y < height;
    if (lid == 0) weak = 0;
    for (int i = lid; i < SIDE * SIDE; i += TILE * TILE) {
        const int u = (int)get_group_id(0) * TILE + i % SIDE - 1, v = (int)get_group_id(1) * TILE + i / SIDE - 1;
        tile[i / SIDE][i % SIDE] = u >= 0 && u < width && v >= 0 && v < height ? now[v * width + u] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uchar state = tile[ly + 1][lx + 1];
    const uchar begun = state;
    if (inside && state == WEAK) weak = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int again = weak;
    while (again) {
        bool found = false;
        if (state == WEAK) {
            for (int v = ly; v <= ly + 2 && !found; v++) {
                for (int u = lx; u <= lx + 2; u++) {
                    if (tile[v][u] == STRONG) {
                        found = true;
                        break;
                    }
                }
            }
        }
        if (lid == 0) grown = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (found && inside) {
            state = STRONG;
            tile[ly + 1][lx + 1] = STRONG;
            grown = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        again = grown;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (!inside) return;
    next[y * width + x] = state;
    if (state != begun) *changed = 1;
}

__kernel void edge_mark(__global const uchar *states, const int count, __global uchar *edges)
{
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) edges[i] = states[i] == STRONG ? 255 : 0;
}

#define CELL 8     /* pixels along a side of a cell */
#define SHADES 16  /* that a cell stands for */

__kernel void grid_clear(__global int *cells)
{
    cells[get_global_id(0)] = 0;
}

/* Adds each pixel to the nearest cell: x and y in the picture, z by its shade. */
__kernel void grid_splat(__global const uchar *picture, const int width, const int columns, const int rows, __global int *cells)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int shade = picture[y * width + x];
    const int cx = (x + CELL / 2) / CELL, cy = (y + CELL / 2) / CELL, cz = (shade + SHADES / 2) / SHADES;
    const int cell = (cz * rows + cy) * columns + cx;
    atomic_add(&cells[2 * cell], shade);
    atomic_inc(&cells[2 * cell + 1]);
}

__kernel void grid_floats(__global const int2 *cells, const int count, __global float2 *out)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    out[i] = convert_float2(cells[i]);
}

/* A blur by 1 4 6 4 1 along axis 0, 1 or 2; nothing is outside. */
__kernel void grid_blur(__global const float2 *in, const int columns, const int rows, const int layers, const int axis,
                        __global float2 *out)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= columns || y >= rows || z >= layers) return;

    const int length = axis == 0 ? columns : axis == 1 ? rows : layers;
    const int place = axis == 0 ? x : axis == 1 ? y : z;
    const int step = axis == 0 ? 1 : axis == 1 ? columns : columns * rows;
    const int at = (z * rows + y) * columns + x;
    float2 sum = 6.0f * in[at];
    if (place > 0) sum += 4.0f * in[at - step];
    if (place > 1) sum += in[at - 2 * step];
    if (place + 1 < length) sum += 4.0f * in[at + step];
    if (place + 2 < length) sum += in[at + 2 * step];
    out[at] = sum / 16.0f;
}

/* Each pixel between the eight cells around it. */
__kernel void grid_slice(__global const uchar *picture, const int width, const int height, const int columns, const int rows,
                         __global const float2 *cells, __global float *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;

    const float px = (float)x / CELL, py = (float)y / CELL, pz = (float)picture[y * width + x] / SHADES;
    const int cx = (int)px, cy = (int)py, cz = (int)pz;
    const float fx = px - cx, fy = py - cy, fz = pz - cz;
    __global const float2 *from = cells + (cz * rows + cy) * columns + cx;
    float2 layers[2];
    for (int k = 0; k < 2; k++) {
        const float2 upper = mix(from[0], from[1], (float2)(fx));
        const float2 lower = mix(from[columns], from[columns + 1], (float2)(fx));
        layers[k] = mix(upper, lower, (float2)(fy));
        from += columns * rows;
    }
    const float2 sum = mix(layers[0], layers[1], (float2)(fz));
    out[y * width + x] = sum.x / sum.y;
}

#define COLOURS 64
#define DENSE 0.01f   /* what is less is not lit */
#define OPAQUE 0.98f

inline float density_at(__global const short *voxels, const int n, const float4 p)
{
    const int x = (int)p.x, y = (int)p.y, z = (int)p.z;
    const float fx = p.x - x, fy = p.y - y, fz = p.z - z;
    __global const short *from = voxels + (z * n + y) * n + x;
    const float a = mix(mix((float)from[0], (float)from[1], fx), mix((float)from[n], (float)from[n + 1], fx), fy);
    from += n * n;
    const float b = mix(mix((float)from[0], (float)from[1], fx), mix((float)from[n], (float)from[n + 1], fx), fy);
    return mix(a, b, fz);
}

inline float slope_at(__global const short *voxels, const int n, const float4 p, const float4 half_way)
{
    return density_at(voxels, n, p + half_way) - density_at(voxels, n, p - half_way);
}

/* Front to back along a ray a pixel through a cube of n * n * n voxels, whose values are below 4096, until it is left or little
 * can be seen through what was passed. `colours` has the colour and the opacity of a step for each value; `eye` sees a picture
 * that `right` and `down` span from `corner` on. */
__kernel void volume_cast(__global const short *voxels, const int n, __constant float4 *colours, const float4 eye,
                          const float4 corner, const float4 right, const float4 down, const int width, const int height,
                          const float step, __global uchar4 *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;

    const float4 way = normalize(corner + (x + 0.5f) * right + (y + 0.5f) * down - eye);
    const float4 one = (1.0f - eye) / way, other = (n - 2.0f - eye) / way;
    const float4 first = fmin(one, other), last = fmax(one, other);
    const float from = fmax(fmax(first.x, first.y), fmax(first.z, 0.0f)), to = fmin(fmin(last.x, last.y), last.z);
    float4 sum = (float4)(0.0f);
    if (from >= to) {
        out[y * width + x] = (uchar4)(0);
        return;
    }

    for (float t = from; t < to; t += step) {
        const float4 p = clamp(eye + t * way, 1.0f, n - 2.001f);
        const float value = density_at(voxels, n, p) * ((COLOURS - 1) / 4096.0f);
        const int entry = (int)value;
        float4 colour = mix(colours[entry], colours[entry + 1], (float4)(value - entry));
        if (colour.w <= 0.0f) continue;
        if (colour.w > DENSE) {
            const float gx = slope_at(voxels, n, p, (float4)(0.5f, 0.0f, 0.0f, 0.0f));
            const float gy = slope_at(voxels, n, p, (float4)(0.0f, 0.5f, 0.0f, 0.0f));
            const float gz = slope_at(voxels, n, p, (float4)(0.0f, 0.0f, 0.5f, 0.0f));
            const float size = sqrt(gx * gx + gy * gy + gz * gz) + 100.0f;
            const float light = fabs(gx * way.x + gy * way.y + gz * way.z) / size;
            colour.xyz *= 0.3f + 0.7f * light;
        }
        const float part = (1.0f - sum.w) * colour.w;
        sum.xyz += part * colour.xyz;
        sum.w += part;
        if (sum.w >= OPAQUE) break;
    }
    out[y * width + x] = convert_uchar4_sat_rte(255.0f * sum);
}
