// Images and samplers: what is said of them, commands on them, and what kernels read and write, beside what the specification
// says.
#include "check.h"
#include <math.h>

enum { W = 7, H = 5, D = 3 };

static cl_mem image_of(cl_mem_object_type kind, cl_image_format format, cl_mem_flags flags, size_t row, void *host)
{
    cl_image_desc wanted = {.image_type = kind, .image_width = W, .image_height = H, .image_depth = D,
                            .image_array_size = D, .image_row_pitch = row};
    cl_mem image = clCreateImage(context, flags, &format, &wanted, host, &error);
    OK(error);
    return image;
}

static size_t fact(cl_mem image, cl_image_info name)
{
    size_t value = 0;
    OK(clGetImageInfo(image, name, sizeof value, &value, NULL));
    return value;
}

static void answers(void)
{
    cl_bool is_there = CL_FALSE;
    size_t width = 0;
    cl_uint count = 0, kind = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof is_there, &is_there, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof width, &width, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, sizeof count, &count, NULL));
    CHECK(is_there && width >= 16384 && count >= 64);
    cl_image_format formats[128];
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 128, formats, &count));
    CHECK(count == 77 && formats[0].image_channel_order == CL_R);

    cl_image_format format = {CL_RG, CL_HALF_FLOAT}, found;
    cl_mem layers = image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, format, 0, 0, NULL);
    OK(clGetImageInfo(layers, CL_IMAGE_FORMAT, sizeof found, &found, NULL));
    CHECK(memcmp(&format, &found, sizeof found) == 0);
    CHECK(fact(layers, CL_IMAGE_WIDTH) == W && fact(layers, CL_IMAGE_HEIGHT) == H && fact(layers, CL_IMAGE_DEPTH) == 0);
    CHECK(fact(layers, CL_IMAGE_ARRAY_SIZE) == D && fact(layers, CL_IMAGE_ELEMENT_SIZE) == 4);
    CHECK(fact(layers, CL_IMAGE_ROW_PITCH) == 4 * W && fact(layers, CL_IMAGE_SLICE_PITCH) == 4 * W * H);
    OK(clGetMemObjectInfo(layers, CL_MEM_TYPE, sizeof kind, &kind, NULL));
    CHECK(kind == CL_MEM_OBJECT_IMAGE2D_ARRAY);
    OK(clReleaseMemObject(layers));

    cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    cl_sampler sampler = clCreateSamplerWithProperties(context, list, &error);
    OK(error);
    OK(clRetainSampler(sampler));
    cl_bool normalized = 0;
    cl_sampler_properties again[5];
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL));
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof kind, &kind, NULL));
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof count, &count, NULL));
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof again, again, NULL));
    CHECK(normalized && kind == CL_ADDRESS_REPEAT && count == 2 && memcmp(again, list, sizeof list) == 0);
    OK(clReleaseSampler(sampler));
    OK(clReleaseSampler(sampler));
}

