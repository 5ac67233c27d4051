// Helpers: the device, its buffers, and launches of kernels. A call that fails ends the program, with a message.
//
// Environment: PERF_SCOP_DEVICE is the device, by its number among those of all platforms or by a part of its name; by default it is the
// first GPU, or the first device where there is none. PERF_SCOP_TIME=1 prints to stderr how long kernels took, all launches together.
// PERF_SCOP_OPTIONS are options of the compiler of kernels, in place of SCOP_OPTIONS; -D SCOP_NO_FMA keeps it from fusing products with sums.
#ifndef SCOP_OPTIONS
#define SCOP_OPTIONS ""
#endif
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCOP_MOST
#define SCOP_MOST INT_MAX // elements that kernels count
#endif
#if defined(__GNUC__)
#define SCOP_UNUSED __attribute__((unused))
#else
#define SCOP_UNUSED
#endif

static cl_context scop_context;
static cl_device_id scop_device;
static cl_command_queue scop_queue;
static int scop_timed;            // PERF_SCOP_TIME is set
static cl_event scop_events[256]; // launches whose times are not added yet
static int scop_pending;          // how many
static long scop_launches;        // since the last wait
static double scop_seconds;       // that those took

SCOP_UNUSED static long scop_min(long a, long b) { return a < b ? a : b; }
SCOP_UNUSED static long scop_max(long a, long b) { return a > b ? a : b; }
SCOP_UNUSED static long scop_floor(long a, long b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); } // of a/b
SCOP_UNUSED static long scop_ceil(long a, long b) { return -scop_floor(-a, b); }                            // of a/b

static void scop_check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "perf scop: %s: OpenCL error %d\n", what, (int) status);
        exit(EXIT_FAILURE);
    }
}

// Finds the device that is wanted and makes a queue for it.
static void scop_open(void)
{
    const char *wanted = getenv("PERF_SCOP_DEVICE");
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS || count == 0) {
        fprintf(stderr, "perf scop: no OpenCL platform is installed\n");
        exit(EXIT_FAILURE);
    }
    int best = -1, index = 0;
    for (cl_uint p = 0; p < count && p < 16; p++) {
        cl_device_id devices[32];
        cl_uint found = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 32, devices, &found) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < found && d < 32; d++, index++) {
            char name[256] = "";
            cl_device_type type = 0;
            int rank = 0; // 1: it will do, 2: it is wanted
            clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name - 1, name, NULL);
            clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, NULL);
            if (!wanted || !*wanted)
                rank = type & CL_DEVICE_TYPE_GPU ? 2 : 1;
            else if (wanted[strspn(wanted, "0123456789")] == 0)
                rank = atoi(wanted) == index ? 2 : 0;
            else
                rank = strstr(name, wanted) ? 2 : 0;
            if (rank > 0 && rank > best) {
                best = rank;
                scop_device = devices[d];
            }
        }
    }
    if (best < 0) {
        fprintf(stderr, "perf scop: there is no device %s among the %d of OpenCL\n", wanted ? wanted : "", index);
        exit(EXIT_FAILURE);
    }
    cl_int status;
    const char *time = getenv("PERF_SCOP_TIME");
    scop_timed = time && *time && strcmp(time, "0") != 0;
    scop_context = clCreateContext(NULL, 1, &scop_device, NULL, NULL, &status);
    scop_check(status, "making a context");
    scop_queue = clCreateCommandQueue(scop_context, scop_device, scop_timed ? CL_QUEUE_PROFILING_ENABLE : 0, &status);
    scop_check(status, "making a queue");
}

