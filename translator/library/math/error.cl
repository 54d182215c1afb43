/* The error function; of float without calls and branches: erf(x) = 1 - e^-(x p(x)), p a polynomial
 * (relative error 2^-22, found by Sollya). Bounds: OpenCL C 3.0, section 7.4: 16 units in the last place. */
#include "../library.h"
#include "series.h"
#pragma OPENCL FP_CONTRACT ON

OVERLOAD float erf(float x) {
    float size = op_fabs(x);
    size = size > 4.0f ? 4.0f : size;
    float p = -0x1.21f73p-21f;
    p = p * size + 0x1.879dfcp-17f;
    p = p * size - 0x1.c5cd2p-14f;
    p = p * size + 0x1.1e4a82p-11f;
    p = p * size - 0x1.766a1p-10f;
    p = p * size - 0x1.52d7fep-13f;
    p = p * size + 0x1.3d7ab2p-6f;
    p = p * size - 0x1.a548a4p-4f;
    p = p * size - 0x1.45f1c4p-1f;
    p = p * size - 0x1.20dd78p+0f;
    return op_copysign(less_one(p * size, 0), x);
}
#pragma OPENCL FP_CONTRACT OFF
FLOAT_AND_LIBM(erf)
