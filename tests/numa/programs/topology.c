/* topology: the library's locations are the kernel's nodes, as far apart as the kernel says. */
#include "placement.h"

static int kernel_distance(int from, int to) {
    char path[80];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/distance", from);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    int value = 0;
    for (int at = 0; at <= to; at++) CHECK(fscanf(file, "%d", &value) == 1);
    fclose(file);
    return value;
}

int main(void) {
    unsigned char memory[1024], processors[1024];
    int node_at[MAX_NODES];
    int locations = location_nodes(node_at);
    EQUAL(locations, nodes_with_memory(memory));
    for (int location = 0; location < locations; location++) {
        int node = node_at[location];
        EQUAL(vicinity_location_node(location), node);
        EQUAL(processors_at(location), processors_of_node(node, processors));
        for (int to = 0; to < locations; to++) {
            EQUAL(vicinity_distance(location, to), kernel_distance(node, node_at[to]));
            printf("%4d", vicinity_distance(location, to));
        }
        printf("  from location %d, node %d, %zu processors\n", location, node, processors_at(location));
        if (processors_at(location) == 0) continue;
        stay_on(node);
        EQUAL(vicinity_current_location(), location);
    }
    return 0;
}
