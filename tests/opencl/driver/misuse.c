// Every entry point with handles that are null, garbage, of another kind, or released: the error that the
// specification names, and never a crash.
#include "check.h"

// In the order of the list `bad`: what is no object of any kind, then one of each kind.
enum { CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT, KINDS };

static void *objects[KINDS], *released[KINDS];

#define FOR_BAD(kind, expected, call)                                                           \
    do {                                                                                        \
        char own_[64] = {0};                                                                    \
        void *bad_[] = {NULL, (void *)1, (void *)0x1234567, own_, own_ + 1, (void *)-1L,        \
                        (char *)objects[(kind)] + 8, (char *)objects[(kind)] + 64 * 100000,     \
                        objects[((kind) + 1) % KINDS], objects[((kind) + 2) % KINDS],           \
                        objects[((kind) + 3) % KINDS], device, platform, released[(kind)]};     \
        for (size_t at_ = 0; at_ < sizeof bad_ / sizeof *bad_; at_++) {                         \
            void *bad = bad_[at_];                                                              \
            cl_int found_ = (call);                                                             \
            if (found_ != (expected)) {                                                         \
                printf("%s:%d: bad handle %zu: %s is %d\n", __FILE__, __LINE__, at_, #call,     \
                       found_);                                                                 \
                failures++;                                                                     \
            }                                                                                   \
        }                                                                                       \
    } while (0)

// For calls through the loader, which itself looks into what a handle points to: null and what lives.
#define FOR_NULL_AND_OTHERS(kind, expected, call)                                               \
    do {                                                                                        \
        void *bad_[] = {NULL, objects[((kind) + 1) % KINDS], objects[((kind) + 2) % KINDS],     \
                        objects[((kind) + 3) % KINDS], device, platform, released[(kind)]};     \
        for (size_t at_ = 0; at_ < sizeof bad_ / sizeof *bad_; at_++) {                         \
            void *bad = bad_[at_];                                                              \
            cl_int found_ = (call);                                                             \
            if (found_ != (expected)) {                                                         \
                printf("%s:%d: bad handle %zu: %s is %d\n", __FILE__, __LINE__, at_, #call,     \
                       found_);                                                                 \
                failures++;                                                                     \
            }                                                                                   \
        }                                                                                       \
    } while (0)

static cl_int code(void *made)
{
    CHECK(made == NULL);
    return error;
}

static void contexts_and_devices(void)
{
    size_t size;
    cl_uint number;
    char byte;
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT, clRetainContext(bad));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT, clReleaseContext(bad));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT,
                        clGetContextInfo(bad, CL_CONTEXT_NUM_DEVICES, 4, &number, NULL));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT, clSetContextDestructorCallback(bad, NULL, NULL));
    IS(CL_INVALID_VALUE, clSetContextDestructorCallback(context, NULL, NULL));
    IS(CL_INVALID_VALUE, clGetContextInfo(context, 0x9999, 0, NULL, &size));
    IS(CL_INVALID_VALUE, clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, 1, &byte, NULL));
    IS(CL_INVALID_VALUE, clGetPlatformInfo(platform, 0x9999, 0, NULL, &size));
    IS(CL_INVALID_VALUE, clGetPlatformInfo(platform, CL_PLATFORM_NAME, 1, &byte, NULL));
    IS(CL_INVALID_VALUE, clGetDeviceInfo(device, 0x9999, 0, NULL, &size));
    IS(CL_INVALID_VALUE, clGetDeviceInfo(device, CL_DEVICE_TYPE, 4, &number, NULL));
    IS(CL_INVALID_DEVICE, clGetDeviceInfo(NULL, CL_DEVICE_TYPE, 0, NULL, &size));
    IS(CL_INVALID_DEVICE, clGetDeviceInfo((cl_device_id)context, CL_DEVICE_TYPE, 0, NULL, &size));
    IS(CL_INVALID_DEVICE, clRetainDevice(NULL));
    IS(CL_INVALID_DEVICE, clReleaseDevice((cl_device_id)context));
    IS(CL_INVALID_DEVICE, clCreateSubDevices((cl_device_id)context, NULL, 0, NULL, &number));
    IS(CL_INVALID_VALUE, clCreateSubDevices(device, NULL, 0, NULL, &number));
    cl_device_partition_property wrong[] = {0x77, 1, 0};
    IS(CL_INVALID_VALUE, clCreateSubDevices(device, wrong, 0, NULL, &number));
    cl_device_partition_property many[] = {CL_DEVICE_PARTITION_EQUALLY, 1 << 20, 0};
    IS(CL_INVALID_DEVICE_PARTITION_COUNT, clCreateSubDevices(device, many, 0, NULL, &number));
    IS(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 0, 0, NULL, &number));
    IS(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 1 << 20, 0, NULL, &number));
    IS(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 0, NULL, &number));
    IS(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL));
    IS(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    cl_ulong time;
    IS(CL_INVALID_VALUE, clGetHostTimer(device, NULL));
    IS(CL_INVALID_DEVICE, clGetHostTimer((cl_device_id)context, &time));
    IS(CL_INVALID_VALUE, clGetDeviceAndHostTimer(device, &time, NULL));
    IS(CL_INVALID_DEVICE, clGetDeviceAndHostTimer((cl_device_id)context, &time, &time));

    cl_device_id none[] = {(cl_device_id)context};
    IS(CL_INVALID_DEVICE, code(clCreateContext(NULL, 1, none, NULL, NULL, &error)));
    IS(CL_INVALID_VALUE, code(clCreateContext(NULL, 0, &device, NULL, NULL, &error)));
    IS(CL_INVALID_VALUE, code(clCreateContext(NULL, 1, &device, NULL, &byte, &error)));
    cl_context_properties unknown[] = {0x4242, 1, 0};
    IS(CL_INVALID_PROPERTY, code(clCreateContext(unknown, 1, &device, NULL, NULL, &error)));
    cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                     CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    IS(CL_INVALID_PROPERTY, code(clCreateContext(twice, 1, &device, NULL, NULL, &error)));
    CHECK(clCreateContext(NULL, 0, NULL, NULL, NULL, NULL) == NULL);
}

