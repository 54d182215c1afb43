/* What makes a program its own tool: the runtime asks for it, and calls `start`, which the program defines. */
#ifndef OWN_H
#define OWN_H

#include <omp-tools.h>

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *data);

static void end(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {start, end, {0}};
    (void)version, (void)runtime;
    return &result;
}

#endif
