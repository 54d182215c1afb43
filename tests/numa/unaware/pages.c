#include "pages.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

int page_node(const void *address) {
    void *page = (void *)((uintptr_t)address & -(uintptr_t)PAGE);
    int node = -1;
    if (syscall(SYS_move_pages, 0, 1ul, &page, NULL, &node, 0) != 0) abort();
    return node;
}

int nodes_with_processors(void) {
    int count = 0;
    for (int node = 0; node < 16; node++) {
        char name[64], list[64] = "";
        snprintf(name, sizeof name, "/sys/devices/system/node/node%d/cpulist", node);
        FILE *file = fopen(name, "r");
        if (!file) continue;
        if (fgets(list, sizeof list, file) && list[0] != '\n') count++;
        fclose(file);
    }
    return count;
}

static void fail(const char *what, const char *how, size_t page, size_t pages, int node, int expected) {
    fprintf(stderr, "%s, %s: page %zu of %zu is at node %d, not %d\n", what, how, page, pages, node, expected);
    exit(1);
}

void check_pages(const char *what, const char *how, const void *start, size_t bytes) {
    uintptr_t first = ((uintptr_t)start + PAGE - 1) & -(uintptr_t)PAGE;
    size_t pages = (((uintptr_t)start + bytes) - first) / PAGE, unit = 1, counts[16] = {0};
    int nodes = nodes_with_processors(), at_first = page_node((void *)first);
    if (strcmp(how, "fine") == 0) {
        /* Huge pages begin at multiples of their size, so the first may be cut off. */
        size_t same = 0;
        while (same < pages && page_node((char *)first + same * PAGE) == at_first) same++;
        if (same > 1) unit = HUGE_PAGE / PAGE;
    }
    uintptr_t unit_bytes = unit * PAGE;
    for (size_t page = 0; page < pages; page++) {
        uintptr_t address = first + page * PAGE;
        int node = page_node((void *)address), expected = at_first;
        if (strcmp(how, "fine") == 0) expected = (int)((at_first + address / unit_bytes - first / unit_bytes) % nodes);
        if (strcmp(how, "blocked") == 0) {
            /* A part ends at a whole page: the page beside the border may be of either part. */
            expected = (int)(page * nodes / pages);
            size_t next = (page + 1) * nodes % pages, past = page * nodes % pages;
            if (next < 2 * (size_t)nodes || past < 2 * (size_t)nodes) expected = node;
        }
        if (node != expected) fail(what, how, page, pages, node, expected);
        counts[node]++;
    }
    printf("%s, %s, pages at each node:", what, how);
    for (int node = 0; node < nodes; node++) printf(" %zu", counts[node]);
    putchar('\n');
}