static void queues(void)
{
    size_t size;
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(bad));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(bad));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE, clFlush(bad));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE, clFinish(bad));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE,
                        clGetCommandQueueInfo(bad, CL_QUEUE_PROPERTIES, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE,
                        clSetCommandQueueProperty(bad, CL_QUEUE_PROFILING_ENABLE, 1, NULL));
    IS(CL_INVALID_VALUE, clGetCommandQueueInfo(queue, 0x9999, 0, NULL, &size));
    IS(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT,
                        code(clCreateCommandQueue(bad, device, 0, &error)));
    IS(CL_INVALID_DEVICE,
       code(clCreateCommandQueue(context, (cl_device_id)context, 0, &error)));
    IS(CL_INVALID_VALUE, code(clCreateCommandQueue(context, device, 1 << 20, &error)));
    cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    IS(CL_INVALID_QUEUE_PROPERTIES,
       code(clCreateCommandQueueWithProperties(context, device, on_device, &error)));
    cl_queue_properties unknown[] = {0x4242, 0, 0};
    IS(CL_INVALID_VALUE, code(clCreateCommandQueueWithProperties(context, device, unknown, &error)));
    IS(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(context, device, queue));
}

static void buffers(void)
{
    size_t size;
    char host[256];
    cl_buffer_region region = {0, 64};
    FOR_NULL_AND_OTHERS(BUFFER, CL_INVALID_MEM_OBJECT, clRetainMemObject(bad));
    FOR_NULL_AND_OTHERS(BUFFER, CL_INVALID_MEM_OBJECT, clReleaseMemObject(bad));
    FOR_NULL_AND_OTHERS(BUFFER, CL_INVALID_MEM_OBJECT,
                        clGetMemObjectInfo(bad, CL_MEM_SIZE, sizeof size, &size, NULL));
    FOR_NULL_AND_OTHERS(BUFFER, CL_INVALID_MEM_OBJECT,
                        clGetImageInfo(bad, CL_IMAGE_WIDTH, sizeof size, &size, NULL));
    FOR_NULL_AND_OTHERS(BUFFER, CL_INVALID_MEM_OBJECT, clGetPipeInfo(bad, 0, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(BUFFER, CL_INVALID_MEM_OBJECT,
                        clSetMemObjectDestructorCallback(bad, NULL, NULL));
    FOR_NULL_AND_OTHERS(BUFFER, CL_INVALID_MEM_OBJECT,
                        code(clCreateSubBuffer(bad, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error)));
    cl_mem buffer = objects[BUFFER];
    IS(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(buffer, NULL, NULL));
    IS(CL_INVALID_VALUE, clGetMemObjectInfo(buffer, 0x9999, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT, code(clCreateBuffer(bad, 0, 64, NULL, &error)));
    IS(CL_INVALID_BUFFER_SIZE, code(clCreateBuffer(context, 0, 0, NULL, &error)));
    IS(CL_INVALID_BUFFER_SIZE, code(clCreateBuffer(context, 0, (size_t)-1, NULL, &error)));
    IS(CL_INVALID_VALUE, code(clCreateBuffer(context, 1 << 30, 64, NULL, &error)));
    cl_mem_flags both = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    IS(CL_INVALID_VALUE, code(clCreateBuffer(context, both, 64, NULL, &error)));
    both = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    IS(CL_INVALID_VALUE, code(clCreateBuffer(context, both, 64, host, &error)));
    IS(CL_INVALID_HOST_PTR, code(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, NULL, &error)));
    IS(CL_INVALID_HOST_PTR, code(clCreateBuffer(context, 0, 64, host, &error)));
    cl_mem_properties unknown[] = {0x4242, 1, 0};
    IS(CL_INVALID_PROPERTY,
       code(clCreateBufferWithProperties(context, unknown, 0, 64, NULL, &error)));
    IS(CL_INVALID_VALUE, code(clCreateSubBuffer(buffer, 0, 0x42, &region, &error)));
    IS(CL_INVALID_VALUE,
       code(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &error)));
    region = (cl_buffer_region){256, (size_t)-64};
    IS(CL_INVALID_VALUE,
       code(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error)));
    region = (cl_buffer_region){4, 64};
    IS(CL_MISALIGNED_SUB_BUFFER_OFFSET,
       code(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error)));
    region = (cl_buffer_region){0, 0};
    IS(CL_INVALID_BUFFER_SIZE,
       code(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error)));
    char *shared = clSVMAlloc(context, 0, 64, 0);
    IS(CL_INVALID_BUFFER_SIZE, code(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 65, shared, &error)));
    clSVMFree(context, shared);
    CHECK(clSVMAlloc((cl_context)queue, 0, 64, 0) == NULL);
    CHECK(clSVMAlloc(context, 0, 0, 0) == NULL);
    CHECK(clSVMAlloc(context, 0, 64, 3) == NULL);
    CHECK(clSVMAlloc(context, 0, 64, 4096) == NULL);
    CHECK(clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 64, 0) == NULL);
    CHECK(clSVMAlloc(context, 0, (size_t)-1, 0) == NULL);
    clSVMFree(context, NULL);
    clSVMFree((cl_context)queue, host);
    clSVMFree(context, host);
}

