/* Where pages are, for programs that know nothing of Vicinity: the kernel is asked. */
#ifndef PAGES_H
#define PAGES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the program unless every page of the range, all of which was touched by one thread, is where `how` says: `fine` (pages go
 * round all nodes, one by one or in huge pages), `coarse` (all at one node), `blocked` (contiguous parts of equal size). Partly
 * covered pages at both ends do not count. */
void check_pages(const char *what, const char *how, const void *start, size_t bytes);

/* The node of a page. */
int page_node(const void *address);

/* How many nodes have processors. */
int nodes_with_processors(void);

#ifdef __cplusplus
}
#endif
#endif
