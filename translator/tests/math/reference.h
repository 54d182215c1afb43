/* What reference.c and sieve.c share. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>

typedef long double real;

struct function {
    const char *name;
    real (*one)(real);
    real (*two)(real, real);
};

/* The function of that name, or nothing. */
const struct function *find(const char *name);

/* How far a result is off: `digits` after the first, exponents of normal numbers from `least` to below `most`. */
double units(real got, real want, int digits, int least, int most);

#endif
