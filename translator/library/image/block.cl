/* Blocks of an image that the items of a sub-group read and write together: 32 bits for each item and row, as they lie in memory.
 *
 * The coordinate counts bytes along x. What is outside of the image is, when it is read, the nearest 32 bits of the image; it is not
 * written. Source: cl_intel_subgroups, of images whose elements have at most 32 bits. */
#include "image.h"

OVERLOAD uint get_sub_group_local_id(void) __attribute__((const));

static inline int bytes_of_row(IMAGE image) { return (int)(image->size[0] * image->pitch[0]); }

static inline uint word(IMAGE image, int2 at, int row) {
    int bytes = bytes_of_row(image), last = (int)image->size[1] - 1;
    const __global uchar *line = line_at(image, __builtin_elementwise_min(__builtin_elementwise_max(at.y + row, 0), last), 0);
    int x = at.x + 4 * (int)get_sub_group_local_id();
    x = __builtin_elementwise_max(__builtin_elementwise_min(x, bytes - 4), 0);
    if (bytes >= 4) return *(const __global loose_uint *)(line + x);
    uint all = 0;
    for (int byte = 0; byte < bytes; ++byte) all |= (uint)line[byte] << 8 * byte;
    return all;
}

static inline void put(IMAGE image, int2 at, int row, uint all) {
    int bytes = bytes_of_row(image), y = at.y + row, x = at.x + 4 * (int)get_sub_group_local_id();
    if (x < 0 || x >= bytes || (uint)y >= image->size[1]) return;
    __global uchar *to = line_at(image, y, 0) + x;
    if (x + 4 <= bytes) {
        *(__global loose_uint *)to = all;
        return;
    }
    for (int byte = 0; x + byte < bytes; ++byte) to[byte] = (uchar)(all >> 8 * byte);
}

#define READS(I)                                                                                                          \
    OVERLOAD IMAGE of(I image) __asm__("vicinity_image");                                                                 \
    OVERLOAD uint intel_sub_group_block_read(I image, int2 at) { return word(of(image), at, 0); }                         \
    OVERLOAD uint2 intel_sub_group_block_read2(I image, int2 at) {                                                        \
        IMAGE i = of(image);                                                                                              \
        return (uint2)(word(i, at, 0), word(i, at, 1));                                                                   \
    }                                                                                                                     \
    OVERLOAD uint4 intel_sub_group_block_read4(I image, int2 at) {                                                        \
        return (uint4)(intel_sub_group_block_read2(image, at), intel_sub_group_block_read2(image, at + (int2)(0, 2)));    \
    }                                                                                                                     \
    OVERLOAD uint8 intel_sub_group_block_read8(I image, int2 at) {                                                        \
        return (uint8)(intel_sub_group_block_read4(image, at), intel_sub_group_block_read4(image, at + (int2)(0, 4)));    \
    }
#define WRITES(I)                                                                                                         \
    OVERLOAD void intel_sub_group_block_write(I image, int2 at, uint x) { put(of(image), at, 0, x); }                     \
    OVERLOAD void intel_sub_group_block_write2(I image, int2 at, uint2 x) {                                               \
        put(of(image), at, 0, x.s0);                                                                                      \
        put(of(image), at, 1, x.s1);                                                                                      \
    }                                                                                                                     \
    OVERLOAD void intel_sub_group_block_write4(I image, int2 at, uint4 x) {                                               \
        intel_sub_group_block_write2(image, at, x.lo);                                                                    \
        intel_sub_group_block_write2(image, at + (int2)(0, 2), x.hi);                                                     \
    }                                                                                                                     \
    OVERLOAD void intel_sub_group_block_write8(I image, int2 at, uint8 x) {                                               \
        intel_sub_group_block_write4(image, at, x.lo);                                                                    \
        intel_sub_group_block_write4(image, at + (int2)(0, 4), x.hi);                                                     \
    }
READS(read_only image2d_t)
READS(read_write image2d_t)
OVERLOAD IMAGE of(write_only image2d_t image) __asm__("vicinity_image");
WRITES(write_only image2d_t)
WRITES(read_write image2d_t)
