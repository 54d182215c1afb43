// The device functions of the omp_ API when the host is the only device.
// compilers: gcc
#include "check.h"

int main(void) {
    int host = omp_get_initial_device();
    CHECK(omp_get_num_devices() >= 0);
    int devices = omp_get_num_devices();
    EQUAL(omp_is_initial_device(), 1);
    EQUAL(omp_get_device_num(), host);
    omp_set_default_device(devices);
    EQUAL(omp_get_default_device(), devices);
    omp_set_default_device(0);
    char text[16] = "from here", copy[16] = "";
    char *space = omp_target_alloc(sizeof text, host);
    CHECK(space != NULL);
    CHECK(omp_target_is_present(text, host));
    EQUAL(omp_target_memcpy(space, text, sizeof text, 0, 0, host, host), 0);
    EQUAL(omp_target_memcpy(copy, space, 10, 0, 0, host, host), 0);
    CHECK(strcmp(copy, "from here") == 0);
    omp_target_free(space, host);
    int grid[4][5], part[2][3];
    for (int i = 0; i < 20; i++) grid[i / 5][i % 5] = i;
    const size_t volume[2] = {2, 3}, to[2] = {0, 0}, from[2] = {1, 2}, to_dim[2] = {2, 3}, from_dim[2] = {4, 5};
    EQUAL(omp_target_memcpy_rect(part, grid, sizeof(int), 2, volume, to, from, to_dim, from_dim, host, host), 0);
    for (int i = 0; i < 6; i++) EQUAL(part[i / 3][i % 3], grid[i / 3 + 1][i % 3 + 2]);
    CHECK(omp_target_memcpy_rect(NULL, NULL, sizeof(int), 2, NULL, NULL, NULL, NULL, NULL, host, host) >= 1);
    return 0;
}
