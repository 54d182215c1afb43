// omp_display_affinity, omp_capture_affinity, the format and its fields; OMP_DISPLAY_AFFINITY prints.
#define CHECK_CHILD_PROCESSES
#include "check.h"

static void captured(void) {
    char text[256];
    omp_set_affinity_format("T=%n of %{num_threads} L=%L|%5n|%.5n|%05n|%%|%i");
    char format[100];
    size_t length = omp_get_affinity_format(format, sizeof format);
    EQUAL(length, strlen("T=%n of %{num_threads} L=%L|%5n|%.5n|%05n|%%|%i"));
    CHECK(strncmp(format, "T=%n of", 7) == 0);
#pragma omp parallel num_threads(4) private(text)
    {
        char expected[256], mine[8];
        int me = omp_get_thread_num();
        snprintf(mine, sizeof mine, "%d", me);
        size_t n = omp_capture_affinity(text, sizeof text, "T=%n of %{num_threads} L=%{nesting_level} A=%a");
        snprintf(expected, sizeof expected, "T=%d of 4 L=1 A=0", me);
        if (strcmp(text, expected) != 0) FAIL("captured '%s', expected '%s'", text, expected);
        EQUAL(n, strlen(expected));
        // Truncated, terminated, and the whole length told.
        memset(text, 'x', sizeof text);
        n = omp_capture_affinity(text, 4, "T=%n of %{num_threads} L=%{nesting_level} A=%a");
        EQUAL(n, strlen(expected));
        EQUAL(strlen(text), 3);
        omp_capture_affinity(text, sizeof text, "[%5n][%.5n][%0.5n]");
        snprintf(expected, sizeof expected, "[%-5d][%5d][%05d]", me, me, me);
        if (strcmp(text, expected) != 0) FAIL("captured '%s', expected '%s'", text, expected);
        omp_capture_affinity(text, sizeof text, "%P");
        EQUAL(atoi(text), getpid());
        omp_capture_affinity(text, sizeof text, "%H");
        char host[128];
        gethostname(host, sizeof host);
        if (strcmp(text, host) != 0) FAIL("host '%s', expected '%s'", text, host);
        CHECK(omp_capture_affinity(text, sizeof text, "%{thread_affinity}") > 0);
        CHECK(omp_capture_affinity(text, sizeof text, "%A%t%T%N%i") > 0);
    }
}

static int lines_with(const char *text, const char *part) {
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p += strlen(part)) n++;
    return n;
}

static int child(const char *what) {
    if (strcmp(what, "called") == 0) {
#pragma omp parallel num_threads(3)
        omp_display_affinity("called by %n;");
    } else {
        for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(3)
            busy(1);
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1) return child(argv[1]);
    static char text[20000];
    captured();
    EQUAL(run_self("", "called", text, sizeof text), 0);
    for (int i = 0; i < 3; i++) {
        char line[40];
        snprintf(line, sizeof line, "called by %d;", i);
        EQUAL(lines_with(text, line), 1);
    }
    // Printed once while the team stays as it is.
    EQUAL(run_self("OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='member %n of %N'", "quiet", text, sizeof text), 0);
    EQUAL(lines_with(text, "member 0 of 3"), 1);
    EQUAL(lines_with(text, "member 2 of 3"), 1);
    EQUAL(run_self("OMP_DISPLAY_AFFINITY=false", "quiet", text, sizeof text), 0);
    EQUAL(strlen(text), 0);
    return 0;
}
