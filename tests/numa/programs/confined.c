/* confined: a process that may use some nodes only gets memory there and nowhere else.
 * Arguments: the nodes it may run on and the nodes it may have memory on, as bit masks. */
#include "placement.h"

int main(int argc, char **argv) {
    CHECK(argc == 3);
    unsigned long may_run = strtoul(argv[1], NULL, 0), may_hold = strtoul(argv[2], NULL, 0);
    int node_at[MAX_NODES];
    int locations = location_nodes(node_at);
    unsigned long held = 0, ran = 0;
    for (int location = 0; location < locations; location++)
        printf("location %d: node %d, %zu processors\n", location, node_at[location], processors_at(location));
    for (int distribution = OMP_MALLOC_STANDARD; distribution <= OMP_MALLOC_COARSE; distribution++)
        for (int i = 0; i < 2 * locations; i++) {
            char *block = omp_malloc_specific(64 * PAGE, distribution);
            CHECK(block != NULL);
            touch(block, 64 * PAGE);
            for (int page = 0; page < 64; page++) {
                int node = node_of(block + page * PAGE);
                CHECK(node >= 0);
                held |= 1UL << node;
            }
            /* Memory may have to be where no location is; it counts for the nearest. */
            size_t said[MAX_NODES] = {0}, all = 0;
            EQUAL(vicinity_locate(block, 64 * PAGE, said, MAX_NODES), VICINITY_SUCCESS);
            for (int location = 0; location < locations; location++) all += said[location];
            EQUAL(all, 64 * PAGE);
            vicinity_free(block);
        }
#pragma omp parallel reduction(| : ran)
    for (int i = 0; i < 50; i++) ran |= 1UL << here();
    printf("ran on nodes %lx of %lx, memory on %lx of %lx\n", ran, may_run, held, may_hold);
    fflush(stdout);
    CHECK((ran & ~may_run) == 0);
    CHECK(held != 0 && (held & ~may_hold) == 0);
    for (int location = 0; location < locations; location++) {
        unsigned long node = 1UL << node_at[location];
        CHECK((may_hold & node) == 0 || (held & node) != 0);
    }
    return 0;
}
