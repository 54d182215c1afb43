/* sinh, cosh, tanh; of float without calls and branches. With e = e^|x| - 1, which is as good near zero, sinh is (e + e / (e + 1)) / 2 and
 * tanh, of twice the size, e / (e + 2). Bounds: OpenCL C 3.0, section 7.4: 4 units in the last place, of tanh 5. */
#include "../library.h"
#include "series.h"
#pragma OPENCL FP_CONTRACT ON

/* By a quarter of e, which is finite where sinh is. */
OVERLOAD float sinh(float x) {
    float size = op_fabs(x), quarter = less_one(size > 89.6f ? 89.6f : size, 2);
    float half_of_it = quarter + quarter / (4 * quarter + 1);
    return op_copysign(half_of_it + half_of_it, x);
}
/* By half the power, for the same reason. */
OVERLOAD float cosh(float x) {
    float size = op_fabs(x);
    float shifted, r = less_powers(size > 90.0f ? 90.0f : size, &shifted);
    float half_power = times_power(exp_near_zero(r), shifted - 1);
    return half_power + 0.25f / half_power;
}
OVERLOAD float tanh(float x) {
    float size = op_fabs(x), e = less_one(size > 10.0f ? 20.0f : size + size, 0);
    return op_copysign(e / (e + 2), x);
}
#pragma OPENCL FP_CONTRACT OFF

FLOAT_AND_LIBM(sinh)
FLOAT_AND_LIBM(cosh)
FLOAT_AND_LIBM(tanh)
