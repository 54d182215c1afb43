// omp_pause_resource: soft and hard, one and all, between regions; everything works again afterwards.
// peer-fails: libomp hangs when asked inside a region
#include "check.h"

static void use(void) {
    int count = 0, tasks = 0;
#pragma omp parallel shared(tasks)
    {
        add_int(&count, 1);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 50; i++) add_int(&count, 1);
#pragma omp task
        add_int(&tasks, 1);
    }
    EQUAL(count, 50 + omp_get_max_threads());
    EQUAL(tasks, omp_get_max_threads());
}

int main(void) {
    int host = omp_get_initial_device();
    omp_set_dynamic(0);
    EQUAL(omp_pause_resource(omp_pause_soft, host), 0);
    use();
    EQUAL(omp_pause_resource(omp_pause_soft, host), 0);
    use();
    EQUAL(omp_pause_resource(omp_pause_hard, host), 0);
    use();
    EQUAL(omp_pause_resource_all(omp_pause_soft), 0);
    use();
    EQUAL(omp_pause_resource_all(omp_pause_hard), 0);
    use();
    CHECK(omp_pause_resource(omp_pause_soft, 12345) != 0);
    // Inside a region it cannot be done, and nothing breaks.
    int refused = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        refused = omp_pause_resource(omp_pause_hard, host) != 0;
    }
    EQUAL(refused, 1);
    use();
    return 0;
}