static void images(void)
{
    cl_image_format format = {CL_RGBA, CL_FLOAT}, packed = {CL_RGB, CL_UNORM_SHORT_565}, none = {CL_BGRA, CL_FLOAT};
    cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_image_desc bad_plane = plane;
    size_t at[3] = {1, 1, 0}, region[3] = {2, 2, 1}, far[3] = {3, 3, 0}, pitch;
    char host[256];
    cl_uint count = 0;
    cl_mem buffer = objects[BUFFER];
    cl_mem image = clCreateImage(context, 0, &format, &plane, NULL, &error);
    OK(error);
    cl_sampler sampler = clCreateSampler(context, 0, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error);
    OK(error);

    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT, code(clCreateImage(bad, 0, &format, &plane, NULL, &error)));
    IS(CL_INVALID_VALUE, code(clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &format, &plane, NULL, &error)));
    IS(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, code(clCreateImage(context, 0, NULL, &plane, NULL, &error)));
    IS(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, code(clCreateImage(context, 0, &none, &plane, NULL, &error)));
    IS(CL_IMAGE_FORMAT_NOT_SUPPORTED, code(clCreateImage(context, 0, &packed, &plane, NULL, &error)));
    IS(CL_INVALID_IMAGE_DESCRIPTOR, code(clCreateImage(context, 0, &format, NULL, NULL, &error)));
    bad_plane.image_type = CL_MEM_OBJECT_BUFFER;
    IS(CL_INVALID_IMAGE_DESCRIPTOR, code(clCreateImage(context, 0, &format, &bad_plane, NULL, &error)));
    bad_plane = plane, bad_plane.num_samples = 4;
    IS(CL_INVALID_IMAGE_DESCRIPTOR, code(clCreateImage(context, 0, &format, &bad_plane, NULL, &error)));
    bad_plane = plane, bad_plane.image_row_pitch = 64;
    IS(CL_INVALID_IMAGE_DESCRIPTOR, code(clCreateImage(context, 0, &format, &bad_plane, NULL, &error)));
    bad_plane = plane, bad_plane.image_width = 1 << 20;
    IS(CL_INVALID_IMAGE_SIZE, code(clCreateImage(context, 0, &format, &bad_plane, NULL, &error)));
    bad_plane = plane, bad_plane.buffer = (cl_mem)sampler;
    IS(CL_INVALID_MEM_OBJECT, code(clCreateImage(context, 0, &format, &bad_plane, NULL, &error)));
    bad_plane = plane, bad_plane.buffer = buffer, bad_plane.image_height = 1 << 14;
    IS(CL_INVALID_IMAGE_DESCRIPTOR, code(clCreateImage(context, 0, &format, &bad_plane, NULL, &error)));
    IS(CL_INVALID_HOST_PTR, code(clCreateImage(context, 0, &format, &plane, host, &error)));
    IS(CL_INVALID_HOST_PTR, code(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &plane, NULL, &error)));
    IS(CL_INVALID_PROPERTY, code(clCreateImageWithProperties(context, (cl_mem_properties[]){1, 1, 0}, 0, &format, &plane,
                                                             NULL, &error)));
    IS(CL_INVALID_IMAGE_SIZE, code(clCreateImage2D(context, 0, &format, 4, 0, 0, NULL, &error)));
    IS(CL_INVALID_IMAGE_SIZE, code(clCreateImage3D(context, 0, &format, 4, 4, 1 << 14, 0, 0, NULL, &error)));
    IS(CL_INVALID_OPERATION, code(clCreatePipe(context, 0, 4, 4, NULL, &error)));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT, code(clCreatePipe(bad, 0, 4, 4, NULL, &error)));

    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT,
                        code(clCreateSampler(bad, 0, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error)));
    IS(CL_INVALID_VALUE, code(clCreateSampler(context, 0, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &error)));
    IS(CL_INVALID_VALUE, code(clCreateSampler(context, 0, CL_ADDRESS_CLAMP, CL_RGBA, &error)));
    IS(CL_INVALID_VALUE, code(clCreateSampler(context, 2, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error)));
    IS(CL_INVALID_VALUE, code(clCreateSamplerWithProperties(context, (cl_sampler_properties[]){1, 1, 0}, &error)));
    IS(CL_INVALID_SAMPLER, clRetainSampler((cl_sampler)buffer));
    IS(CL_INVALID_SAMPLER, clReleaseSampler((cl_sampler)buffer));
    IS(CL_INVALID_SAMPLER, clGetSamplerInfo((cl_sampler)buffer, CL_SAMPLER_CONTEXT, 0, NULL, &pitch));
    IS(CL_INVALID_VALUE, clGetSamplerInfo(sampler, CL_IMAGE_WIDTH, 0, NULL, &pitch));

    IS(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count));
    IS(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 1 << 30, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    IS(CL_INVALID_MEM_OBJECT, clGetImageInfo(buffer, CL_IMAGE_WIDTH, sizeof pitch, &pitch, NULL));
    IS(CL_INVALID_VALUE, clGetImageInfo(image, CL_MEM_SIZE, sizeof pitch, &pitch, NULL));

    // Of the one kind where the other is asked for.
    IS(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(queue, buffer, 1, at, region, 0, 0, host, 0, NULL, NULL));
    IS(CL_INVALID_MEM_OBJECT, clEnqueueWriteImage(queue, buffer, 1, at, region, 0, 0, host, 0, NULL, NULL));
    IS(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(queue, buffer, host, at, region, 0, NULL, NULL));
    IS(CL_INVALID_MEM_OBJECT, clEnqueueCopyImage(queue, image, buffer, at, at, region, 0, NULL, NULL));
    IS(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(queue, image, image, at, region, 0, 0, NULL, NULL));
    IS(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(queue, buffer, buffer, 0, at, region, 0, NULL, NULL));
    IS(CL_INVALID_MEM_OBJECT,
       code(clEnqueueMapImage(queue, buffer, 1, CL_MAP_READ, at, region, &pitch, NULL, 0, NULL, NULL, &error)));
    IS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, image, 1, 0, 4, host, 0, NULL, NULL));
    IS(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(queue, image, host, 4, 0, 4, 0, NULL, NULL));
    IS(CL_INVALID_MEM_OBJECT,
       code(clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 4}, &error)));

    // Outside, or nowhere.
    IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, far, region, 0, 0, host, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, at, (size_t[3]){0, 1, 1}, 0, 0, host, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, at, (size_t[3]){2, 2, 2}, 0, 0, host, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, at, region, 16, 0, host, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, at, region, 0, 0, NULL, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueWriteImage(queue, image, 1, NULL, region, 0, 0, host, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, NULL, at, region, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, host, far, region, 0, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, image, image, at, (size_t[3]){0, 0, 0}, region, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(queue, image, buffer, at, region, (size_t)-1, 0, NULL, NULL));
    IS(CL_INVALID_VALUE,
       code(clEnqueueMapImage(queue, image, 1, CL_MAP_READ, at, region, NULL, NULL, 0, NULL, NULL, &error)));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE,
                        clEnqueueReadImage(bad, image, 1, at, region, 0, 0, host, 0, NULL, NULL));
    OK(clReleaseSampler(sampler));
    OK(clReleaseMemObject(image));
}

