// cl_intel_subgroups: shuffles, of one number and between two, and blocks of buffers and images, against what the specification says
// computed here; in sub-groups of the usual size and of eight items, and for every version of the language.
#include "check.h"

static const char *source =
    "#pragma OPENCL EXTENSION cl_intel_subgroups : enable\n"
    "#ifndef cl_intel_subgroups\n#error not there\n#endif\n"
    "#define ID get_global_id(0)\n"
    "#define SHUFFLES(T, first, last) SIZED kernel void shuffle_##T(global const uint *in, global uint *out, global uint *most) {\\\n"
    "    uint x = in[ID], by = x % 5; T a = (T)(x), b = (T)(x + 1000); a.last = x + 7; b.last = x + 1007;\\\n"
    "    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size();\\\n"
    "    T r0 = intel_sub_group_shuffle(a, (lane + x) % size), r1 = intel_sub_group_shuffle_xor(a, x & 3);\\\n"
    "    T r2 = intel_sub_group_shuffle_down(a, b, by), r3 = intel_sub_group_shuffle_up(a, b, by);\\\n"
    "    out[ID * 8 + 0] = (uint)r0.first; out[ID * 8 + 1] = (uint)r0.last; out[ID * 8 + 2] = (uint)r1.first; out[ID * 8 + 3] = (uint)r1.last;\\\n"
    "    out[ID * 8 + 4] = (uint)r2.first; out[ID * 8 + 5] = (uint)r2.last; out[ID * 8 + 6] = (uint)r3.first; out[ID * 8 + 7] = (uint)r3.last;\\\n"
    "    *most = size;\\\n"
    "}\n"
    "#define ALL(T) SHUFFLES(T##2, s0, s1) SHUFFLES(T##3, s0, s2) SHUFFLES(T##4, s0, s3) SHUFFLES(T##8, s0, s7) SHUFFLES(T##16, s0, sf)\n"
    "ALL(int) ALL(uint) ALL(float)\n"
    "#define ONES(T) SIZED kernel void shuffle_##T(global const uint *in, global uint *out, global uint *most) {\\\n"
    "    uint x = in[ID], by = x % 5; T a = (T)(x), b = (T)(x + 1000);\\\n"
    "    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size();\\\n"
    "    out[ID * 8 + 0] = out[ID * 8 + 1] = (uint)intel_sub_group_shuffle(a, (lane + x) % size);\\\n"
    "    out[ID * 8 + 2] = out[ID * 8 + 3] = (uint)intel_sub_group_shuffle_xor(a, x & 3);\\\n"
    "    out[ID * 8 + 4] = out[ID * 8 + 5] = (uint)intel_sub_group_shuffle_down(a, b, by);\\\n"
    "    out[ID * 8 + 6] = out[ID * 8 + 7] = (uint)intel_sub_group_shuffle_up(a, b, by);\\\n"
    "    *most = size;\\\n"
    "}\n"
    "ONES(int) ONES(uint) ONES(float) ONES(long) ONES(ulong) ONES(double)\n"
    "#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nONES(half)\n#endif\n"
    "#define START(n) (get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size()) * n\n"
    "#define BLOCKS(n, N) SIZED kernel void block_##N(global const uint *in, global uint *out, global uint *most) {\\\n"
    "    *most = get_max_sub_group_size();\\\n"
    "    intel_sub_group_block_write##n(out + START(N), intel_sub_group_block_read##n(in + START(N)) + 1u);\\\n"
    "}\\\n"
    "SIZED kernel void image_##N(read_only image2d_t from, write_only image2d_t to, int2 at, global uint *most) {\\\n"
    "    *most = get_max_sub_group_size();\\\n"
    "    intel_sub_group_block_write##n(to, (int2)(at.x & ~3, at.y), intel_sub_group_block_read##n(from, at) ^ 0x01020304u);\\\n"
    "}\n"
    "BLOCKS(, 1) BLOCKS(2, 2) BLOCKS(4, 4) BLOCKS(8, 8)\n";

enum { ITEMS = 64, MOST = ITEMS * 16 };
static cl_uint in[MOST], out[MOST], most;

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    return kernel;
}

static void run(cl_kernel kernel, size_t items)
{
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
}

static void run_on_memory(cl_program program, const char *name)
{
    memset(out, 0, sizeof out);
    cl_kernel kernel = kernel_of(program, name);
    OK(clSetKernelArgSVMPointer(kernel, 0, in));
    OK(clSetKernelArgSVMPointer(kernel, 1, out));
    OK(clSetKernelArgSVMPointer(kernel, 2, &most));
    run(kernel, ITEMS);
}

