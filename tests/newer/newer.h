/* Declarations for programs that stand in for compilers which cannot be installed. */
#ifndef NEWER_H
#define NEWER_H
#include <stdbool.h>
#include <stddef.h>
#include "check.h"

void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
#endif