static void arguments_of_kernels(void)
{
    cl_program program = build("kernel void f(read_only image2d_t a, write_only image2d_t b, sampler_t s, global float *c)\n"
                               "{ write_imagef(b, (int2)(0, 0), read_imagef(a, s, (int2)(0, 0)) + *c); }\n", "");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4};
    cl_mem read = clCreateImage(context, CL_MEM_READ_ONLY, &format, &plane, NULL, &error);
    cl_mem written = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &plane, NULL, &error);
    cl_mem other = clCreateImage(context, 0, &format, &line, NULL, &error);
    OK(error);
    cl_mem buffer = objects[BUFFER], none = NULL;
    cl_sampler sampler = clCreateSampler(context, 0, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error);
    OK(error);
    size_t one = 1;
    OK(clSetKernelArg(kernel, 0, sizeof read, &read));
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &read));
    IS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof read, NULL));
    IS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof written, &written));
    IS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof other, &other));
    IS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    IS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof none, &none));
    IS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof read, &read));
    OK(clSetKernelArg(kernel, 1, sizeof written, &written));
    IS(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 2, sizeof buffer, &buffer));
    IS(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 2, sizeof sampler, NULL));
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 2, 4, &sampler));
    OK(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
    IS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 3, sizeof read, &read));
    IS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 3, sizeof buffer, &buffer));
    OK(clReleaseSampler(sampler)); // its value is the kernel's
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(read));
    IS(CL_INVALID_MEM_OBJECT, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clReleaseMemObject(written));
    OK(clReleaseMemObject(other));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void programs(void)
{
    size_t size;
    const char *source = "kernel void f() {}", *nothing = NULL;
    unsigned char garbage[100] = "Vicinity OpenCL\n";
    const unsigned char *binary = garbage;
    size_t length = sizeof garbage;
    cl_int status = 42;
    cl_uint count;
    cl_program program = objects[PROGRAM];
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM, clRetainProgram(bad));
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM, clReleaseProgram(bad));
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM, clBuildProgram(bad, 0, NULL, "", NULL, NULL));
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM,
                        clCompileProgram(bad, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM,
                        clGetProgramInfo(bad, CL_PROGRAM_CONTEXT, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM,
                        clGetProgramBuildInfo(bad, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM, code(clCreateKernel(bad, "f", &error)));
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM, clCreateKernelsInProgram(bad, 0, NULL, &count));
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM, clSetProgramReleaseCallback(bad, NULL, NULL));
    FOR_NULL_AND_OTHERS(PROGRAM, CL_INVALID_PROGRAM,
                        clSetProgramSpecializationConstant(bad, 0, 4, &status));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT,
                        code(clCreateProgramWithSource(bad, 1, &source, NULL, &error)));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT, code(clCreateProgramWithIL(bad, garbage, 4, &error)));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT,
                        code(clCreateProgramWithBinary(bad, 1, &device, &length, &binary, NULL, &error)));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT,
                        code(clLinkProgram(bad, 0, NULL, "", 1, &program, NULL, NULL, &error)));
    size_t readers = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_ILS_WITH_VERSION, 0, NULL, &readers));
    IS(readers ? CL_INVALID_PROGRAM : CL_INVALID_OPERATION,
       clSetProgramSpecializationConstant(program, 0, 4, &status));
    IS(CL_INVALID_VALUE, code(clCreateProgramWithSource(context, 0, &source, NULL, &error)));
    IS(CL_INVALID_VALUE, code(clCreateProgramWithSource(context, 1, NULL, NULL, &error)));
    IS(CL_INVALID_VALUE, code(clCreateProgramWithSource(context, 1, &nothing, NULL, &error)));
    IS(readers ? CL_INVALID_VALUE : CL_INVALID_OPERATION,
       code(clCreateProgramWithIL(context, &length, sizeof length, &error)));
    IS(CL_INVALID_VALUE, code(clCreateProgramWithBuiltInKernels(context, 1, &device, "f", &error)));
    IS(CL_INVALID_BINARY,
       code(clCreateProgramWithBinary(context, 1, &device, &length, &binary, &status, &error)));
    CHECK(status == CL_INVALID_BINARY);
    length = 0;
    IS(CL_INVALID_VALUE,
       code(clCreateProgramWithBinary(context, 1, &device, &length, &binary, NULL, &error)));
    IS(CL_INVALID_VALUE, code(clLinkProgram(context, 0, NULL, "", 0, NULL, NULL, NULL, &error)));
    IS(CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, "", NULL, NULL));
    IS(CL_INVALID_VALUE, clBuildProgram(program, 0, &device, "", NULL, NULL));
    IS(CL_INVALID_VALUE, clBuildProgram(program, 0, NULL, "", NULL, &status));
    IS(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, "", NULL, NULL)); // it has a kernel
    IS(CL_INVALID_VALUE, clGetProgramInfo(program, 0x9999, 0, NULL, &size));
    IS(CL_INVALID_VALUE, clGetProgramBuildInfo(program, device, 0x9999, 0, NULL, &size));
    IS(CL_INVALID_DEVICE, clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    IS(CL_INVALID_KERNEL_NAME, code(clCreateKernel(program, "nobody", &error)));
    IS(CL_INVALID_VALUE, code(clCreateKernel(program, NULL, &error)));
    cl_program bare = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    IS(CL_INVALID_PROGRAM_EXECUTABLE, code(clCreateKernel(bare, "f", &error)));
    IS(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(bare, CL_PROGRAM_NUM_KERNELS, 0, NULL, &size));
    IS(CL_INVALID_OPERATION, code(clLinkProgram(context, 0, NULL, "", 1, &bare, NULL, NULL, &error)));
    IS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(bare, 0, NULL, "no-option", NULL, NULL));
    IS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(bare, 0, NULL, "-cl-std=CL9.0", NULL, NULL));
    IS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(bare, 0, NULL, "-D", NULL, NULL));
    IS(CL_INVALID_COMPILER_OPTIONS,
       clCompileProgram(bare, 0, NULL, "\"", 0, NULL, NULL, NULL, NULL));
    OK(clReleaseProgram(bare));
    OK(clUnloadPlatformCompiler(platform));
    OK(clUnloadCompiler());
}