static void shuffles(cl_program program, const char *type, int is_one)
{
    char name[40];
    snprintf(name, sizeof name, "shuffle_%s", type);
    run_on_memory(program, name);
    for (cl_uint i = 0; i < ITEMS; i++) {
        cl_uint lane = i % most, first = i - lane, by = in[i] % 5;
        cl_uint near_down = lane + by < most, near_up = by <= lane;
        cl_uint expected[4] = {
            in[first + (lane + in[i]) % most],
            in[first + (lane ^ (in[i] & 3))],
            near_down ? in[i + by] : in[i + by - most] + 1000,
            near_up ? in[i - by] + 1000 : in[i - by + most],
        };
        for (int k = 0; k < 4; k++) {
            IS((int)expected[k], (int)out[i * 8 + 2 * k]);
            IS((int)expected[k] + (is_one ? 0 : 7), (int)out[i * 8 + 2 * k + 1]);
        }
    }
}

static void blocks(cl_program program, cl_uint rows)
{
    char name[40];
    snprintf(name, sizeof name, "block_%u", rows);
    run_on_memory(program, name);
    for (cl_uint i = 0; i < MOST; i++)
        IS((int)(i < ITEMS * rows ? in[i] + 1 : 0), (int)out[i]);
}

enum { WIDTH = 40, HEIGHT = 10, PITCH = WIDTH * 4 };
static unsigned char pixels[HEIGHT][PITCH], made[HEIGHT][PITCH];

static int clamped(int value, int largest)
{
    return value < 0 ? 0 : value > largest ? largest : value;
}

// Elements of `bytes`; a block that begins at a byte which may be outside.
static void images(cl_program program, cl_uint rows, cl_image_format format, int bytes, int x, int y)
{
    int width = WIDTH * bytes;
    cl_image_desc wanted = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT, .image_row_pitch = PITCH};
    memset(made, 0, sizeof made);
    cl_mem from = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &wanted, pixels, &error);
    OK(error);
    cl_mem to = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &wanted, made, &error);
    OK(error);
    char name[40];
    snprintf(name, sizeof name, "image_%u", rows);
    cl_kernel kernel = kernel_of(program, name);
    OK(clSetKernelArg(kernel, 0, sizeof from, &from));
    OK(clSetKernelArg(kernel, 1, sizeof to, &to));
    OK(clSetKernelArg(kernel, 2, sizeof(cl_int2), &(cl_int2){{x, y}}));
    OK(clSetKernelArgSVMPointer(kernel, 3, &most));
    // One sub-group.
    run(kernel, most);
    static unsigned char expected[HEIGHT][PITCH];
    memset(expected, 0, sizeof expected);
    for (int lane = 0; lane < (int)most; lane++)
        for (int row = 0; row < (int)rows; row++) {
            int to_x = (x & ~3) + 4 * lane, to_y = y + row;
            if (to_x < 0 || to_x >= width || to_y < 0 || to_y >= HEIGHT)
                continue;
            const unsigned char *read = &pixels[clamped(y + row, HEIGHT - 1)][clamped(x + 4 * lane, width - 4)];
            for (int byte = 0; byte < 4; byte++)
                expected[to_y][to_x + byte] = read[byte] ^ (unsigned char)(4 - byte);
        }
    CHECK(memcmp(expected, made, sizeof made) == 0);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
}

static void all(const char *options)
{
    static const char *vectors[] = {"int", "uint", "float"}, *others[] = {"long", "ulong", "double", "half"};
    cl_program program = build(source, options);
    char name[40], extensions[4096];
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(strstr(extensions, "cl_intel_subgroups ") != NULL);
    for (int i = 0; i < 3; i++) {
        shuffles(program, vectors[i], 1);
        for (int n = 2; n <= 16; n += n < 4 ? 1 : n) {
            snprintf(name, sizeof name, "%s%d", vectors[i], n);
            shuffles(program, name, 0);
        }
    }
    for (int i = 0; i < (strstr(extensions, "cl_khr_fp16") ? 4 : 3); i++)
        shuffles(program, others[i], 1);
    for (cl_uint rows = 1; rows <= 8; rows *= 2) {
        blocks(program, rows);
        cl_image_format colors = {CL_RGBA, CL_UNORM_INT8}, bytes = {CL_R, CL_UNSIGNED_INT8};
        images(program, rows, colors, 4, 8, 1);
        images(program, rows, colors, 4, -8, -2);
        images(program, rows, colors, 4, 140, 7);
        images(program, rows, bytes, 1, 3, 2);
        images(program, rows, bytes, 1, 20, HEIGHT - 1);
    }
    OK(clReleaseProgram(program));
}

int main(void)
{
    begin();
    for (cl_uint i = 0; i < MOST; i++)
        in[i] = i * 7 % 101;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < PITCH; x++)
            pixels[y][x] = (unsigned char)(y * 37 + x * 11);
    all("-DSIZED=");
    all("-cl-std=CL3.0 -DSIZED=__attribute__((intel_reqd_sub_group_size(8)))");
    all("-cl-std=CL2.0 -DSIZED=__attribute__((intel_reqd_sub_group_size(16)))");
    end();
    return verdict();
}
