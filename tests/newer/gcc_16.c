// Entry points of gcc 14 to 16: Fortran's allocators, interop without a device, names of devices, filling memory.
#include "newer.h"
#include <stdint.h>

void *GOMP_alloc(size_t, size_t, uintptr_t);
void GOMP_free(void *, uintptr_t);
void GOMP_add_alloc(void *);
bool GOMP_is_alloc(void *);
void *GOMP_target_map_indirect_ptr(void *);
struct object;
void GOMP_interop(int, int, struct object ***, const int *, const char **, int, struct object **, int, struct object ***,
                  unsigned, void **);
int omp_get_device_from_uid(const char *);
const char *omp_get_uid_from_device(int);
void omp_get_uid_from_device_(const char **, size_t *, int);
int omp_get_device_from_uid_(const char *, size_t);
void omp_get_interop_rc_desc_(const char **, size_t *, void *, int);
void omp_get_interop_str_(const char **, size_t *, void *, int, int *);
void *omp_target_memset(void *, int, size_t, int);
int omp_get_num_interop_properties(void *);

// What gfortran makes of `deallocate` for a variable that may have been allocated either way.
static void deallocate(void *block) {
    if (GOMP_is_alloc(block)) GOMP_free(block, 0);
    else free(block);
}

int main(void) {
    void *ours = GOMP_alloc(64, 1000, 0), *theirs = malloc(1000);
    GOMP_add_alloc(ours);
    CHECK((uintptr_t)ours % 64 == 0);
    CHECK(!GOMP_is_alloc(theirs));
    CHECK(GOMP_is_alloc(ours));
    deallocate(ours);
    deallocate(theirs);
    CHECK(!GOMP_is_alloc(NULL));

    EQUAL(GOMP_target_map_indirect_ptr((void *)main) == (void *)main, 1);
    struct object *made = (struct object *)8, *destroyed = (struct object *)16;
    struct object **init[] = {&made}, **destroy[] = {&destroyed};
    int both[] = {3};
    const char *preferences[] = {NULL};
    GOMP_interop(-1, 1, init, both, preferences, 0, NULL, 1, destroy, 0, NULL);
    CHECK(made == NULL && destroyed == NULL);
    EQUAL(omp_get_num_interop_properties(made), 0);
    const char *text;
    size_t length;
    int code = 7;
    omp_get_interop_str_(&text, &length, made, -4, &code);
    CHECK(text == NULL && length == 0 && code == -1);
    omp_get_interop_rc_desc_(&text, &length, made, 0);
    CHECK(length == strlen(text) && length > 0);

    const char *host = omp_get_uid_from_device(-1);
    CHECK(host != NULL);
    EQUAL(omp_get_device_from_uid(host), -1);
    EQUAL(omp_get_device_from_uid("no such device"), -4);
    omp_get_uid_from_device_(&text, &length, 0);
    CHECK(text == host && length == strlen(host));
    EQUAL(omp_get_device_from_uid_(text, length), -1);
    CHECK(omp_get_uid_from_device(5) == NULL);

    char bytes[] = "abcd";
    CHECK(omp_target_memset(bytes, 'x', 3, 0) == bytes);
    EQUAL(strcmp(bytes, "xxxd"), 0);
    CHECK(omp_target_memset(bytes, 'y', 3, 9) == NULL);
    return 0;
}