static void kernels(void)
{
    size_t size, number = 0;
    cl_kernel kernel = objects[KERNEL];
    cl_mem buffer = objects[BUFFER];
    void *garbage = (void *)0x1234567;
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL, clRetainKernel(bad));
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL, clReleaseKernel(bad));
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL, clSetKernelArg(bad, 0, sizeof buffer, &buffer));
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL, clSetKernelArgSVMPointer(bad, 0, &number));
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL,
                        clSetKernelExecInfo(bad, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, &garbage));
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL,
                        clGetKernelInfo(bad, CL_KERNEL_NUM_ARGS, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL,
                        clGetKernelArgInfo(bad, 0, CL_KERNEL_ARG_NAME, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL,
                        clGetKernelWorkGroupInfo(bad, device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL,
                        clGetKernelSubGroupInfo(bad, device, 0, 0, NULL, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(KERNEL, CL_INVALID_KERNEL, code(clCloneKernel(bad, &error)));
    FOR_BAD(BUFFER, bad == NULL ? CL_SUCCESS : CL_INVALID_MEM_OBJECT,
            clSetKernelArg(kernel, 0, sizeof bad, &bad));
    IS(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, 7, sizeof buffer, &buffer));
    IS(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, (cl_uint)-1, sizeof buffer, &buffer));
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &buffer));
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, NULL));
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 8, &number));
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, (size_t)-1, &number));
    IS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, 4, NULL));
    IS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 2, 64, &number));
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 2, 0, NULL));
    IS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(kernel, 1, &number));
    IS(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(kernel, 9, &number));
    IS(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, 0x9999, 8, &garbage));
    IS(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, &garbage));
    IS(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL));
    IS(CL_INVALID_VALUE, clGetKernelInfo(kernel, 0x9999, 0, NULL, &size));
    IS(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(kernel, 9, CL_KERNEL_ARG_NAME, 0, NULL, &size));
    IS(CL_INVALID_VALUE, clGetKernelArgInfo(kernel, 0, 0x9999, 0, NULL, &size));
    IS(CL_INVALID_VALUE,
       clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, NULL, &size));
    IS(CL_INVALID_DEVICE, clGetKernelWorkGroupInfo(kernel, (cl_device_id)context,
                                                   CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, &size));
    IS(CL_INVALID_VALUE, clGetKernelSubGroupInfo(kernel, device, 0x2033, 0, NULL, 0, NULL, &size));
}

