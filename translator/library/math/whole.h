/* Whole numbers next to a float, and powers of two, without conversions: they give a vector's length of results in one operation each,
 * and of NaN something that is a number.
 *
 * Terms. *Shifted*: a small number (below 2^22 in size) plus SHIFT, which has no room behind the point: the sum is rounded to a whole
 * number, and its lowest bits are that number's. */
#ifndef VICINITY_WHOLE_H
#define VICINITY_WHOLE_H

#define SHIFT 0x1.8p23f

/* x, but not below and not above the limits; NaN stays. */
static inline float within(float x, float least, float most) {
    x = x < least ? least : x;
    return x > most ? most : x;
}

/* p 2^k, of k + SHIFT with |k| < 250: in two factors, since one may be no normal number. */
static inline float times_power(float p, float shifted) {
    int half_way = as_int(shifted) >> 1 << 23, rest = (as_int(shifted) << 23) - half_way;
    return p * as_float(half_way + 0x3f800000) * as_float(rest + 0x3f800000);
}

#endif
