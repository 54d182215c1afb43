/* allocators: OpenMP's allocators put pages where their partition trait says, in every memory space. */
#include "placement.h"

/* Those that memory goes round: the first. */
static int around;

static omp_allocator_handle_t allocator(omp_memspace_handle_t space, omp_alloctrait_value_t partition) {
    omp_alloctrait_t traits[] = {{omp_atk_partition, (omp_uintptr_t)partition}};
    omp_allocator_handle_t made = omp_init_allocator(space, 1, traits);
    CHECK(made != omp_null_allocator);
    return made;
}

static void check_pages(const char *what, char *block, size_t pages, int (*expected)(size_t page, size_t pages)) {
    CHECK(block != NULL);
    touch(block, pages * PAGE);
    for (size_t page = 0; page < pages; page++) {
        int at = where(block + page * PAGE), should = expected(page, pages);
        if (at != should) FAIL("%s: page %zu of %zu is at %d, not %d", what, page, pages, at, should);
    }
}

static int first;
static int in_turn(size_t page, size_t pages) {
    (void)pages;
    return (first + (int)page) % around;
}
static int in_blocks(size_t page, size_t pages) { return (int)(page * (size_t)around / pages); }
static int at_first(size_t page, size_t pages) {
    (void)page, (void)pages;
    return first;
}

static void interleaved(omp_memspace_handle_t space) {
    omp_allocator_handle_t with = allocator(space, omp_atv_interleaved);
    char *block = omp_alloc(64 * PAGE, with);
    CHECK(block != NULL);
    touch(block, PAGE);
    first = where(block);
    check_pages("interleaved", block, 64, in_turn);
    omp_free(block, with);
    omp_destroy_allocator(with);
}

static void blocked(omp_memspace_handle_t space) {
    omp_allocator_handle_t with = allocator(space, omp_atv_blocked);
    const size_t pages[] = {60, 64, 101, 1000};
    for (int i = 0; i < 4; i++) {
        char *block = omp_aligned_alloc(PAGE, pages[i] * PAGE, with);
        CHECK((uintptr_t)block % PAGE == 0);
        check_pages("blocked", block, pages[i], in_blocks);
        omp_free(block, with);
    }
    omp_destroy_allocator(with);
}

/* From threads that stay where they are, large and small. */
static void nearest(omp_memspace_handle_t space) {
    omp_allocator_handle_t with = allocator(space, omp_atv_nearest);
#pragma omp parallel proc_bind(spread)
#pragma omp critical
    {
        if (truth_is_the_kernel()) stay_on(here());
        first = here_location();
        char *block = omp_alloc(64 * PAGE, with);
        check_pages("nearest", block, 64, at_first);
        omp_free(block, with);
        char *small = omp_calloc(3, 100, with);
        CHECK(small != NULL && small[0] == 0 && small[299] == 0);
        small[0] = 1;
        EQUAL(where(small), here_location());
        small = omp_realloc(small, 20 * PAGE, with, with);
        CHECK(small != NULL && small[0] == 1 && small[299] == 0);
        check_pages("nearest, grown", small, 20, at_first);
        omp_free(small, with);
    }
    omp_destroy_allocator(with);
}

int main(void) {
    around = locations_around();
    CHECK(around > 1);
    const omp_memspace_handle_t spaces[] = {omp_default_mem_space, omp_large_cap_mem_space, omp_high_bw_mem_space};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        interleaved(spaces[i]);
        blocked(spaces[i]);
        nearest(spaces[i]);
    }
    printf("%d locations: interleaved, blocked and nearest are page by page where they should be\n", around);
    return 0;
}