// Written, copied, filled and mapped: one box after another, of bytes that say where they are.
static void commands(void)
{
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_uchar4 host[D][H][W], seen[2][3][4], all[D][H][W];
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                host[z][y][x] = (cl_uchar4){{x, y, z, 9}};
    cl_mem deep = image_of(CL_MEM_OBJECT_IMAGE3D, format, CL_MEM_COPY_HOST_PTR, 0, host);
    cl_mem layers = image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, format, 0, 0, NULL);
    cl_mem buffer = clCreateBuffer(context, 0, sizeof host, NULL, &error);
    OK(error);
    size_t whole[3] = {W, H, D}, from[3] = {2, 1, 1}, to[3] = {1, 2, 0}, region[3] = {4, 3, 2}, zero[3] = {0};
    cl_uint4 color = {{1, 2, 300, 4}};
    OK(clEnqueueFillImage(queue, layers, &color, zero, whole, 0, NULL, NULL));
    OK(clEnqueueCopyImage(queue, deep, layers, from, to, region, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, layers, CL_TRUE, to, region, 0, 0, seen, 0, NULL, NULL));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            CHECK(memcmp(seen[z][y], &host[z + 1][y + 1][2], sizeof seen[z][y]) == 0);
    OK(clEnqueueCopyImageToBuffer(queue, layers, buffer, zero, whole, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL));
    cl_uchar4 filled = {{1, 2, 255, 4}};
    CHECK(memcmp(&all[2][4][6], &filled, 4) == 0 && memcmp(&all[0][2][0], &filled, 4) == 0);
    CHECK(memcmp(&all[0][2][1], &host[1][1][2], 16) == 0);
    OK(clEnqueueCopyBufferToImage(queue, buffer, deep, 4, zero, (size_t[3]){2, 2, 1}, 0, NULL, NULL));
    size_t row = 0, slice = 0;
    char *mapped = clEnqueueMapImage(queue, deep, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, zero, whole, &row, &slice, 0, NULL, NULL, &error);
    OK(error);
    CHECK(row == 4 * W && slice == row * H);
    CHECK(memcmp(mapped, &all[0][0][1], 8) == 0 && memcmp(mapped + row, &all[0][0][3], 8) == 0);
    CHECK(memcmp(mapped + slice, host[1], slice) == 0);
    OK(clEnqueueUnmapMemObject(queue, deep, mapped, 0, NULL, NULL));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(deep));
    OK(clReleaseMemObject(layers));

    // Rows of an array, of the program's memory, with room between them.
    static float rows[D][16];
    cl_image_desc wanted = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = W, .image_array_size = D,
                            .image_row_pitch = sizeof rows[0], .image_slice_pitch = sizeof rows[0]};
    cl_mem lines = clCreateImage(context, CL_MEM_USE_HOST_PTR, &(cl_image_format){CL_R, CL_FLOAT}, &wanted, rows, &error);
    OK(error);
    OK(clEnqueueFillImage(queue, lines, &(cl_float4){{2.5f}}, (size_t[3]){1, 1, 0}, (size_t[3]){3, 2, 1}, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(rows[1][0] == 0 && rows[1][1] == 2.5f && rows[2][3] == 2.5f && rows[2][4] == 0 && rows[0][1] == 0);
    OK(clReleaseMemObject(lines));
}

static const char *const source =
    "kernel void look(read_only image2d_t image, sampler_t how, global const float2 *at, global float4 *to)\n"
    "{ size_t i = get_global_id(0); to[i] = read_imagef(image, how, at[i]); }\n"
    "kernel void turn(read_only image2d_t from, write_only image2d_t to)\n"
    "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(to, at, read_imagef(from, at)); }\n"
    "kernel void turn_whole(read_only image2d_t from, write_only image2d_t to)\n"
    "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagei(to, at, read_imagei(from, at)); }\n"
    "kernel void paint(write_only image2d_t to, float4 color)\n"
    "{ write_imagef(to, (int2)(get_global_id(0), get_global_id(1)), color); }\n"
    "kernel void copy(read_only image2d_t from, global float4 *to)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); to[x + 256 * y] = read_imagef(from, (int2)(x, y)); }\n"
    "kernel void line(read_only image1d_buffer_t from, read_only image2d_t plane, global float *to)\n"
    "{ int i = get_global_id(0); to[i] = read_imagef(from, i).x - read_imagef(plane, (int2)(i % 4, i / 4)).x;\n"
    "  if (i == 0) to[0] += get_image_width(from) - 16 + get_image_height(plane) - 4; }\n"
    "__attribute__((intel_reqd_sub_group_size(8)))\n"
    "kernel void together(read_only image1d_buffer_t from, global float *to)\n"
    "{ int i = get_global_id(0); float x = read_imagef(from, i).x;\n"
    "  to[i] = sub_group_reduce_add(x) >= x && get_max_sub_group_size() == 8 ? 1 : 0; }\n"
    "kernel void bits(read_only image2d_t from, global uint4 *to)\n"
    "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); to[at.y * get_global_size(0) + at.x] = read_imageui(from, at); }\n"
    "kernel void edge(write_only image2d_t to) { write_imagef(to, (int2)(-1, 100), (float4)(1)); }\n";

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    return kernel;
}

static void run(cl_kernel kernel, size_t x, size_t y)
{
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (size_t[2]){x, y}, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
}

// The colors of an image at so many places.
static void look(cl_program program, cl_mem image, cl_sampler sampler, size_t count, cl_float2 *at, cl_float4 *found)
{
    cl_mem places = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, count * sizeof *at, at, &error);
    OK(error);
    cl_mem colors = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, count * sizeof *found, found, &error);
    OK(error);
    cl_kernel kernel = kernel_of(program, "look");
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
    OK(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    OK(clSetKernelArg(kernel, 2, sizeof places, &places));
    OK(clSetKernelArg(kernel, 3, sizeof colors, &colors));
    run(kernel, count, 1);
    OK(clReleaseMemObject(places));
    OK(clReleaseMemObject(colors));
}

