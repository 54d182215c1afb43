// teams on the host: league size, thread limit, team numbers, distribute in all its forms, reductions.
#include "check.h"

enum { N = 500 };
static int hits[N];

static void once(const char *what) {
    for (int i = 0; i < N; i++) {
        if (hits[i] != 1) FAIL("%s: iteration %d ran %d times", what, i, hits[i]);
        hits[i] = 0;
    }
}

static void league(void) {
    int seen[16] = {0}, size = 0;
#pragma omp teams num_teams(4) thread_limit(3)
    {
        int team = omp_get_team_num();
        CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= 4);
        CHECK(team >= 0 && team < omp_get_num_teams());
        add_int(&seen[team], 1);
        if (team == 0) size = omp_get_num_teams();
#pragma omp parallel num_threads(8)
        {
            CHECK(omp_get_num_threads() <= 3);
            EQUAL(omp_get_team_num(), team);
            CHECK(omp_get_thread_limit() <= 3);
        }
    }
    CHECK(size >= 1);
    for (int t = 0; t < 16; t++) EQUAL(seen[t], t < size);
    EQUAL(omp_get_num_teams(), 1);
    EQUAL(omp_get_team_num(), 0);
}

static void distributed(void) {
#pragma omp teams num_teams(3)
#pragma omp distribute
    for (int i = 0; i < N; i++) add_int(&hits[i], 1);
    once("distribute");
#pragma omp teams distribute num_teams(3) dist_schedule(static, 7)
    for (int i = 0; i < N; i++) add_int(&hits[i], 1);
    once("dist_schedule(static, 7)");
#pragma omp teams distribute parallel for num_teams(2) thread_limit(4) schedule(dynamic, 3)
    for (int i = 0; i < N; i++) add_int(&hits[i], 1);
    once("distribute parallel for dynamic");
#pragma omp teams distribute parallel for num_teams(2) dist_schedule(static, 20) schedule(static, 3)
    for (int i = N - 1; i >= 0; i--) add_int(&hits[i], 1);
    once("distribute parallel for static");
#pragma omp teams distribute parallel for simd num_teams(2)
    for (unsigned long long i = 0; i < N; i++) add_int(&hits[i], 1);
    once("distribute parallel for simd");
#pragma omp teams distribute simd
    for (int i = 0; i < N; i++) add_int(&hits[i], 1);
    once("distribute simd");
#pragma omp teams distribute collapse(2)
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < N / 10; j++) add_int(&hits[i * (N / 10) + j], 1);
    once("distribute collapse");
#pragma omp teams loop
    for (int i = 0; i < N; i++) add_int(&hits[i], 1);
    once("teams loop");
}

static void reduced(void) {
    long sum = 5;
    int last = -1;
#pragma omp teams distribute parallel for num_teams(3) reduction(+ : sum) collapse(2)
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++) sum += i * j;
    EQUAL(sum, 5 + 190L * 435);
#pragma omp teams distribute lastprivate(last)
    for (int i = 0; i < N; i++) last = i * 2;
    EQUAL(last, 2 * N - 2);
    int teams = 0;
#pragma omp teams num_teams(3) reduction(+ : teams)
    teams = 1;
    CHECK(teams >= 1 && teams <= 3);
}

static void settings(void) {
    omp_set_num_teams(2);
    EQUAL(omp_get_max_teams(), 2);
    omp_set_teams_thread_limit(2);
    EQUAL(omp_get_teams_thread_limit(), 2);
#pragma omp teams
    {
        CHECK(omp_get_num_teams() <= 2);
#pragma omp parallel
        CHECK(omp_get_num_threads() <= 2);
    }
    omp_set_num_teams(0);
    omp_set_teams_thread_limit(0);
}

int main(void) {
    league();
    distributed();
    reduced();
    settings();
    league();
    return 0;
}
