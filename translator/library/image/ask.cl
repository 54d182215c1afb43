/* get_image_...: what an image is. */
#include "image.h"

#define ASK(I)                                                                                          \
    OVERLOAD IMAGE of(I) __asm__("vicinity_image");                                                     \
    OVERLOAD int get_image_width(I image) { return of(image)->size[0]; }                                \
    OVERLOAD int get_image_channel_data_type(I image) { return of(image)->type; }                       \
    OVERLOAD int get_image_channel_order(I image) { return of(image)->order; }
#define ASK_LAYERS(I, axis) \
    OVERLOAD size_t get_image_array_size(I image) { return of(image)->size[axis]; }
#define ASK_2(I)                                                                                        \
    ASK(I)                                                                                              \
    OVERLOAD int get_image_height(I image) { return of(image)->size[1]; }                               \
    OVERLOAD int2 get_image_dim(I image) { return (int2)(of(image)->size[0], of(image)->size[1]); }
#define ASK_3(I)                                                                                        \
    ASK(I)                                                                                              \
    OVERLOAD int get_image_height(I image) { return of(image)->size[1]; }                               \
    OVERLOAD int get_image_depth(I image) { return of(image)->size[2]; }                                \
    OVERLOAD int4 get_image_dim(I image) { return (int4)(of(image)->size[0], of(image)->size[1], of(image)->size[2], 0); }
#define ALL(access)                                                                                     \
    ASK(access image1d_t)                                                                               \
    ASK(access image1d_buffer_t)                                                                        \
    ASK(access image1d_array_t) ASK_LAYERS(access image1d_array_t, 1)                                   \
    ASK_2(access image2d_t)                                                                             \
    ASK_2(access image2d_depth_t)                                                                       \
    ASK_2(access image2d_array_t) ASK_LAYERS(access image2d_array_t, 2)                                 \
    ASK_2(access image2d_array_depth_t) ASK_LAYERS(access image2d_array_depth_t, 2)                     \
    ASK_3(access image3d_t)
ALL(read_only)
ALL(write_only)
ALL(read_write)