// The element that is read for place i of n, or -1: the border; section 8.2 of the specification.
static int place(int i, int n, cl_addressing_mode mode)
{
    switch (mode) {
    case CL_ADDRESS_CLAMP: return i < 0 || i >= n ? -1 : i;
    case CL_ADDRESS_REPEAT: return (i % n + n) % n;
    }
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double coordinate(double s, int n, cl_addressing_mode mode, int normalized)
{
    if (mode == CL_ADDRESS_REPEAT)
        return (s - floor(s)) * n;
    if (mode == CL_ADDRESS_MIRRORED_REPEAT)
        return fabs(s - 2 * rint(0.5 * s)) * n;
    return normalized ? s * n : s;
}

static float texels[H][W][4];

static double expected(double x, double y, int channel, cl_addressing_mode mode, int normalized, cl_filter_mode filter)
{
    double u = coordinate(x, W, mode, normalized), v = coordinate(y, H, mode, normalized);
    if (filter == CL_FILTER_NEAREST) {
        int i = place((int)floor(u), W, mode), j = place((int)floor(v), H, mode);
        return i < 0 || j < 0 ? 0 : texels[j][i][channel];
    }
    double sum = 0, a = u - 0.5 - floor(u - 0.5), b = v - 0.5 - floor(v - 0.5);
    for (int corner = 0; corner < 4; corner++) {
        int i = place((int)floor(u - 0.5) + corner % 2, W, mode), j = place((int)floor(v - 0.5) + corner / 2, H, mode);
        double weight = (corner % 2 ? a : 1 - a) * (corner / 2 ? b : 1 - b);
        sum += i < 0 || j < 0 ? 0 : weight * texels[j][i][channel];
    }
    return sum;
}

// Every way to address and to filter, at places inside, between and outside. Multiples of 1/64 are exact.
static void samplers(cl_program program)
{
    static const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                               CL_ADDRESS_MIRRORED_REPEAT};
    enum { POINTS = 400 };
    static cl_float2 at[POINTS];
    static cl_float4 found[POINTS];
    for (int i = 0; i < H * W * 4; i++)
        (&texels[0][0][0])[i] = (float)(i * 37 % 101) / 8;
    cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, (cl_image_format){CL_RGBA, CL_FLOAT}, CL_MEM_COPY_HOST_PTR, 0, texels);
    for (int way = 0; way < 16; way++) {
        cl_addressing_mode mode = modes[way / 4];
        cl_filter_mode filter = way % 2 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
        int normalized = way / 2 % 2;
        cl_sampler sampler = clCreateSampler(context, normalized, mode, filter, &error);
        if (!normalized && way / 4 >= 2) {
            CHECK(error == CL_INVALID_VALUE);
            continue;
        }
        OK(error);
        for (int i = 0; i < POINTS; i++) {
            float x = (float)(i * 29 % 640 - 200) / 64 + 1.f / 128, y = (float)(i * 53 % 448 - 100) / 64 + 1.f / 128;
            at[i] = normalized ? (cl_float2){{x / 4, y / 4}} : (cl_float2){{x, y}};
        }
        look(program, image, sampler, POINTS, at, found);
        int wrong = 0;
        for (int i = 0; i < POINTS; i++)
            for (int channel = 0; channel < 4; channel++) {
                double right = expected(at[i].s[0], at[i].s[1], channel, mode, normalized, filter);
                wrong += !(fabs(found[i].s[channel] - right) <= 1e-4);
            }
        if (wrong)
            printf("way %d: %d of %d numbers are wrong\n", way, wrong, POINTS * 4);
        CHECK(wrong == 0);
        OK(clReleaseSampler(sampler));
    }
    OK(clReleaseMemObject(image));
}

