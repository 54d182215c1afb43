// Ends while a kernel runs that never will: by returning from main, or, with an argument, in a child as well.
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
    (void)words;
    begin();
    cl_program program = build("kernel void f(global volatile int *x) { while (x[0] == 0) x[1]++; }", "");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    int values[2] = {0, 0};
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clFlush(queue));
    usleep(50000);
    if (count > 1) {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            exit(7);
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    printf("leaves\n");
    return verdict();
}
