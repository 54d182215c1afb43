/* What functions of late.rs share: forms that take several numbers at once, with the names of the vector function ABI.
 *
 * Terms. *Late*: such functions are calls until loops have become vectors, so that each is one call that a vectorizer widens, by its
 * attribute `vector-function-abi-variant` (vector_math.rs); then they are inlined. Only so can the vector forms be other code
 * than the scalar one: a test of all numbers at once, an instruction of the processor. */
#ifndef VICINITY_LATE_H
#define VICINITY_LATE_H

#include "../library.h"

/* M(lanes, the letter of its instruction set, ...) for each number of lanes, as in vector_math.rs. */
#define FOR_LANES(M, ...) M(2, b, __VA_ARGS__) M(4, b, __VA_ARGS__) M(8, d, __VA_ARGS__) M(16, e, __VA_ARGS__)

#endif