// Each format that is both read and written: what is read of an element and written again is that element.
static void formats(cl_program program)
{
    cl_image_format all[128];
    cl_uint count = 0;
    static unsigned char bytes[W * H * 16], again[W * H * 16];
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 128, all, &count));
    for (cl_uint at = 0; at < count; at++) {
        cl_channel_type type = all[at].image_channel_data_type;
        if (all[at].image_channel_order == CL_DEPTH)
            continue; // other types in kernels
        for (int i = 0; i < W * H * 16; i++)
            bytes[i] = (unsigned char)(i * 7 + i / 16);
        cl_mem from = image_of(CL_MEM_OBJECT_IMAGE2D, all[at], 0, 0, NULL), to = image_of(CL_MEM_OBJECT_IMAGE2D, all[at], 0, 0, NULL);
        size_t zero[3] = {0}, whole[3] = {W, H, 1}, size = fact(from, CL_IMAGE_ELEMENT_SIZE) * W * H;
        for (size_t i = 0; i < size; i++) { // neither the second least number nor what is none
            if (type == CL_SNORM_INT8 && bytes[i] == 0x80)
                bytes[i] = 0;
            if (i % 2 && (type == CL_SNORM_INT16 || type == CL_HALF_FLOAT))
                bytes[i] &= 0x3f;
            if (i % 4 == 3 && type == CL_FLOAT)
                bytes[i] &= 0x3f;
        }
        OK(clEnqueueWriteImage(queue, from, CL_TRUE, zero, whole, 0, 0, bytes, 0, NULL, NULL));
        int is_whole = type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32;
        if (type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32)
            goto done; // as signed ones, but for writing
        cl_kernel kernel = kernel_of(program, is_whole ? "turn_whole" : "turn");
        OK(clSetKernelArg(kernel, 0, sizeof from, &from));
        OK(clSetKernelArg(kernel, 1, sizeof to, &to));
        run(kernel, W, H);
        OK(clEnqueueReadImage(queue, to, CL_TRUE, zero, whole, 0, 0, again, 0, NULL, NULL));
        if (memcmp(bytes, again, size) != 0)
            printf("format %x %x\n", all[at].image_channel_order, type);
        CHECK(memcmp(bytes, again, size) == 0);
        if (!is_whole) { // a kernel and a command make the same of a color
            cl_float4 color = {{0.3f, -0.7f, 1.6f, 0.45f}};
            OK(clEnqueueFillImage(queue, from, &color, zero, whole, 0, NULL, NULL));
            kernel = kernel_of(program, "paint");
            OK(clSetKernelArg(kernel, 0, sizeof to, &to));
            OK(clSetKernelArg(kernel, 1, sizeof color, &color));
            run(kernel, W, H);
            OK(clEnqueueReadImage(queue, from, CL_TRUE, zero, whole, 0, 0, bytes, 0, NULL, NULL));
            OK(clEnqueueReadImage(queue, to, CL_TRUE, zero, whole, 0, 0, again, 0, NULL, NULL));
            CHECK(memcmp(bytes, again, size) == 0);
        }
    done:
        OK(clReleaseMemObject(from));
        OK(clReleaseMemObject(to));
    }
}

// Every number that an element may hold is read as the quotient that is nearest, so a program that multiplies gets the number again.
static void quotients(cl_program program)
{
    static const struct { cl_image_format format; int is_signed, most; size_t side; } kinds[] = {
        {{CL_R, CL_UNORM_INT8}, 0, 255, 1},    {{CL_RGBA, CL_UNORM_INT8}, 0, 255, 1},
        {{CL_R, CL_UNORM_INT16}, 0, 65535, 256}, {{CL_RGBA, CL_UNORM_INT16}, 0, 65535, 256},
        {{CL_RGBA, CL_SNORM_INT8}, 1, 127, 1}, {{CL_RGBA, CL_SNORM_INT16}, 1, 32767, 256},
    };
    static unsigned char bytes[65536 * 8];
    static cl_float4 found[65536];
    cl_mem to = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof found, found, &error);
    OK(error);
    for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++) {
        size_t count = 256 * kinds[at].side, channels = kinds[at].format.image_channel_order == CL_R ? 1 : 4;
        for (size_t i = 0; i < count * channels; i++)
            if (count == 256)
                bytes[i] = (unsigned char)(i / channels);
            else
                ((unsigned short *)bytes)[i] = (unsigned short)(i / channels);
        cl_image_desc wanted = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 256, .image_height = kinds[at].side};
        cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &kinds[at].format, &wanted, bytes, &error);
        OK(error);
        cl_kernel kernel = kernel_of(program, "copy");
        OK(clSetKernelArg(kernel, 0, sizeof image, &image));
        OK(clSetKernelArg(kernel, 1, sizeof to, &to));
        run(kernel, 256, kinds[at].side);
        int wrong = 0;
        for (size_t i = 0; i < count; i++) {
            int number = !kinds[at].is_signed ? (int)i : count == 256 ? (signed char)i : (short)i;
            float right = fmaxf((float)number / (float)kinds[at].most, -1);
            for (size_t channel = 0; channel < channels; channel++)
                wrong += found[i].s[channel] != right;
        }
        if (wrong)
            printf("kind %zu: %d of %zu numbers are wrong\n", at, wrong, count * channels);
        CHECK(wrong == 0);
        OK(clReleaseMemObject(image));
    }
    OK(clReleaseMemObject(to));
}

