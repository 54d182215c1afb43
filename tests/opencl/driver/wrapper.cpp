// The C++ interface of the Khronos headers: exceptions, vectors, functors, shared memory.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>
#include <cstdio>
#include <numeric>
#include <vector>

static int failures;

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                         \
            failures++;                                                                         \
        }                                                                                       \
    } while (0)

int main()
try {
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    CHECK(platforms.size() == 1 && platforms[0].getInfo<CL_PLATFORM_NAME>() == "Vicinity");
    std::vector<cl::Device> devices;
    platforms[0].getDevices(CL_DEVICE_TYPE_DEFAULT, &devices);
    CHECK(devices.size() == 1 && devices[0].getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>().size() == 3);
    cl::Context context(devices);
    cl::CommandQueue queue(context, devices[0], cl::QueueProperties::Profiling);

    cl::Program program(context, "kernel void add(global const int *a, global const int *b, global int *c)"
                                 "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }");
    program.build("-cl-std=CL3.0");
    CHECK(program.getInfo<CL_PROGRAM_KERNEL_NAMES>() == "add");
    CHECK(program.getInfo<CL_PROGRAM_BINARIES>().at(0).size() > 0);
    auto add = cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::Buffer>(program, "add");

    std::vector<int> a(10000), b(10000, 5), c(10000);
    std::iota(a.begin(), a.end(), 0);
    cl::Buffer on_a(context, a.begin(), a.end(), true), on_b(context, b.begin(), b.end(), true);
    cl::Buffer on_c(context, CL_MEM_WRITE_ONLY, c.size() * sizeof(int));
    cl::Event event = add(cl::EnqueueArgs(queue, cl::NDRange(a.size()), cl::NDRange(100)), on_a, on_b, on_c);
    cl::copy(queue, on_c, c.begin(), c.end());
    bool is_right = true;
    for (size_t at = 0; at < c.size(); at++)
        is_right &= c[at] == int(at) + 5;
    CHECK(is_right);
    event.wait();
    CHECK(event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE);
    auto begun = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    auto ended = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    CHECK(event.getProfilingInfo<CL_PROFILING_COMMAND_QUEUED>() <= begun && begun <= ended);
    CHECK(event.getInfo<CL_EVENT_CONTEXT>()() == context());

    cl::Kernel kernel(program, "add");
    CHECK(kernel.getInfo<CL_KERNEL_PROGRAM>()() == program());
    CHECK(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(devices[0]) >= 1024);
    kernel.setArg(0, on_a);
    try {
        kernel.setArg(7, on_a);
        CHECK(!"an argument that is not there can be set");
    } catch (const cl::Error &error) {
        CHECK(error.err() == CL_INVALID_ARG_INDEX);
    }
    try {
        cl::Program wrong(context, "kernel void f( {}");
        wrong.build();
        CHECK(!"what is no program builds");
    } catch (const cl::BuildError &error) {
        CHECK(error.getBuildLog().at(0).second.find("error:") != std::string::npos);
    }

    using Shared = cl::SVMTraitFine<cl::SVMTraitReadWrite<>>;
    cl::SVMAllocator<int, Shared> allocator(context);
    std::vector<int, cl::SVMAllocator<int, Shared>> shared(1000, 7, allocator);
    cl::Kernel on_shared(program, "add");
    on_shared.setArg(0, shared.data());
    on_shared.setArg(1, shared.data());
    on_shared.setArg(2, shared.data());
    queue.enqueueNDRangeKernel(on_shared, cl::NullRange, cl::NDRange(1000));
    queue.finish();
    CHECK(shared[0] == 14 && shared[999] == 14);
    return failures != 0;
} catch (const cl::Error &error) {
    std::printf("%s: %d\n", error.what(), error.err());
    return 1;
}
