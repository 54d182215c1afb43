// Taskloops spread over locations with captured objects that do not copy by bytes, and exact counts of those copies.
// env: VICINITY_LOCATIONS=cores
// threads: 1 2 8
#include "check.h"
#include <string>

static int alive;

struct Counted {
    std::string text;
    Counted(const char *words) : text(words) { add_int(&alive, 1); }
    Counted(const Counted &other) : text(other.text) { add_int(&alive, 1); }
    ~Counted() {
        text.clear();
        add_int(&alive, -1);
    }
};

int main() {
    enum { TRIPS = 500 };
    static int times[TRIPS];
    {
        Counted words("a text that is too long to lie inside of a string object");
#pragma omp parallel
#pragma omp single
        for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp taskloop firstprivate(words) grainsize(3)
            for (int i = 0; i < TRIPS; i++) add_int(&times[i], words.text.size() > 40);
#pragma omp taskloop firstprivate(words) num_tasks(8)
            for (int i = 0; i < TRIPS; i++) add_int(&times[i], words.text[0] == 'a');
        }
        EQUAL(alive, 1);
    }
    EQUAL(alive, 0);
    for (int i = 0; i < TRIPS; i++) EQUAL(times[i], 40);
}
