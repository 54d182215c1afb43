/* Models: the price of an option, a picture of a solid. */

#define STEPS 255

/* An American put by a binomial tree: a group has an option, an item an end of the tree, and all fold it up together.
 * An option is its asset's price, its strike, its years and the volatility. */
__kernel void binomial_put(float rate, __global const float4 *options, __global float *price) {
    __local float value[STEPS + 1];
    const int item = get_local_id(0);
    const float4 option = options[get_group_id(0)];
    const float span = option.z / STEPS;
    const float up = exp(option.w * sqrt(span));
    const float growth = exp(rate * span);
    const float chance = (growth - 1.0f / up) / (up - 1.0f / up);
    const float up_share = chance / growth, down_share = (1.0f - chance) / growth;
    float asset = option.x * exp(option.w * sqrt(span) * (2 * item - STEPS));
    value[item] = max(option.y - asset, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int left = STEPS; left > 0; left--) {
        float kept = 0.0f;
        asset *= up;
        if (item < left) {
            kept = max(up_share * value[item + 1] + down_share * value[item], option.y - asset);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < left) {
            value[item] = kept;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        price[get_group_id(0)] = value[0];
    }
}

/* How far a place is from the solid: a ring, and a ball that runs into it, on a floor. */
float distance_to(float3 p) {
    float2 ring = (float2)(length(p.xz) - 1.0f, p.y);
    float to_ring = length(ring) - 0.35f;
    float to_ball = length(p - (float3)(0.9f, 0.5f, -0.4f)) - 0.5f;
    float blend = clamp(0.5f + 0.5f * (to_ball - to_ring) / 0.2f, 0.0f, 1.0f);
    float solid = mix(to_ball, to_ring, blend) - 0.2f * blend * (1.0f - blend);
    return min(solid, p.y + 0.7f);
}

/* A picture by marching: each ray goes as far as is free, until it is there or too far. */
__kernel void distance_field(int width, int height, float3 eye, __global float *out) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float3 ray = normalize((float3)((2.0f * x - width) / height, 1.0f - 2.0f * y / height - 0.5f, 1.6f));
    float gone = 0.0f;
    bool there = false;
    for (int step = 0; step < 80 && gone < 20.0f; step++) {
        float free = distance_to(eye + gone * ray);
        if (free < 0.001f) {
            there = true;
            break;
        }
        gone += free;
    }
    float light = 0.1f;
    if (there) {
        const float2 e = (float2)(0.01f, 0.0f);
        float3 p = eye + gone * ray;
        float3 normal = normalize((float3)(distance_to(p + e.xyy) - distance_to(p - e.xyy),
                                           distance_to(p + e.yxy) - distance_to(p - e.yxy),
                                           distance_to(p + e.yyx) - distance_to(p - e.yyx)));
        light = 0.2f + 0.8f * fmax(dot(normal, normalize((float3)(0.6f, 0.8f, -0.5f))), 0.0f);
    }
    out[y * width + x] = light;
}
