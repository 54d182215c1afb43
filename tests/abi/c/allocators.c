// Allocators: every predefined one, own ones with traits, calloc, realloc, aligned, the allocate clause.
// peer-fails: libomp crashes when a size overflows
#include "check.h"
#include <stdint.h>

static void fill(void *p, size_t n) {
    CHECK(p != NULL);
    memset(p, 0xa5, n);
}

static void predefined(void) {
    static const omp_allocator_handle_t all[] = {
        omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc,
        omp_high_bw_mem_alloc, omp_low_lat_mem_alloc,   omp_cgroup_mem_alloc,
        omp_pteam_mem_alloc,   omp_thread_mem_alloc};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *p = omp_alloc(100, all[i]);
        // High bandwidth memory may not be there.
        if (p == NULL) continue;
        fill(p, 100);
        omp_free(p, all[i]);
        omp_free(NULL, all[i]);
    }
    void *p = omp_alloc(64, omp_null_allocator);
    fill(p, 64);
    omp_free(p, omp_null_allocator);
    EQUAL(omp_get_default_allocator(), omp_default_mem_alloc);
}

static void shapes(void) {
    for (size_t align = 1; align <= 65536; align *= 4) {
        char *p = omp_aligned_alloc(align, align * 3, omp_default_mem_alloc);
        CHECK((uintptr_t)p % align == 0);
        fill(p, align * 3);
        omp_free(p, omp_default_mem_alloc);
        p = omp_aligned_calloc(align, 3, align, omp_default_mem_alloc);
        CHECK((uintptr_t)p % align == 0);
        for (size_t i = 0; i < 3 * align; i++) EQUAL(p[i], 0);
        omp_free(p, omp_null_allocator);
    }
    int *q = omp_calloc(1000, sizeof *q, omp_default_mem_alloc);
    for (int i = 0; i < 1000; i++) EQUAL(q[i], 0);
    for (int i = 0; i < 1000; i++) q[i] = i;
    q = omp_realloc(q, 100000 * sizeof *q, omp_default_mem_alloc, omp_default_mem_alloc);
    for (int i = 0; i < 1000; i++) EQUAL(q[i], i);
    q = omp_realloc(q, 10 * sizeof *q, omp_null_allocator, omp_null_allocator);
    EQUAL(q[9], 9);
    CHECK(omp_realloc(q, 0, omp_null_allocator, omp_null_allocator) == NULL);
    q = omp_realloc(NULL, 40, omp_default_mem_alloc, omp_null_allocator);
    fill(q, 40);
    omp_free(q, omp_default_mem_alloc);
    CHECK(omp_alloc(0, omp_default_mem_alloc) == NULL);
    CHECK(omp_calloc((size_t)-1, 16, omp_default_mem_alloc) == NULL);
}

static void traits(void) {
    omp_alloctrait_t aligned[] = {{omp_atk_alignment, 4096}, {omp_atk_sync_hint, omp_atv_contended}};
    omp_allocator_handle_t a = omp_init_allocator(omp_default_mem_space, 2, aligned);
    CHECK(a != omp_null_allocator);
    void *p = omp_alloc(10, a);
    CHECK((uintptr_t)p % 4096 == 0);
    omp_free(p, a);
    omp_set_default_allocator(a);
    EQUAL(omp_get_default_allocator(), a);
    p = omp_alloc(10, omp_null_allocator);
    CHECK((uintptr_t)p % 4096 == 0);
    omp_free(p, omp_null_allocator);
    omp_set_default_allocator(omp_default_mem_alloc);
    omp_destroy_allocator(a);

    omp_alloctrait_t small[] = {{omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}};
    a = omp_init_allocator(omp_default_mem_space, 2, small);
    void *first = omp_alloc(3000, a);
    fill(first, 3000);
    CHECK(omp_alloc(3000, a) == NULL);
    omp_free(first, a);
    first = omp_alloc(3000, a);
    fill(first, 3000);
    omp_free(first, a);
    omp_alloctrait_t chained[] = {{omp_atk_pool_size, 64}, {omp_atk_fallback, omp_atv_allocator_fb},
                                  {omp_atk_fb_data, (omp_uintptr_t)a}};
    omp_allocator_handle_t b = omp_init_allocator(omp_default_mem_space, 3, chained);
    p = omp_alloc(1000, b);
    fill(p, 1000);
    omp_free(p, b);
    omp_destroy_allocator(b);
    omp_destroy_allocator(a);
}

static void clause(void) {
    int value = 3, sum = 0;
#pragma omp parallel firstprivate(value) reduction(+ : sum) allocate(omp_default_mem_alloc : value, sum)
    {
        value += 1;
        sum += value;
    }
    EQUAL(sum, 4 * omp_get_max_threads());
    int blocks = 0;
#pragma omp parallel for schedule(dynamic)
    for (int i = 1; i < 400; i++) {
        char *p = omp_alloc((size_t)i * 37 % 5000 + 1, omp_default_mem_alloc);
        fill(p, (size_t)i * 37 % 5000 + 1);
        omp_free(p, omp_default_mem_alloc);
        add_int(&blocks, 1);
    }
    EQUAL(blocks, 399);
}

int main(void) {
    omp_set_dynamic(0);
    predefined();
    shapes();
    traits();
    clause();
    return 0;
}