// A kernel of the source, which is compiled when the first one is asked for.
static cl_kernel scop_kernel(const char *source, const char *name)
{
    static cl_program program;
    cl_int status;
    if (!program) {
        const char *options = getenv("PERF_SCOP_OPTIONS");
        scop_open();
        program = clCreateProgramWithSource(scop_context, 1, &source, NULL, &status);
        scop_check(status, "loading the kernels");
        status = clBuildProgram(program, 1, &scop_device, options ? options : SCOP_OPTIONS, NULL, NULL);
        if (status != CL_SUCCESS) {
            size_t size = 0;
            clGetProgramBuildInfo(program, scop_device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
            char *log = (char *) calloc(size + 1, 1);
            if (log && clGetProgramBuildInfo(program, scop_device, CL_PROGRAM_BUILD_LOG, size, log, NULL) == CL_SUCCESS)
                fprintf(stderr, "%s\n", log);
        }
        scop_check(status, "compiling the kernels");
    }
    cl_kernel kernel = clCreateKernel(program, name, &status);
    scop_check(status, name);
    return kernel;
}

static void scop_fill(const char *name, cl_mem buffer, long elements, size_t size, const void *data)
{
    if (elements > 0)
        scop_check(clEnqueueWriteBuffer(scop_queue, buffer, CL_FALSE, 0, elements * size, data, 0, NULL, NULL), name);
}

// A buffer of so many elements, with the data unless that is NULL. Copies are queued.
static cl_mem scop_buffer(const char *name, long elements, size_t size, const void *data)
{
    cl_int status;
    if (elements > SCOP_MOST) {
        fprintf(stderr, "perf scop: %s has %ld elements; the kernels count %ld at most\n", name, elements, (long) SCOP_MOST);
        exit(EXIT_FAILURE);
    }
    cl_mem buffer = clCreateBuffer(scop_context, CL_MEM_READ_WRITE, elements > 0 ? elements * size : 1, NULL, &status);
    scop_check(status, name);
    if (data)
        scop_fill(name, buffer, elements, size, data);
    return buffer;
}

SCOP_UNUSED static void *scop_memory(const char *name, long elements, size_t size)
{
    void *memory = malloc(elements > 0 ? elements * size : 1);
    if (!memory) {
        fprintf(stderr, "perf scop: %s: no memory for a copy of it\n", name);
        exit(EXIT_FAILURE);
    }
    return memory;
}

SCOP_UNUSED static void scop_back(const char *name, cl_mem buffer, long elements, size_t size, void *data)
{
    if (elements > 0)
        scop_check(clEnqueueReadBuffer(scop_queue, buffer, CL_FALSE, 0, elements * size, data, 0, NULL, NULL), name);
}

// An argument of a kernel.
#define scop_arg(kernel, index, type, value) \
    do { \
        type scop_value = (type) (value); \
        scop_check(clSetKernelArg(kernel, index, sizeof scop_value, &scop_value), #kernel); \
    } while (0)

SCOP_UNUSED static cl_int scop_int(const char *name, long value)
{
    if (value > INT_MAX || value < INT_MIN) {
        fprintf(stderr, "perf scop: %s is %ld; the kernels take int\n", name, value);
        exit(EXIT_FAILURE);
    }
    return (cl_int) value;
}

// Adds the times of launches.
static void scop_add(void)
{
    for (int i = 0; i < scop_pending; i++) {
        cl_ulong start = 0, end = 0;
        scop_check(clWaitForEvents(1, &scop_events[i]), "running kernels");
        scop_check(clGetEventProfilingInfo(scop_events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "timing kernels");
        scop_check(clGetEventProfilingInfo(scop_events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "timing kernels");
        clReleaseEvent(scop_events[i]);
        scop_seconds += (end - start) * 1e-9;
    }
    scop_pending = 0;
}

// Queues a launch of so many work-groups, each of so many work-items, along three axes.
static void scop_launch(const char *name, cl_kernel kernel, long groups_0, long groups_1, long groups_2, size_t items_0, size_t items_1, size_t items_2)
{
    if (groups_0 <= 0 || groups_1 <= 0 || groups_2 <= 0)
        return;
    size_t local[3] = {items_0, items_1, items_2}, global[3] = {groups_0 * items_0, groups_1 * items_1, groups_2 * items_2};
    cl_event *event = scop_timed ? &scop_events[scop_pending++] : NULL;
    cl_int status = clEnqueueNDRangeKernel(scop_queue, kernel, 3, NULL, global, local, 0, NULL, event);
    if (status == CL_INVALID_WORK_GROUP_SIZE) { // what CL_KERNEL_WORK_GROUP_SIZE says is too small on some drivers
        fprintf(stderr, "perf scop: %s has work-groups of %zu work-items; the device does not run it with so many\n", name, items_0 * items_1 * items_2);
        exit(EXIT_FAILURE);
    }
    scop_check(status, name);
    scop_launches++;
    if (scop_pending == (int) (sizeof scop_events / sizeof *scop_events))
        scop_add();
}

// Waits for all that was queued.
static void scop_wait(const char *name)
{
    scop_check(clFinish(scop_queue), name);
    if (scop_timed) {
        scop_add();
        fprintf(stderr, "perf scop: %s: %ld launches, %.9f s\n", name, scop_launches, scop_seconds);
    }
    scop_launches = 0;
    scop_seconds = 0;
}
