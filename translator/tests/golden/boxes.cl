// How far two loops, one in the other, go: an item's own box, a box that neighbours share.

__kernel void own_boxes(__global const int4 *boxes, int width, __global const float *picture, __global float *out)
{
    int id = get_global_id(0);
    int4 box = boxes[id];
    float sum = 0.0f;
    for (int y = box.y; y < box.w; y++)
        for (int x = box.x; x < box.z; x++) sum += picture[y * width + x];
    out[id] = sum;
}

__kernel void shared_boxes(__global const int4 *boxes, int width, int each, __global const float *picture, __global float *out)
{
    int id = get_global_id(0);
    int4 box = boxes[id / each];
    float sum = 0.0f;
    for (int y = box.y; y < box.w; y++)
        for (int x = box.x; x < box.z; x++) sum += picture[y * width + x + id % each];
    out[id] = sum;
}
