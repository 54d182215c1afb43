/* What is shared by functions of angles: from which size on they are far, and the sine of those up to a quarter turn. */
#ifndef VICINITY_ANGLES_H
#define VICINITY_ANGLES_H

/* Below, the nearest whole number of half turns is exact, and what is left of an angle has an error of a unit. */
#define FAR_ANGLE 0x1p17f

#pragma OPENCL FP_CONTRACT ON
/* sin(r) for |r| <= pi / 2 + 0.01: a minimax polynomial of the relative error, 2^-27, found by Sollya. Its coefficients were then
   moved by some units, so that sin(float(pi / 2)) is 1, as cos(0) and cospi(0) have to be (OpenCL C 3.0, section 7.5.1), and
   no float has a sine above 1. One depends on how the sums are rounded. */
static inline float near_sine(float r) {
    float z = r * r;
    float p = 0x1.5d0808p-19f;
    p = p * z - (vicinity_has_fma() ? 0x1.9f654ep-13f : 0x1.9f653p-13f);
    p = p * z + 0x1.110eaep-7f;
    p = p * z - 0x1.55554cp-3f;
    return r + r * z * p;
}
#pragma OPENCL FP_CONTRACT OFF

#endif