static void events(void)
{
    size_t size;
    cl_event event = objects[EVENT];
    FOR_NULL_AND_OTHERS(EVENT, CL_INVALID_EVENT, clRetainEvent(bad));
    FOR_NULL_AND_OTHERS(EVENT, CL_INVALID_EVENT, clReleaseEvent(bad));
    FOR_NULL_AND_OTHERS(EVENT, CL_INVALID_EVENT, clSetUserEventStatus(bad, CL_COMPLETE));
    FOR_NULL_AND_OTHERS(EVENT, CL_INVALID_EVENT, clSetEventCallback(bad, CL_COMPLETE, NULL, NULL));
    FOR_NULL_AND_OTHERS(EVENT, CL_INVALID_EVENT,
                        clGetEventInfo(bad, CL_EVENT_CONTEXT, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(EVENT, CL_INVALID_EVENT,
                        clGetEventProfilingInfo(bad, CL_PROFILING_COMMAND_END, 0, NULL, &size));
    FOR_NULL_AND_OTHERS(CONTEXT, CL_INVALID_CONTEXT, code(clCreateUserEvent(bad, &error)));
    IS(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
    IS(CL_INVALID_VALUE, clWaitForEvents(0, &event));
    IS(CL_INVALID_VALUE, clSetUserEventStatus(event, CL_RUNNING));
    IS(CL_INVALID_VALUE, clSetEventCallback(event, CL_COMPLETE, NULL, NULL));
    IS(CL_INVALID_VALUE, clGetEventInfo(event, 0x9999, 0, NULL, &size));
    IS(CL_PROFILING_INFO_NOT_AVAILABLE,
       clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 0, NULL, &size));
    cl_event pair[2] = {event, NULL};
    IS(CL_INVALID_EVENT, clWaitForEvents(2, pair));
    FOR_BAD(EVENT, CL_INVALID_EVENT_WAIT_LIST,
            clEnqueueMarkerWithWaitList(queue, 1, (cl_event *)&bad, NULL));
    IS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 1, NULL, NULL));
    IS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 0, pair, NULL));
}

