/* Bodies that all attract each other; a group shares a tile of them in local memory. */

#define BODIES 256

float4 pulled(float4 pull, float4 own, float4 other, float softening) {
    float4 way = other - own;
    float square = way.x * way.x + way.y * way.y + way.z * way.z + softening;
    float inverse = rsqrt(square);
    float strength = other.w * inverse * inverse * inverse;
    pull.x += way.x * strength;
    pull.y += way.y * strength;
    pull.z += way.z * strength;
    return pull;
}

/* Positions have masses in w. One step of a leapfrog; the host gives the local memory. */
__kernel __attribute__((reqd_work_group_size(BODIES, 1, 1)))
void nbody_shared(int bodies, float step, float softening, __global const float4 *position, __global const float4 *velocity,
                  __global float4 *new_position, __global float4 *new_velocity, __local float4 *shared) {
    int i = get_global_id(0), x = get_local_id(0);
    float4 own = position[i], pull = (float4)(0.0f);
    for (int tile = 0; tile < bodies; tile += BODIES) {
        shared[x] = position[tile + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < BODIES; k++) {
            pull = pulled(pull, own, shared[k], softening);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 speed = velocity[i] + step * pull;
    new_velocity[i] = speed;
    new_position[i] = (float4)(own.xyz + step * speed.xyz, own.w);
}
