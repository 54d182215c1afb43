/* pieces: memory is in pieces of 64 KiB (large folios), so that what checks pages beside this program checks something: moving one
 * page moves the fifteen beside it. */
#include "placement.h"

enum { PIECE = 16 };

static long counted(const char *name) {
    long count = -1;
    char path[96];
    snprintf(path, sizeof path, "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/stats/%s", name);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL && fscanf(file, "%ld", &count) == 1);
    fclose(file);
    return count;
}

int main(void) {
    long before = counted("anon_fault_alloc");
    char *pages = map_pages(MIB);
    touch(pages, MIB);
    CHECK(counted("anon_fault_alloc") > before);
    /* Pieces begin at multiples of their size; the mapping's ends need not. */
    char *first = (char *)(((uintptr_t)pages + PIECE * PAGE - 1) / (PIECE * PAGE) * (PIECE * PAGE));
    int moved = 0;
    for (char *piece = first; piece + PIECE * PAGE <= pages + MIB; piece += PIECE * PAGE, moved++) {
        int node = node_of(piece) == 0 ? 1 : 0, answer = -1;
        void *page = piece + moved % PIECE * PAGE;
        EQUAL(syscall(SYS_move_pages, 0, 1UL, &page, &node, &answer, 2), 0);
        for (int i = 0; i < PIECE; i++) EQUAL(node_of(piece + i * PAGE), node);
    }
    printf("%d pieces of 64 KiB follow one of their pages; %ld were made so far\n", moved, counted("anon_fault_alloc"));
    return 0;
}