// What the channels of alpha, intensity and luminance are to a kernel; outside of a picture there is black, which shines through where there
// is alpha.
static void shades(cl_program program)
{
    static const struct { cl_channel_order order; cl_float4 inside, outside; } kinds[] = {
        {CL_A, {{0, 0, 0, 0.25f}}, {{0, 0, 0, 0}}},
        {CL_RA, {{0.25f, 0, 0, 0.5f}}, {{0, 0, 0, 0}}},
        {CL_INTENSITY, {{0.25f, 0.25f, 0.25f, 0.25f}}, {{0, 0, 0, 0}}},
        {CL_LUMINANCE, {{0.25f, 0.25f, 0.25f, 1}}, {{0, 0, 0, 1}}},
    };
    static const float values[W * H * 2] = {0.25f, 0.5f};
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    OK(error);
    for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++) {
        cl_image_format format = {kinds[at].order, CL_FLOAT};
        cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, format, CL_MEM_COPY_HOST_PTR, 0, (void *)values);
        cl_float2 places[2] = {{{0.5f, 0.5f}}, {{-1, 0.5f}}};
        cl_float4 found[2];
        look(program, image, sampler, 2, places, found);
        CHECK(memcmp(&found[0], &kinds[at].inside, sizeof found[0]) == 0);
        CHECK(memcmp(&found[1], &kinds[at].outside, sizeof found[1]) == 0);
        OK(clReleaseMemObject(image));
    }
    OK(clReleaseSampler(sampler));
}

// A row and a plane in one buffer; they keep it. What a kernel writes outside is not written.
static void in_buffers(cl_program program)
{
    static float numbers[16], differences[16];
    for (int i = 0; i < 16; i++)
        numbers[i] = i + 0.5f;
    cl_image_format format = {CL_R, CL_FLOAT};
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &error), found = NULL;
    cl_image_desc row = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .buffer = buffer};
    cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .buffer = buffer};
    cl_mem line = clCreateImage(context, 0, &format, &row, NULL, &error);
    OK(error);
    cl_mem square = clCreateImage(context, 0, &format, &plane, NULL, &error);
    OK(error);
    OK(clGetImageInfo(line, CL_IMAGE_BUFFER, sizeof found, &found, NULL));
    CHECK(found == buffer);
    OK(clReleaseMemObject(buffer));
    cl_mem to = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof differences, differences, &error);
    OK(error);
    memset(differences, 0xff, sizeof differences);
    cl_kernel kernel = kernel_of(program, "edge");
    OK(clSetKernelArg(kernel, 0, sizeof square, &square));
    run(kernel, 1, 1);
    kernel = kernel_of(program, "line");
    OK(clSetKernelArg(kernel, 0, sizeof line, &line));
    OK(clSetKernelArg(kernel, 1, sizeof square, &square));
    OK(clSetKernelArg(kernel, 2, sizeof to, &to));
    run(kernel, 16, 1);
    for (int i = 0; i < 16; i++)
        CHECK(differences[i] == 0);
    kernel = kernel_of(program, "together"); // the items of a sub-group are a vector
    OK(clSetKernelArg(kernel, 0, sizeof line, &line));
    OK(clSetKernelArg(kernel, 1, sizeof to, &to));
    run(kernel, 16, 1);
    for (int i = 0; i < 16; i++)
        CHECK(differences[i] == 1);
    OK(clReleaseMemObject(to));
    OK(clReleaseMemObject(line));
    OK(clReleaseMemObject(square));
}

// Integers that a program put into an image of floating point are what it reads as integers; those of one, two and four channels.
static void other_kinds(cl_program program)
{
    static const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA};
    static cl_uint put[H * W * 4];
    static cl_uint4 found[H * W];
    for (int i = 0; i < H * W * 4; i++)
        put[i] = (cl_uint)i * 40503 + 0x7f800000;
    for (int order = 0; order < 3; order++) {
        int channels = 1 << order;
        cl_image_format format = {orders[order], CL_FLOAT};
        cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, format, CL_MEM_COPY_HOST_PTR, 0, put);
        cl_mem to = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof found, found, &error);
        OK(error);
        cl_kernel kernel = kernel_of(program, "bits");
        OK(clSetKernelArg(kernel, 0, sizeof image, &image));
        OK(clSetKernelArg(kernel, 1, sizeof to, &to));
        run(kernel, W, H);
        for (int i = 0; i < H * W * channels; i++)
            CHECK(found[i / channels].s[i % channels] == put[i]);
        OK(clReleaseMemObject(to));
        OK(clReleaseMemObject(image));
    }
}

int main(void)
{
    begin();
    answers();
    commands();
    cl_program program = build(source, "-cl-std=CL3.0");
    samplers(program);
    formats(program);
    quotients(program);
    shades(program);
    in_buffers(program);
    other_kinds(program);
    OK(clReleaseProgram(program));
    end();
    return verdict();
}
