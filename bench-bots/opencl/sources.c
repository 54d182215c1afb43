/* The texts of the kernels. */
#include "incbin.h"

TEXT(dense)
TEXT(stencil)
TEXT(walk)
TEXT(body)
TEXT(graph)
TEXT(collective)
TEXT(formula)
