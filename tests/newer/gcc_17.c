// What gcc 17 makes of static loops, reductions, barriers, single and masked constructs, written by hand: the compiler
// itself calls these entry points of GOMP_6.0.2 by default, or with -fopenmp-ompt.
#include "newer.h"

typedef unsigned long long iterations;

_Complex int GOMP_loop_static_worksharing(iterations);
_Complex int GOMP_loop_static_worksharing_start(iterations);
void GOMP_loop_static_worksharing_dispatch(iterations first, iterations count);
void GOMP_loop_static_worksharing_end(void);
_Complex int GOMP_distribute_static_worksharing(iterations);
_Complex int GOMP_distribute_static_worksharing_start(iterations);
void GOMP_distribute_static_worksharing_dispatch(iterations first, iterations count);
void GOMP_distribute_static_worksharing_end(void);
bool GOMP_has_masked_thread_num(int);
void GOMP_masked_end(void);
void GOMP_barrier_ext(int kind);
bool GOMP_barrier_cancel_ext(int kind);
void GOMP_reduction_start(void);
void GOMP_reduction_end(void);
bool GOMP_single_start_with_end(void);
void GOMP_single_end(void);
void GOMP_teams_reg(void (*)(void *), void *, unsigned, unsigned, unsigned);
bool GOMP_teams4(unsigned, unsigned, unsigned, bool);

enum { N = 1000, THREADS = 4, TEAMS = 3 };
static int visits[N], teams_seen[TEAMS], singles, masked;
static long sum, product_count;

// The iterations of one thread, as the compiler computes them from the pair.
static void share(_Complex int of, int n, int *first, int *end) {
    int count = __real__ of, number = __imag__ of;
    int size = n / count, rest = n % count;
    if (number < rest) {
        size++;
        rest = 0;
    }
    *first = size * number + rest;
    *end = *first + size;
}

static void region(void *unused) {
    int first, end;
    long mine = 0, ones = 0;
    share(GOMP_loop_static_worksharing(N), N, &first, &end);
    for (int i = first; i < end; i++) {
        visits[i]++;
        mine += i;
    }
    GOMP_reduction_start();
    sum += mine;
    product_count += 1;
    GOMP_reduction_end();
    GOMP_barrier_ext(1);
    share(GOMP_loop_static_worksharing_start(N), N, &first, &end);
    GOMP_loop_static_worksharing_dispatch(first, end - first);
    for (int i = first; i < end; i++) ones += visits[i];
    GOMP_loop_static_worksharing_end();
    EQUAL(ones, end - first);
    if (GOMP_single_start_with_end()) {
        singles++;
        GOMP_single_end();
    }
    GOMP_barrier_ext(1);
    EQUAL(singles, 1);
    if (GOMP_has_masked_thread_num(2)) {
        EQUAL(omp_get_thread_num(), 2);
        masked++;
        GOMP_masked_end();
    }
    EQUAL(GOMP_barrier_cancel_ext(2), false);
    EQUAL(masked, 1);
}

static void team(void *unused) {
    _Complex int of = GOMP_distribute_static_worksharing(N);
    EQUAL(__real__ of, TEAMS);
    EQUAL(__imag__ of, omp_get_team_num());
    int first, end;
    share(GOMP_distribute_static_worksharing_start(N), N, &first, &end);
    GOMP_distribute_static_worksharing_dispatch(first, end - first);
    teams_seen[__imag__ of] += end - first;
    GOMP_distribute_static_worksharing_end();
}

int omp_get_num_threads_dim(int), omp_get_thread_num_dim(int), omp_get_num_teams_dim(int), omp_get_team_num_dim(int);
int omp_get_thread_limit_dim(int), omp_get_supported_teams_dim(int, int), omp_get_supported_threads_dim(int, int);
int omp_get_supported_active_team_dims(int, int), omp_get_supported_active_league_dims(int, int);
void omp_get_device_distances(int, const int *, int *);
int omp_control_tool(int, int, void *);

static void dimensions(void *unused) {
    EQUAL(omp_get_num_threads_dim(0), THREADS);
    EQUAL(omp_get_thread_num_dim(0), omp_get_thread_num());
    EQUAL(omp_get_num_threads_dim(1), 1);
    EQUAL(omp_get_thread_num_dim(2), 0);
}

int main(void) {
    GOMP_parallel(region, NULL, THREADS, 0);
    for (int i = 0; i < N; i++) EQUAL(visits[i], 1);
    EQUAL(sum, (long)N * (N - 1) / 2);
    EQUAL(product_count, THREADS);
    GOMP_teams_reg(team, NULL, TEAMS, 0, 0);
    EQUAL(teams_seen[0] + teams_seen[1] + teams_seen[2], N);
    GOMP_parallel(dimensions, NULL, THREADS, 0);
    EQUAL(omp_get_num_teams_dim(0), 1);
    EQUAL(omp_get_team_num_dim(0), 0);
    EQUAL(omp_get_thread_limit_dim(1), 1);
    EQUAL(omp_get_supported_active_team_dims(-1, 1), 1);
    EQUAL(omp_get_supported_active_league_dims(-1, 0), 1);
    CHECK(omp_get_supported_teams_dim(-1, 0) > 1 && omp_get_supported_threads_dim(-1, 0) > 1);
    EQUAL(omp_get_supported_threads_dim(-1, 1), 1);
    int devices[] = {-1, 0, 7}, distances[3];
    omp_get_device_distances(3, devices, distances);
    CHECK(distances[0] == 0 && distances[1] == 0 && distances[2] == -1);
    EQUAL(omp_control_tool(1, 0, NULL), -2);
    return 0;
}
