/* Kernels that do as little as can be. */

__kernel void empty(void) {}

__kernel void store(__global int *out) { out[get_global_id(0)] = (int)get_global_id(0); }

/* Keeps a processor busy for so many steps, one after the other; the local memory keeps groups from being joined. */
__kernel void busy(__global ulong *words, int steps) {
    __local ulong seed;
    seed = words[get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong word = seed;
    for (int step = 0; step < steps; step++) {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
    }
    words[get_group_id(0)] = word;
}
