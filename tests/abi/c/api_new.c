// Functions of OpenMP 5.2 that only the newer compiler's header declares.
// compilers: clang
#include "check.h"

int main(void) {
    int explicit_tasks = 0;
    EQUAL(omp_in_explicit_task(), 0);
#pragma omp parallel
    {
        EQUAL(omp_in_explicit_task(), 0);
#pragma omp single
        {
            EQUAL(omp_in_explicit_task(), 0);
#pragma omp task
            add_int(&explicit_tasks, omp_in_explicit_task() != 0);
#pragma omp task if (0)
            add_int(&explicit_tasks, omp_in_explicit_task() != 0);
#pragma omp task final(1)
            add_int(&explicit_tasks, omp_in_explicit_task() != 0);
        }
    }
    EQUAL(explicit_tasks, 3);
#pragma omp task shared(explicit_tasks)
    explicit_tasks += omp_in_explicit_task() != 0;
#pragma omp taskwait
    EQUAL(explicit_tasks, 4);
    // No tool, no interoperability objects: answered, not missing.
    CHECK(omp_control_tool(omp_control_tool_start, 0, NULL) < 0);
    EQUAL(omp_get_num_interop_properties(omp_interop_none), 0);
    int problem = 0;
    EQUAL(omp_get_interop_int(omp_interop_none, omp_ipr_fr_id, &problem), 0);
    CHECK(problem <= 0);
    return 0;
}
