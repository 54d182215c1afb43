// An object whose constructor and destructor open parallel regions: the loader is held meanwhile, and workers begin to live.
// shared: citizen_constructor_shared.c
// openmp: no
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: %s OBJECT\n", argv[0]), 9;
    void *object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    int (*sum)(void) = (int (*)(void))dlsym(object, "sum");
    if (sum == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
    if (sum() != 499500 + 100) return fprintf(stderr, "the sum is %d\n", sum()), 3;
    return dlclose(object);
}
