/* Atomic operations by address space, for the functions of OpenCL 1.x and those of 2.0 and later.
 *
 * In __global and __generic memory they are the machine's. A work-group runs on one thread, one work-item after the other,
 * so that on __local memory a volatile read and a volatile write are atomic: volatile, because the loops over work-items
 * promise the vectorizer that iterations do not depend on each other, a promise that leaves out volatile accesses.
 */
#ifndef VICINITY_ATOMIC_H
#define VICINITY_ATOMIC_H

#include "../library.h"

static inline OVERLOAD int least_of(int a, int b) { return a < b ? a : b; }
static inline OVERLOAD uint least_of(uint a, uint b) { return a < b ? a : b; }
static inline OVERLOAD long least_of(long a, long b) { return a < b ? a : b; }
static inline OVERLOAD ulong least_of(ulong a, ulong b) { return a < b ? a : b; }
static inline OVERLOAD float least_of(float a, float b) { return op_fmin(a, b); }
static inline OVERLOAD double least_of(double a, double b) { return op_fmin(a, b); }
static inline OVERLOAD int most_of(int a, int b) { return a > b ? a : b; }
static inline OVERLOAD uint most_of(uint a, uint b) { return a > b ? a : b; }
static inline OVERLOAD long most_of(long a, long b) { return a > b ? a : b; }
static inline OVERLOAD ulong most_of(ulong a, ulong b) { return a > b ? a : b; }
static inline OVERLOAD float most_of(float a, float b) { return op_fmax(a, b); }
static inline OVERLOAD double most_of(double a, double b) { return op_fmax(a, b); }

#define RESULT_add(a, b) ((a) + (b))
#define RESULT_sub(a, b) ((a) - (b))
#define RESULT_and(a, b) ((a) & (b))
#define RESULT_or(a, b) ((a) | (b))
#define RESULT_xor(a, b) ((a) ^ (b))
#define RESULT_min(a, b) least_of(a, b)
#define RESULT_max(a, b) most_of(a, b)

#endif
