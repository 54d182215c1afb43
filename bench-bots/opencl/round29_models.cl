/* Models: rows of weights with four bits each, and a robot that tries many ways at once. */

#if defined(cl_khr_subgroups) || defined(cl_intel_subgroups) || defined(__opencl_c_subgroups)
#define HAS_SUB_GROUPS 1
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#endif

#define LANES 64 /* of a work-group */
#define ROWS 4   /* of a work-group */
#define BLOCK 32 /* weights */

/* As the microscaling formats have it: a power of two, and 32 numbers with two bits of exponent and
 * one of mantissa. The low halves of the bytes come first. */
typedef struct {
    uchar power;
    uchar pairs[BLOCK / 2];
} mx_block_t;

__constant float values[16] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f,
                               -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};

inline float4 four_values(const uchar4 codes)
{
    return (float4)(values[codes.x], values[codes.y], values[codes.z], values[codes.w]);
}

/* The sum over a work-group, for the items that need it; `parts` has room for one number an item. */
inline float group_total(float own, __local float *parts)
{
#ifdef HAS_SUB_GROUPS
    own = sub_group_reduce_add(own);
    if (get_sub_group_local_id() == 0) parts[get_sub_group_id()] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    float total = 0.0f;
    for (uint i = 0; i < get_num_sub_groups(); i++) total += parts[i];
#else
    const int lid = get_local_id(0);
    parts[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = LANES / 2; apart > 0; apart >>= 1) {
        if (lid < apart) parts[lid] += parts[lid + apart];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float total = parts[0];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

/* Work-groups multiply rows of the expert that a token goes to by the token's numbers. */
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void mxfp4_rows(__global const mx_block_t *weights, __global const float *biases,
                __global const float *tokens, __global const int *experts, const int rows,
                const int blocks, __global float *results)
{
    __local float parts[LANES];

    const int lid = get_local_id(0), token = get_global_id(1);
    const int first_row = get_group_id(0) * ROWS, expert = experts[token];
    __global const mx_block_t *matrix = weights + (size_t)expert * rows * blocks;
    __global const float *numbers = tokens + token * blocks * BLOCK;
    float sums[ROWS] = {0.0f};
    for (int block = lid; block < blocks; block += LANES) {
        float4 low[4], high[4];
        for (int i = 0; i < 4; i++) {
            low[i] = vload4(i, numbers + block * BLOCK);
            high[i] = vload4(i + 4, numbers + block * BLOCK);
        }
        for (int r = 0; r < ROWS && first_row + r < rows; r++) {
            __global const mx_block_t *own = matrix + (first_row + r) * blocks + block;
            float sum = 0.0f;
            for (int i = 0; i < 4; i++) {
                const uchar4 pairs = vload4(i, own->pairs);
                sum += dot(four_values(pairs & (uchar4)(15)), low[i]);
                sum += dot(four_values(pairs >> (uchar4)(4)), high[i]);
            }
            sums[r] += sum * as_float((uint)own->power << 23);
        }
    }
    for (int r = 0; r < ROWS; r++) {
        const float total = group_total(sums[r], parts);
        if (lid == 0 && first_row + r < rows) {
            results[token * rows + first_row + r] = total + biases[expert * rows + first_row + r];
        }
    }
}

typedef struct {
    float x, y, heading, speed;
} car_t;

typedef struct {
    float dt, wheel_base, most_steer, most_speed;
    float steer_noise, pull_noise, cell, heat;
    float goal_x, goal_y;
    int map_width, map_height;
} plan_t;

#define WALL 255
#define CRASH 500.0f

/* Salmon's Philox generator, of ten rounds. */
uint4 philox(uint4 counter, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const uint high0 = mul_hi(0xd2511f53u, counter.x), low0 = 0xd2511f53u * counter.x;
        const uint high1 = mul_hi(0xcd9e8d57u, counter.z), low1 = 0xcd9e8d57u * counter.z;
        counter = (uint4)(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key += (uint2)(0x9e3779b9u, 0xbb67ae85u);
    }
    return counter;
}

/* Each item draws what two steps of a way are disturbed by: steering and pull. */
__kernel void draw_noise(__global float2 *noise, const int ways, const int steps, const uint2 key,
                         const plan_t plan)
{
    const int way = get_global_id(0), pair = get_global_id(1);
    if (way >= ways) return;
    const uint4 words = philox((uint4)(way, pair, 0, 0), key);
    const float4 units = (convert_float4(words >> 9) + 0.5f) * 0x1p-23f;
    const float2 far = sqrt(-2.0f * log(units.xy)), angle = 2.0f * M_PI_F * units.zw;
    const float2 scale = (float2)(plan.steer_noise, plan.pull_noise);
    noise[2 * pair * ways + way] = scale * far.x * (float2)(cos(angle.x), sin(angle.x));
    if (2 * pair + 1 < steps) {
        noise[(2 * pair + 1) * ways + way] = scale * far.y * (float2)(cos(angle.y), sin(angle.y));
    }
}

/* Each item drives one way with disturbed controls, and tells what it costs. A way that runs into a
 * wall ends there. */
__kernel void mppi_rollouts(__global const float2 *noise, __global const float2 *controls,
                            __global const uchar *map, const int ways, const int steps,
                            const car_t start, const plan_t plan, __global float *costs,
                            volatile __global uint *least)
{
    const int way = get_global_id(0);
    if (way >= ways) return;
    car_t car = start;
    float cost = 0.0f;
    for (int step = 0; step < steps; step++) {
        const float2 planned = controls[step], used = planned + noise[step * ways + way];
        const float steer = clamp(used.x, -plan.most_steer, plan.most_steer);
        car.speed = clamp(car.speed + used.y * plan.dt, 0.0f, plan.most_speed);
        car.heading += car.speed * tan(steer) / plan.wheel_base * plan.dt;
        car.x += car.speed * cos(car.heading) * plan.dt;
        car.y += car.speed * sin(car.heading) * plan.dt;
        const int column = (int)floor(car.x / plan.cell), row = (int)floor(car.y / plan.cell);
        const bool is_outside = column < 0 || row < 0 || column >= plan.map_width || row >= plan.map_height;
        const uchar risk = is_outside ? WALL : map[row * plan.map_width + column];
        if (risk == WALL) {
            cost += CRASH + (steps - step);
            break;
        }
        cost += 0.01f * risk + 0.5f * planned.x * used.x + 0.1f * fabs(car.speed - 0.8f * plan.most_speed);
    }
    cost += 2.0f * hypot(car.x - plan.goal_x, car.y - plan.goal_y);
    costs[way] = cost = fmax(cost, 0.0f);
    atomic_min(least, as_uint(cost)); /* numbers that are not negative have the order of their bits */
}

#define BLENDERS 128

/* Each work-group finds the control of one step: that of all ways, the cheap ones first of all. */
__kernel __attribute__((reqd_work_group_size(BLENDERS, 1, 1)))
void blend_controls(__global const float2 *noise, __global const float *costs,
                    __global const uint *least, const int ways, const plan_t plan,
                    __global const float2 *controls, __global float2 *better)
{
    __local float4 sums[BLENDERS];

    const int lid = get_local_id(0), step = get_group_id(0);
    const float lowest = as_float(*least);
    float4 own = (float4)(0.0f);
    for (int way = lid; way < ways; way += BLENDERS) {
        const float share = exp((lowest - costs[way]) / plan.heat);
        own += share * (float4)(noise[step * ways + way], 1.0f, 0.0f);
    }
    sums[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = BLENDERS / 2; apart > 0; apart /= 2) {
        if (lid < apart) sums[lid] += sums[lid + apart];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) better[step] = controls[step] + sums[0].xy / sums[0].z;
}
