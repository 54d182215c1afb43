/* What is shared by functions of angles: from which size on the C library computes them. */
#ifndef VICINITY_ANGLES_H
#define VICINITY_ANGLES_H

/* Below, the nearest whole number of half turns is exact, and what is left of an angle has an error of a unit. */
#define FAR_ANGLE 0x1p17f

#endif
