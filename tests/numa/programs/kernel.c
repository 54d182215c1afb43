/* kernel: this kernel has the nodes it was given and places memory as it is asked. Everything else trusts that. */
#include "placement.h"

static void distances(int nodes) {
    for (int node = 0; node < nodes; node++) {
        char path[80], line[200] = "";
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/distance", node);
        FILE *file = fopen(path, "r");
        CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
        fclose(file);
        unsigned char processors[1024];
        printf("node %d: %d processors, distances %s", node, processors_of_node(node, processors), line);
        int value, used, at = 0, to = 0;
        for (; sscanf(line + at, "%d%n", &value, &used) == 1; at += used, to++)
            CHECK(to == node ? value == 10 : value > 10);
        EQUAL(to, nodes);
    }
}

static void bound(int node) {
    char *pages = map_pages(16 * PAGE);
    CHECK(node_of(pages) < 0);
    place(pages, 16 * PAGE, POLICY_BIND, 1UL << node);
    touch(pages, 16 * PAGE);
    for (int page = 0; page < 16; page++) {
        EQUAL(node_of(pages + page * PAGE), node);
        int found = -1;
        CHECK(syscall(SYS_get_mempolicy, &found, NULL, 0UL, pages + page * PAGE, BY_NODE | BY_ADDRESS) == 0);
        EQUAL(found, node);
    }
    munmap(pages, 16 * PAGE);
}

static void first_touched(int node) {
    unsigned char processors[1024];
    if (processors_of_node(node, processors) == 0) return;
    stay_on(node);
    EQUAL(here(), node);
    char *pages = map_pages(4 * PAGE);
    touch(pages, 4 * PAGE);
    EQUAL(node_of(pages + 3 * PAGE), node);
    munmap(pages, 4 * PAGE);
}

int main(void) {
    unsigned char memory[1024];
    int nodes = nodes_with_memory(memory);
    CHECK(nodes > 1);
    distances(nodes);
    for (int node = 0; node < nodes; node++) {
        bound(node);
        first_touched(node);
    }
    return 0;
}
