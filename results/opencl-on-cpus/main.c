/* Measurements of results/opencl-on-cpus on the first device of the first platform, which OCL_ICD_VENDORS chooses; to be run in
 * the folder of the kernels.
 *
 *     on-cpus items|chains|groups|columns|loops|memory|affinity|again
 *     on-cpus source|binary FILE
 */
#include "launches.h"

static const struct {
    const char *name;
    void (*measure)(void);
} measurements[] = {
    {"items", measure_items}, {"chains", measure_chains}, {"groups", measure_groups},
    {"columns", measure_columns},
    {"loops", measure_loops}, {"memory", measure_memory}, {"affinity", measure_affinity},
    {"again", measure_again},
};

int main(int count, char **words) {
    if (count == 3) {
        measure_build(words[1], words[2]);
        return 0;
    }
    for (size_t i = 0; count == 2 && i < sizeof measurements / sizeof *measurements; i++) {
        if (strcmp(measurements[i].name, words[1]) == 0) {
            measurements[i].measure();
            return 0;
        }
    }
    fprintf(stderr, "usage: on-cpus items|chains|groups|columns|loops|memory|affinity|again, or source|binary FILE\n");
    return 2;
}
