// Random task trees with every clause: final, if, priority, mergeable, untied, detach, depend, objects; and cancellation of groups and regions.
// env: OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=5
// peer-fails: libgomp waits for the events of undeferred and of discarded tasks
// peer-fails: libomp waits for the events of discarded tasks
//
// A task draws what it does from a generator whose seed its creator drew, so a seed fixes the tree. The first argument, or
// VICINITY_SEED, is the first seed, the second how many follow each other.
#include "check.h"
#include <cstdint>

struct Random {
    uint64_t state;
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    int below(int n) { return (int)(next() % (uint64_t)n); }
    bool percent(int chance) { return below(100) < chance; }
};

static int made, gone;

// What tasks capture: each copy is destroyed once, and used only while it lives.
struct Object {
    int *self;
    explicit Object() : self(new int(42)) { add_int(&made, 1); }
    Object(const Object &other) : self(new int(*other.self)) { add_int(&made, 1); }
    Object &operator=(const Object &) = delete;
    ~Object() {
        use();
        *self = 0;
        delete self;
        add_int(&gone, 1);
    }
    void use() const { EQUAL(*self, 42); }
};

struct Cell {
    int writers, readers, value;
};

// The children of a task that have been created and are not over.
struct Scope {
    int pending;
    Cell cells[3];
};

// What a task knows of itself.
struct Place {
    int depth;
    bool is_final;
    // In a group or region that may be cancelled: tasks may be discarded.
    bool shaky;
};

static void steps(Random random, Place place, const Object &object);

// One child's body: its part of the tree.
static void child(Scope *scope, uint64_t seed, Place place, const Object &object, int *ran) {
    object.use();
    EQUAL(omp_in_final(), place.is_final);
    Random random{seed};
    busy(random.below(60));
    steps(random, place, object);
    store_int(ran, 1);
    add_int(&scope->pending, -1);
}

static void write_cell(Cell *cell) {
    EQUAL(add_int(&cell->writers, 1), 0);
    EQUAL(load_int(&cell->readers), 0);
    cell->value++;
    busy(20);
    add_int(&cell->writers, -1);
}

static void read_cell(Cell *cell) {
    add_int(&cell->readers, 1);
    EQUAL(load_int(&cell->writers), 0);
    busy(20);
    add_int(&cell->readers, -1);
}

// Makes a task that captures `mine`. One that is included is over when its creator goes on.
static void spawn(Random &random, Scope *scope, Place place, const Object &mine) {
    Place below = {place.depth + 1, place.is_final, place.shaky};
    uint64_t seed = random.next();
    bool wish = random.percent(30);
    // What may run later tells it to nobody: this frame is gone by then.
    static int ignored;
    bool at_once = place.is_final;
    int priority = random.below(9), flag = 0, *ran = at_once ? &flag : &ignored;
    Cell *cell = &scope->cells[random.below(2)];
    add_int(&scope->pending, 1);
    switch (random.below(11)) {
    case 0:
#pragma omp task firstprivate(mine, seed, below, ran)
        child(scope, seed, below, mine, ran);
        break;
    case 1:
        below.is_final = place.is_final || wish;
#pragma omp task firstprivate(mine, seed, below, ran) final(wish)
        child(scope, seed, below, mine, ran);
        break;
    case 2:
#pragma omp task firstprivate(mine, seed, below, ran) priority(priority)
        child(scope, seed, below, mine, ran);
        break;
    case 3:
#pragma omp task firstprivate(mine, seed, below, ran) mergeable untied
        child(scope, seed, below, mine, ran);
        break;
    case 4:
        at_once = at_once || wish;
        if (at_once) ran = &flag;
#pragma omp task firstprivate(mine, seed, below, ran) if (!wish)
        child(scope, seed, below, mine, ran);
        break;
    case 5:
#pragma omp task firstprivate(seed, below, ran) shared(mine) priority(priority) mergeable
        child(scope, seed, below, mine, ran);
        break;
    case 6:
        below.is_final = place.is_final || wish;
#pragma omp task firstprivate(mine, seed, below, ran, cell) depend(inout : cell[0]) final(wish) priority(priority)
        {
            write_cell(cell);
            child(scope, seed, below, mine, ran);
        }
        break;
    case 7:
#pragma omp task firstprivate(seed, below, ran, cell) shared(mine) depend(in : cell[0])
        {
            read_cell(cell);
            child(scope, seed, below, mine, ran);
        }
        break;
    case 8: {
        omp_event_handle_t event;
#pragma omp task firstprivate(mine, seed, below, ran) detach(event)
        {
            child(scope, seed, below, mine, ran);
            omp_fulfill_event(event);
        }
        break;
    }
    case 9: {
        // The creator fulfills the event, and nobody who depends on the task begins before that.
        omp_event_handle_t event;
        int *fulfilled = &scope->cells[2].value;
        store_int(fulfilled, 0);
#pragma omp task firstprivate(seed, below, ran, cell) shared(mine) detach(event) depend(out : scope->cells[2])
        child(scope, seed, below, mine, ran);
        // What is included waits for it here, so there it comes first.
        bool before = place.is_final || random.percent(30);
        if (before) {
            store_int(fulfilled, 1);
            omp_fulfill_event(event);
        }
        add_int(&scope->pending, 1);
#pragma omp task firstprivate(mine, place) depend(in : scope->cells[2]) final(1) shared(fulfilled)
        {
            mine.use();
            // A discarded task is complete without its event.
            if (!place.shaky) EQUAL(load_int(fulfilled), 1);
            add_int(&scope->pending, -1);
        }
        if (!before) {
            busy(random.below(100));
            store_int(fulfilled, 1);
            omp_fulfill_event(event);
        }
#pragma omp taskwait
        break;
    }
    default: {
        int grain = 1 + random.below(4), count = 1 + random.below(9), done = 0;
#pragma omp taskloop firstprivate(mine) grainsize(grain) final(wish) priority(priority) shared(done)
        for (int i = 0; i < count; i++) {
            mine.use();
            add_int(&done, 1);
        }
        if (!place.shaky) EQUAL(done, count);
        add_int(&scope->pending, -1);
        store_int(ran, 1);
    }
    }
    if (at_once && !place.shaky) EQUAL(load_int(ran), 1);
}

