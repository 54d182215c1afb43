/* Kernels that do as little as can be. */

__kernel void empty(void) {}

__kernel void store(__global int *out) { out[get_global_id(0)] = (int)get_global_id(0); }
