/* What programs call of cl_intel_subgroups. clang declares all other functions by itself; this is included where a program may call one. */
#define VICINITY_DECLARE __attribute__((overloadable))
#define VICINITY_SHUFFLES(T)                                                 \
    VICINITY_DECLARE T intel_sub_group_shuffle(T x, uint lane);              \
    VICINITY_DECLARE T intel_sub_group_shuffle_xor(T x, uint bits);          \
    VICINITY_DECLARE T intel_sub_group_shuffle_down(T x, T next, uint by);   \
    VICINITY_DECLARE T intel_sub_group_shuffle_up(T before, T x, uint by);
#define VICINITY_ALL_SHUFFLES(T)                                             \
    VICINITY_SHUFFLES(T) VICINITY_SHUFFLES(T##2) VICINITY_SHUFFLES(T##3)     \
    VICINITY_SHUFFLES(T##4) VICINITY_SHUFFLES(T##8) VICINITY_SHUFFLES(T##16)
VICINITY_ALL_SHUFFLES(int)
VICINITY_ALL_SHUFFLES(uint)
VICINITY_ALL_SHUFFLES(float)
VICINITY_SHUFFLES(long)
VICINITY_SHUFFLES(ulong)
VICINITY_SHUFFLES(double)
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
VICINITY_SHUFFLES(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#define VICINITY_BLOCKS(n)                                                               \
    VICINITY_DECLARE uint##n intel_sub_group_block_read##n(const __global uint *p);      \
    VICINITY_DECLARE void intel_sub_group_block_write##n(__global uint *p, uint##n x);   \
    VICINITY_DECLARE uint##n intel_sub_group_block_read##n(read_only image2d_t image, int2 at); \
    VICINITY_DECLARE void intel_sub_group_block_write##n(write_only image2d_t image, int2 at, uint##n x);
VICINITY_BLOCKS()
VICINITY_BLOCKS(2)
VICINITY_BLOCKS(4)
VICINITY_BLOCKS(8)
#ifdef __opencl_c_read_write_images
#define VICINITY_BLOCKS_BOTH(n)                                                          \
    VICINITY_DECLARE uint##n intel_sub_group_block_read##n(read_write image2d_t image, int2 at); \
    VICINITY_DECLARE void intel_sub_group_block_write##n(read_write image2d_t image, int2 at, uint##n x);
VICINITY_BLOCKS_BOTH()
VICINITY_BLOCKS_BOTH(2)
VICINITY_BLOCKS_BOTH(4)
VICINITY_BLOCKS_BOTH(8)
#undef VICINITY_BLOCKS_BOTH
#endif
#undef VICINITY_BLOCKS
#undef VICINITY_ALL_SHUFFLES
#undef VICINITY_SHUFFLES
#undef VICINITY_DECLARE
