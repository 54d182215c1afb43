/* What is shared by functions of angles: from which size on the C library computes them, the sine of those up to a quarter turn. */
#ifndef VICINITY_ANGLES_H
#define VICINITY_ANGLES_H

/* Below, the nearest whole number of half turns is exact, and what is left of an angle has an error of a unit. */
#define FAR_ANGLE 0x1p17f

#pragma OPENCL FP_CONTRACT ON
/* sin(r) for |r| <= pi / 2 + 0.01: a minimax polynomial of the relative error, 2^-27, found by Sollya. */
static inline float near_sine(float r) {
    float z = r * r;
    float p = 0x1.5d088p-19f;
    p = p * z - 0x1.9f655ap-13f;
    p = p * z + 0x1.110e94p-7f;
    p = p * z - 0x1.55554ap-3f;
    return r + r * z * p;
}
#pragma OPENCL FP_CONTRACT OFF

#endif
