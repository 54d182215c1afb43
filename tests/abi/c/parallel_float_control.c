// Workers round, and treat numbers below the normal ones, as the thread does that opens their region, whatever it did before.
// peer-fails: libgomp lets workers keep the control of floating point that they began with
#include "check.h"
#include <fenv.h>

#pragma STDC FENV_ACCESS ON

static int different(int rounding) {
    int others = 0;
#pragma omp parallel reduction(+ : others)
    others += fegetround() != rounding;
    return others;
}

int main(void) {
    static const int ways[] = {FE_UPWARD, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD};
    CHECK(different(FE_TONEAREST) == 0);
    for (int round = 0; round < 20; round++) {
        int way = ways[round % 4];
        fesetround(way);
        CHECK(different(way) == 0);
        // Tasks run in the region's threads.
        int others = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) shared(others)
        for (int i = 0; i < 100; i++)
            if (fegetround() != way) {
#pragma omp atomic
                others++;
            }
        CHECK(others == 0);
    }
    return 0;
}
