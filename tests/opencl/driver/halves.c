// Halves: what must be rounded once is, for every half there is.
#include "check.h"
#include <math.h>

enum { ALL = 1 << 16 };

typedef _Float16 half;

static half of(unsigned bits)
{
    unsigned short narrow = bits;
    half value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

static unsigned short bits_of(half value)
{
    unsigned short bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int same(half expected, unsigned short found)
{
    return expected != expected ? of(found) != of(found) : bits_of(expected) == found;
}

// Another half for each.
static half partner(unsigned bits, unsigned turn) { return of((bits * 40503u + turn * 7919u) & 0xffff); }

// Between this half and the next: the middle, or a little more or less than that, which a float does not tell.
static double between(unsigned bits)
{
    double x = (double)of(bits), next = (double)of(bits + 1);
    if (!isfinite(x) || !isfinite(next))
        return x;
    double middle = (x + next) / 2;
    return bits % 3 == 0 ? middle : nextafter(middle, bits % 3 == 1 ? INFINITY : -INFINITY);
}

static const char code[] =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "kernel void f(global const half *x, global const half *y, global const double *d, global half *r, global int *n) {\n"
    "    int i = get_global_id(0);\n"
    "    half a = x[i], b = y[i], c = y[(i + 1) % 65536];\n"
    "    r += 16 * i;\n"
    "    r[0] = a + b; r[1] = a - b; r[2] = a * b; r[3] = a / b;\n"
    "    r[4] = sqrt(a); r[5] = fma(a, b, c); r[6] = (half)d[i]; r[7] = nextafter(a, b);\n"
    "    r[8] = ldexp(a, (int)(i % 61) - 30); r[9] = fdim(a, b); r[10] = rint(a); r[11] = fmod(a, b);\n"
    "    r[12] = convert_half(convert_double(a)); r[13] = convert_half_rtz(d[i]); r[14] = -a; r[15] = fmax(a, b);\n"
    "    n[i] = isless(a, b) | isnan(a) << 1 | signbit(a) << 2 | isinf(a) << 3 | isnormal(a) << 4 | (int)(a == b) << 5;\n"
    "}\n";

static half toward_zero(double value)
{
    half near = (half)value;
    return fabs((double)near) > fabs(value) ? of(bits_of(near) - 1) : near;
}

static half next(half from, half to)
{
    if (from != from || to != to)
        return from + to;
    if (from == to)
        return to;
    if (from == 0)
        return of((bits_of(to) & 0x8000) | 1);
    return of(bits_of(from) + ((from < to) == (from > 0) ? 1 : -1));
}

static void check(unsigned at, const unsigned short *r, int n, half x, half y, half z, double d)
{
    float a = x, b = y;
    half expected[16] = {
        (half)(a + b), (half)(a - b), (half)(a * b), (half)(a / b),
        (half)sqrtf(a), (half)((long double)a * b + (long double)z), (half)d, next(x, y),
        (half)ldexp(a, (int)(at % 61) - 30), (half)fdimf(a, b), (half)rintf(a), (half)fmodf(a, b),
        x, toward_zero(d), -x, (half)fmaxf(a, b),
    };
    for (int which = 0; which < 16; which++)
        if (!same(expected[which], r[which])) {
            // Which zero is greater is not said.
            if (which == 15 && a == b)
                continue;
            printf("halves.c: result %d of %04x and %04x is %04x, not %04x\n", which, bits_of(x), bits_of(y), r[which],
                   bits_of(expected[which]));
            failures++;
        }
    int is = (a < b) | !!isnan(a) << 1 | (bits_of(x) >> 15) << 2 | !!isinf(a) << 3 | (a == b) << 5;
    is |= (isfinite(a) && fabsf(a) >= 0x1p-14f) << 4;
    if (n != is && failures++ == 0)
        printf("halves.c: comparisons of %04x and %04x are %d, not %d\n", bits_of(x), bits_of(y), n, is);
}

int main(void)
{
    begin();
    char names[4096];
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    cl_device_fp_config can = 42;
    cl_uint lanes[2] = {42, 42};
    OK(clGetDeviceInfo(device, CL_DEVICE_HALF_FP_CONFIG, sizeof can, &can, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, sizeof(cl_uint), &lanes[0], NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, sizeof(cl_uint), &lanes[1], NULL));
    if (strstr(names, "cl_khr_fp16") == NULL) {
        CHECK(can == 0 && lanes[0] == 0 && lanes[1] == 0);
        end();
        return verdict();
    }
    CHECK((can & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN)) == (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN));
    CHECK(lanes[0] > 0 && lanes[1] >= 8);
    half *x = malloc(ALL * sizeof *x), *y = malloc(ALL * sizeof *y);
    double *d = malloc(ALL * sizeof *d);
    unsigned short *r = malloc(ALL * 16 * sizeof *r);
    int *n = malloc(ALL * sizeof *n);
    cl_program program = build(code, "");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    void *all[] = {x, y, d, r, n};
    for (cl_uint at = 0; at < 5; at++)
        OK(clSetKernelArgSVMPointer(kernel, at, all[at]));
    for (unsigned turn = 0; turn < 4; turn++) {
        for (unsigned at = 0; at < ALL; at++) {
            x[at] = of(at);
            y[at] = partner(at, turn);
            d[at] = between(at + turn);
        }
        size_t items = ALL;
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(clFinish(queue));
        for (unsigned at = 0; at < ALL && failures < 20; at++)
            check(at, r + 16 * at, n[at], x[at], y[at], y[(at + 1) % ALL], d[at]);
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    for (int at = 0; at < 5; at++)
        free(all[at]);
    end();
    return verdict();
}
