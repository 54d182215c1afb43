// Images: read with and without a sampler, between elements and outside, in loops, behind barriers; written and read in turn.

// run 16x8 / 8x4 16x8: image float4 16x8, image float4 16x8
kernel void filtered(read_only image2d_t from, write_only image2d_t to)
{
    const sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int i = -2; i <= 2; i++)
        sum += read_imagef(from, smooth, convert_float2(at) + (float2)(i * 0.75f, 0.25f));
    write_imagef(to, at, sum);
}

// run 16x8 / 8x4: image uchar4 16x8, image uchar4 16x8, value uint 20
kernel void around(read_only image2d_t from, write_only image2d_t to, sampler_t border)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 most = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            most = max(most, read_imagef(from, border, at + (int2)(x, y)));
    write_imagef(to, at, most);
}

// run 64 / 16: image int 16x4, out int 64
kernel void gathered(read_only image2d_t from, global int *to)
{
    int i = get_global_id(0);
    int sum = 0;
    for (int x = 0; x <= i % 5; x++)
        sum += read_imagei(from, (int2)((i * 7 + x) % get_image_width(from), i % get_image_height(from))).x;
    to[i] = sum + get_image_channel_order(from);
}

// run 32x2 / 8x2: image float 32x2, out float 64
kernel void turned(read_write image2d_t both, global float *to)
{
    local float row[16];
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    int here = get_local_id(1) * 8 + get_local_id(0);
    row[here] = read_imagef(both, at).x;
    barrier(CLK_LOCAL_MEM_FENCE);
    write_imagef(both, at, (float4)(row[15 - here] + 1, 0, 0, 0));
    to[at.y * 32 + at.x] = read_imagef(both, at).x;
}

// run 8x8x2 / 4x4x1: image float4 8x8x2, image uchar4 8x8x2
kernel void deep(read_only image3d_t from, write_only image3d_t to)
{
    const sampler_t wrapped = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    float4 place = convert_float4(at) / 7;
    if (at.x > at.y)
        write_imagef(to, at, read_imagef(from, wrapped, place) / 10);
}

// run 16 / 4 8: image float4 8x3, out float4 16
kernel void layers(read_only image1d_array_t from, global float4 *to)
{
    const sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
    int i = get_global_id(0);
    to[i] = read_imagef(from, mirrored, (float2)(i * 0.3f - 2, i * 0.4f));
}

// run 45x6 / 15x2 45x1 9x3: image uchar4 45x6, image uchar4 45x6
kernel void blurred(read_only image2d_t from, write_only image2d_t to)
{
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imagef(from, edge, at + (int2)(x, y)) * (float)((2 - abs(x)) * (2 - abs(y)));
    if (at.x % 7 != 3)
        write_imagef(to, at, sum / 16);
}

// run 24x6 / 8x2 24x1: image float4 24x6, image float4 24x6
kernel void shifted(read_only image2d_t from, write_only image2d_t to)
{
    const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 here = read_imagef(from, border, convert_float2(at) * 1.5f - (float2)(3.25f, 1.5f));
    if (here.w > 0)
        here += read_imagef(from, (int2)(23 - at.x, at.y));
    write_imagef(to, (int2)(at.x + 2, at.y - 1), here);
}
