// A program without OpenMP loads and unloads an object that uses it, several times, from several threads.
// shared: citizen_dlopen_shared.c
// openmp: no
// peer-fails: libgomp crashes when it is unloaded under its threads
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef int (*use_function)(int);

static int use(const char *path) {
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    use_function function = (use_function)dlsym(object, "use");
    if (function == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
    for (int i = 1; i < 4; i++)
        if (function(i) != 0) return fprintf(stderr, "wrong result in round %d\n", i), 3;
    return dlclose(object);
}

static void *thread(void *path) { return (void *)(long)use(path); }

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: %s OBJECT\n", argv[0]), 9;
    for (int round = 0; round < 3; round++) {
        int status = use(argv[1]);
        if (status != 0) return status;
    }
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, thread, argv[1]) != 0) return 8;
    for (int i = 0; i < 3; i++) {
        void *status = NULL;
        pthread_join(threads[i], &status);
        if (status != NULL) return 7;
    }
    return 0;
}
