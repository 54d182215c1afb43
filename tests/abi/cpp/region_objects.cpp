// Objects in data clauses: private, firstprivate, lastprivate, copyprivate, reductions over classes.
#include "check.h"
#include <map>
#include <string>
#include <vector>

static int live;

struct Box {
    int value = 42;
    explicit Box(int v) : value(v) { add_int(&live, 1); }
    Box() { add_int(&live, 1); }
    Box(const Box &o) : value(o.value) { add_int(&live, 1); }
    Box &operator=(const Box &o) = default;
    ~Box() { add_int(&live, -1); }
    Box &operator+=(const Box &o) {
        value += o.value;
        return *this;
    }
};
#pragma omp declare reduction(+ : Box : omp_out += omp_in) initializer(omp_priv = Box(0))

using Histogram = std::map<int, long>;
static void merge(Histogram &into, const Histogram &from) {
    for (auto &entry : from) into[entry.first] += entry.second;
}
#pragma omp declare reduction(merge : Histogram : merge(omp_out, omp_in))
#pragma omp declare reduction(join : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

static void clauses(int team) {
    Box box, last, single;
    box.value = 7;
#pragma omp parallel private(single) firstprivate(box)
    {
        EQUAL(single.value, 42);
        EQUAL(box.value, 7);
        box.value += omp_get_thread_num();
#pragma omp for lastprivate(last) schedule(guided)
        for (int i = 0; i < 100; i++) last.value = i;
        EQUAL(last.value, 99);
#pragma omp single copyprivate(single)
        single.value = 1234;
        EQUAL(single.value, 1234);
    }
    EQUAL(box.value, 7);
    CHECK(live == 3);
    Box sum;
    sum.value = 1;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++) sum.value += i;
    EQUAL(sum.value, 4951);
    (void)team;
}

static void containers(int team) {
    Histogram histogram;
    std::vector<int> all;
#pragma omp parallel for reduction(merge : histogram) reduction(join : all) schedule(dynamic, 3)
    for (int i = 0; i < 500; i++) {
        histogram[i % 7]++;
        all.push_back(i);
    }
    EQUAL(all.size(), 500);
    std::vector<bool> seen(500);
    for (int v : all) seen[v] = true;
    for (bool s : seen) CHECK(s);
    for (int k = 0; k < 7; k++) EQUAL(histogram[k], 500 / 7 + (k < 500 % 7));
    std::string words = "x";
#pragma omp parallel firstprivate(words)
    {
        words += std::to_string(omp_get_thread_num());
        CHECK(words.size() >= 2);
    }
    CHECK(words == "x");
    (void)team;
}

int main() {
    omp_set_dynamic(0);
    int team = omp_get_max_threads();
    for (int round = 0; round < 3; round++) {
        clauses(team);
        containers(team);
        EQUAL(live, 0);
    }
    return 0;
}
