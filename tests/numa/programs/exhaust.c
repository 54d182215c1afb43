/* exhaust: a node has less memory than is asked of it. The program gets memory all the same, from other nodes, keeps
 * what it wrote, and is told once.
 * Argument: MiB to ask for, more than one node has; in blocks of 4 MiB, nearest to a thread on node 1. */
#include "placement.h"

int main(int argc, char **argv) {
    const size_t size = 4 * MIB;
    int count = (argc > 1 ? atoi(argv[1]) : 0) / 4;
    CHECK(count > 0 && count < 1000);
    stay_on(1);
    omp_alloctrait_t traits[] = {{omp_atk_partition, omp_atv_nearest}};
    omp_allocator_handle_t nearest = omp_init_allocator(omp_default_mem_space, 1, traits);
    CHECK(nearest != omp_null_allocator);
    static uint64_t *block[1000];
    size_t pages[MAX_NODES] = {0};
    for (int i = 0; i < count; i++) {
        block[i] = omp_alloc(size, nearest);
        CHECK(block[i] != NULL);
        for (size_t at = 0; at < size; at += PAGE) block[i][at / 8] = (uint64_t)i << 32 | at;
    }
    for (int i = 0; i < count; i++)
        for (size_t at = 0; at < size; at += PAGE) {
            CHECK(block[i][at / 8] == ((uint64_t)i << 32 | at));
            int node = node_of(&block[i][at / 8]);
            CHECK(node >= 0);
            pages[node]++;
        }
    printf("asked node 1 for %d MiB; MiB at each node:", 4 * count);
    for (int node = 0; node < 4; node++) printf(" %zu", pages[node] * PAGE / MIB);
    putchar('\n');
    CHECK(pages[1] * PAGE < count * size); /* or the node had enough, and nothing was shown */
    CHECK(pages[1] > 0);
    for (int i = 0; i < count; i++) omp_free(block[i], nearest);
    return 0;
}
