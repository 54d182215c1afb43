/* The measurements; main.c says what each is called. */
#ifndef ON_CPUS_LAUNCHES_H
#define ON_CPUS_LAUNCHES_H

#include "host.h"

void measure_items(void);
void measure_chains(void);
void measure_groups(void);
void measure_columns(void);
void measure_loops(void);
void measure_again(void);
void measure_memory(void);
void measure_affinity(void);
/* Builds kernels.cl, from its source and writes the binary to a file, or from such a file. */
void measure_build(const char *how, const char *file);

#endif
