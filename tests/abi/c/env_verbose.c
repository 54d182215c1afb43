// VICINITY_VERBOSE=1 shows the settings, and where they came from, when the library is loaded.
// env: VICINITY_VERBOSE=1 OMP_NUM_THREADS=3
// threads: 3
// peer-fails: libgomp it has no such variable
// peer-fails: libomp it has no such variable
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The settings are printed before main, so the program runs itself again and reads what it says.
int main(int argc, char **argv)
{
    if (argc > 1)
        return omp_get_max_threads() == 3 ? 0 : 1;
    char command[4096];
    snprintf(command, sizeof command, "'%s' again 2>&1", argv[0]);
    FILE *out = popen(command, "r");
    if (out == NULL)
        return 1;
    char line[1024];
    int seen = 0;
    while (fgets(line, sizeof line, out) != NULL)
        seen |= strstr(line, "OMP_NUM_THREADS") != NULL && strstr(line, "environment") != NULL;
    if (pclose(out) != 0 || !seen) {
        fprintf(stderr, "env_verbose: no line says that OMP_NUM_THREADS came from the environment\n");
        return 1;
    }
    return 0;
}
