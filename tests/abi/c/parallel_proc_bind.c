// The proc_bind clause with and without places: accepted, whole teams, places queried from inside.
// env: OMP_PLACES=cores OMP_PROC_BIND=spread,close
#include "check.h"

static void inside(int *count) {
    int places = omp_get_num_places();
    if (places > 0) {
        CHECK(omp_get_place_num() < places);
        int part = omp_get_partition_num_places();
        CHECK(part >= 0 && part <= places);
        int *numbers = malloc(sizeof(int) * (size_t)(part + 1));
        omp_get_partition_place_nums(numbers);
        for (int i = 0; i < part; i++) CHECK(numbers[i] >= 0 && numbers[i] < places);
        free(numbers);
    }
    add_int(count, 1);
}

int main(void) {
    int n = omp_get_max_threads(), primary = 0, close_count = 0, spread = 0, nested = 0;
    EQUAL(omp_get_proc_bind(), omp_proc_bind_spread);
    CHECK(omp_get_num_places() > 0);
    for (int place = 0; place < omp_get_num_places(); place++) {
        int procs = omp_get_place_num_procs(place);
        CHECK(procs > 0);
        int *ids = malloc(sizeof(int) * (size_t)procs);
        omp_get_place_proc_ids(place, ids);
        for (int i = 0; i < procs; i++) CHECK(ids[i] >= 0);
        free(ids);
    }
    EQUAL(omp_get_place_num_procs(-1), 0);
    EQUAL(omp_get_place_num_procs(1 << 20), 0);
#pragma omp parallel proc_bind(master)
    inside(&primary);
    EQUAL(primary, n);
#pragma omp parallel proc_bind(close)
    inside(&close_count);
    EQUAL(close_count, n);
#pragma omp parallel proc_bind(spread)
    inside(&spread);
    EQUAL(spread, n);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) proc_bind(spread)
    {
        EQUAL(omp_get_proc_bind(), omp_proc_bind_close);
#pragma omp parallel num_threads(3) proc_bind(close)
        inside(&nested);
    }
    EQUAL(nested, 6);
    return 0;
}