static void waited(Scope *scope, Place place) {
    if (!place.shaky) EQUAL(load_int(&scope->pending), 0);
}

static void steps(Random random, Place place, const Object &object) {
    static const int most[] = {24, 6, 4, 2, 1, 0};
    Scope scope = {0, {}};
    Object mine(object);
    int count = random.below(most[place.depth] + 1);
    for (int i = 0; i < count; i++) {
        switch (random.below(14)) {
        case 0: {
#pragma omp taskwait
            waited(&scope, place);
            break;
        }
        case 1: {
#pragma omp taskwait
            Place inside = {place.depth + 1, place.is_final, place.shaky};
#pragma omp taskgroup
            steps(Random{random.next()}, inside, mine);
            break;
        }
        case 2: {
            // A group that one of its tasks cancels: what has not begun is discarded, what has begun ends.
            Scope inner = {0, {}};
            Place inside = {place.depth, place.is_final, true};
            int before = random.below(4), after = random.below(4);
#pragma omp taskgroup
            {
                for (int k = 0; k < before; k++) spawn(random, &inner, inside, mine);
#pragma omp task if (before % 2)
                {
#pragma omp cancel taskgroup
                }
                for (int k = 0; k < after; k++) spawn(random, &inner, inside, mine);
            }
            break;
        }
        case 3: {
#pragma omp taskyield
            break;
        }
        default: spawn(random, &scope, place, mine);
        }
    }
#pragma omp taskwait
    waited(&scope, place);
}

static void balanced(uint64_t seed) {
    if (made != gone) FAIL("seed %llu: %d objects were made, %d are gone", (unsigned long long)seed, made, gone);
}

static void trees(uint64_t seed) {
    bool all = Random{seed}.percent(30);
#pragma omp parallel
    {
        Random random{seed * 1000 + (uint64_t)omp_get_thread_num()};
        Object object;
        if (all || omp_get_thread_num() == 0) steps(random, {0, false, false}, object);
    }
    balanced(seed);
}

// One thread cancels the region at some moment; the others make tasks, combine values, and leave.
static void cancelled(uint64_t seed) {
    int reached = 0;
    long sum = 0, total = 0;
#pragma omp parallel reduction(+ : sum)
    {
        int num = omp_get_thread_num(), team = omp_get_num_threads();
        Random random{seed * 1000 + (uint64_t)num};
        if (num == (int)(seed % (uint64_t)team)) {
            busy(random.below(20000));
#pragma omp cancel parallel
        }
        {
            Object object;
            steps(random, {1, false, true}, object);
        }
#pragma omp for reduction(+ : total)
        for (int i = 0; i < 100; i++) total += i;
#pragma omp cancellation point parallel
#pragma omp for reduction(max : total) nowait
        for (int i = 0; i < 100; i++) total = i > total ? i : total;
        sum += num;
#pragma omp barrier
        add_int(&reached, 1);
    }
    EQUAL(reached, 0);
    balanced(seed);
}

int main(int argc, char **argv) {
    const char *given = argc > 1 ? argv[1] : getenv("VICINITY_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 25;
    for (uint64_t seed = first; seed < first + count; seed++) {
        trees(seed);
        cancelled(seed);
    }
    return 0;
}