static void commands(void)
{
    size_t zero[3] = {0}, one[3] = {1, 1, 1}, huge[3] = {(size_t)-1, 2, 2}, many[3] = {1 << 20, 1, 1};
    size_t local[3] = {3, 1, 1}, thousands[3] = {100, 100, 100}, big[3] = {200, 1, 1};
    char host[1024];
    cl_mem buffer = objects[BUFFER];
    cl_kernel kernel = objects[KERNEL];
    void *pointer = host;
    FOR_BAD(BUFFER, CL_INVALID_MEM_OBJECT,
            clEnqueueReadBuffer(queue, bad, 1, 0, 4, host, 0, NULL, NULL));
    FOR_BAD(BUFFER, CL_INVALID_MEM_OBJECT,
            clEnqueueWriteBuffer(queue, bad, 1, 0, 4, host, 0, NULL, NULL));
    FOR_BAD(BUFFER, CL_INVALID_MEM_OBJECT,
            clEnqueueCopyBuffer(queue, buffer, bad, 0, 0, 4, 0, NULL, NULL));
    FOR_BAD(BUFFER, CL_INVALID_MEM_OBJECT,
            clEnqueueFillBuffer(queue, bad, host, 4, 0, 4, 0, NULL, NULL));
    FOR_BAD(BUFFER, CL_INVALID_MEM_OBJECT,
            code(clEnqueueMapBuffer(queue, bad, 1, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error)));
    FOR_BAD(BUFFER, CL_INVALID_MEM_OBJECT,
            clEnqueueUnmapMemObject(queue, bad, host, 0, NULL, NULL));
    FOR_BAD(BUFFER, CL_INVALID_MEM_OBJECT,
            clEnqueueMigrateMemObjects(queue, 1, (cl_mem *)&bad, 0, 0, NULL, NULL));
    FOR_BAD(BUFFER, CL_INVALID_MEM_OBJECT,
            clEnqueueReadBufferRect(queue, bad, 1, zero, zero, one, 0, 0, 0, 0, host, 0, NULL, NULL));
    FOR_BAD(KERNEL, CL_INVALID_KERNEL,
            clEnqueueNDRangeKernel(queue, bad, 1, NULL, one, NULL, 0, NULL, NULL));
    FOR_BAD(KERNEL, CL_INVALID_KERNEL, clEnqueueTask(queue, bad, 0, NULL, NULL));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE,
                        clEnqueueNDRangeKernel(bad, kernel, 1, NULL, one, NULL, 0, NULL, NULL));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE,
                        clEnqueueReadBuffer(bad, buffer, 1, 0, 4, host, 0, NULL, NULL));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(bad));
    FOR_NULL_AND_OTHERS(QUEUE, CL_INVALID_COMMAND_QUEUE,
                        clEnqueueSVMMemcpy(bad, 1, host, host + 8, 8, 0, NULL, NULL));

    IS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, 1, 0, 4, NULL, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, 1, 1020, 8, host, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, 1, (size_t)-4, 8, host, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, buffer, 1, 0, 1025, host, 0, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, buffer, buffer, 0, 4, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, buffer, buffer, 0, 1020, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, host, 3, 0, 6, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, host, 0, 0, 6, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, host, 256, 0, 256, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, host, 4, 2, 4, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, NULL, 4, 0, 4, 0, NULL, NULL));
    IS(CL_INVALID_VALUE,
       code(clEnqueueMapBuffer(queue, buffer, 1, 0x100, 0, 4, 0, NULL, NULL, &error)));
    IS(CL_INVALID_VALUE,
       code(clEnqueueMapBuffer(queue, buffer, 1, CL_MAP_READ, 0, 2000, 0, NULL, NULL, &error)));
    IS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, buffer, host, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 1, &buffer, 0x100, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, zero, 0, 0, 0, 0, host,
                                                 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, buffer, 1, zero, zero, huge, 0, 0, 0, 0, host,
                                                 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueWriteBufferRect(queue, buffer, 1, huge, huge, one, 0, 0, 0, 0, host,
                                                  0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueWriteBufferRect(queue, buffer, 1, NULL, zero, one, 0, 0, 0, 0, host,
                                                  0, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(queue, buffer, buffer, zero, zero, one, 0, 0, 0, 0,
                                                    0, NULL, NULL));

    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_kernel fresh = clCreateKernel(objects[PROGRAM], "f", &error);
    IS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, fresh, 1, NULL, one, NULL, 0, NULL, NULL));
    cl_mem gone = clCreateBuffer(context, 0, 64, NULL, &error);
    int number = 1;
    OK(clSetKernelArg(fresh, 0, sizeof gone, &gone));
    OK(clSetKernelArg(fresh, 1, sizeof number, &number));
    OK(clSetKernelArg(fresh, 2, 64, NULL));
    OK(clReleaseMemObject(gone));
    IS(CL_INVALID_MEM_OBJECT, clEnqueueNDRangeKernel(queue, fresh, 1, NULL, one, NULL, 0, NULL, NULL));
    // Nor does it become another buffer's that has got the same handle.
    cl_mem other = NULL;
    for (int round = 0; round < 100000 && other != gone; round++) {
        if (other != NULL)
            OK(clReleaseMemObject(other));
        other = clCreateBuffer(context, 0, 64, NULL, &error);
        OK(error);
    }
    CHECK(other == gone);
    IS(CL_INVALID_MEM_OBJECT, clEnqueueNDRangeKernel(queue, fresh, 1, NULL, one, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(fresh, 0, sizeof other, &other));
    OK(clEnqueueNDRangeKernel(queue, fresh, 1, NULL, one, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(other));
    OK(clSetKernelArg(fresh, 0, sizeof buffer, &buffer));
    OK(clEnqueueNDRangeKernel(queue, fresh, 1, NULL, one, NULL, 0, NULL, NULL));
    IS(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, fresh, 0, NULL, one, NULL, 0, NULL, NULL));
    IS(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, fresh, 4, NULL, one, NULL, 0, NULL, NULL));
    IS(CL_INVALID_GLOBAL_WORK_SIZE,
       clEnqueueNDRangeKernel(queue, fresh, 3, NULL, huge, NULL, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, fresh, 1, NULL, NULL, NULL, 0, NULL, NULL)); // no items
    OK(clEnqueueNDRangeKernel(queue, fresh, 2, NULL, zero, NULL, 0, NULL, NULL));
    IS(CL_INVALID_GLOBAL_OFFSET,
       clEnqueueNDRangeKernel(queue, fresh, 1, huge, one + 0, NULL, 0, NULL, NULL));
    IS(CL_INVALID_GLOBAL_OFFSET,
       clEnqueueNDRangeKernel(queue, fresh, 1, (size_t[]){(size_t)-1 / 2}, one, NULL, 0, NULL, NULL));
    IS(CL_INVALID_WORK_GROUP_SIZE,
       clEnqueueNDRangeKernel(queue, fresh, 1, NULL, many, zero, 0, NULL, NULL));
    IS(CL_INVALID_WORK_GROUP_SIZE,
       clEnqueueNDRangeKernel(queue, fresh, 1, NULL, big, local, 0, NULL, NULL));
    IS(CL_INVALID_WORK_ITEM_SIZE,
       clEnqueueNDRangeKernel(queue, fresh, 1, NULL, many, many, 0, NULL, NULL));
    IS(CL_INVALID_WORK_GROUP_SIZE,
       clEnqueueNDRangeKernel(queue, fresh, 3, NULL, thousands, thousands, 0, NULL, NULL));
    OK(clSetKernelArg(fresh, 2, 1 << 30, NULL));
    IS(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, fresh, 1, NULL, one, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(fresh, 2, (size_t)-1, NULL));
    IS(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, fresh, 1, NULL, one, NULL, 0, NULL, NULL));
    OK(clReleaseKernel(fresh));

    IS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueMarker(queue, NULL));
    IS(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue, 0, NULL));
    IS(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queue, 1, host, host + 4, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queue, 1, NULL, host, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, NULL, host, 4, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, host, host, 3, 6, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueSVMMap(queue, 1, CL_MAP_READ, NULL, 8, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueSVMMap(queue, 1, CL_MAP_READ, host, 0, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 0, NULL, NULL, 0, 0, NULL, NULL));
    IS(CL_INVALID_VALUE,
       clEnqueueSVMMigrateMem(queue, 1, (const void **)&pointer, NULL, 0x100, 0, NULL, NULL));
    OK(clFinish(queue));
}

int main(void)
{
    begin();
    const char *source = "kernel void f(global int *x, int y, local int *z) { x[0] = y; }";
    for (int round = 0; round < 2; round++) {
        void **made = round == 0 ? released : objects;
        made[CONTEXT] = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
        made[QUEUE] = clCreateCommandQueueWithProperties(made[CONTEXT], device, NULL, &error);
        made[BUFFER] = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, &error);
        made[PROGRAM] = build(source, "");
        made[KERNEL] = clCreateKernel(made[PROGRAM], "f", &error);
        made[EVENT] = clCreateUserEvent(context, &error);
        OK(error);
    }
    OK(clReleaseEvent(released[EVENT]));
    OK(clReleaseKernel(released[KERNEL]));
    OK(clReleaseProgram(released[PROGRAM]));
    OK(clReleaseMemObject(released[BUFFER]));
    OK(clReleaseCommandQueue(released[QUEUE]));
    OK(clReleaseContext(released[CONTEXT]));
    contexts_and_devices();
    queues();
    buffers();
    images();
    arguments_of_kernels();
    programs();
    kernels();
    events();
    commands();
    OK(clReleaseEvent(objects[EVENT]));
    IS(CL_INVALID_EVENT, clReleaseEvent(objects[EVENT]));
    return verdict();
}
