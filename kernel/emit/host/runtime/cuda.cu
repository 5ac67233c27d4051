// Helpers: the device, its buffers, and launches of kernels. A call that fails ends the program, with a message.
//
// Environment: PERF_SCOP_DEVICE is the device, by its number or by a part of its name; by default it is the first. PERF_SCOP_TIME=1 prints to
// stderr how long kernels took, all launches together. PERF_SCOP_GRAPHS=0 queues each launch of a loop by itself, and makes no CUDA graphs of them.
// nvcc -fmad=false keeps kernels from fusing products with sums.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#ifndef SCOP_MOST
#define SCOP_MOST INT_MAX // elements that kernels count
#endif
#ifndef SCOP_GRAPH
#define SCOP_GRAPH 256 // launches in a CUDA graph
#endif

static int scop_timed = -1;              // PERF_SCOP_TIME is set; -1: not asked yet
static int scop_graphs;                  // loops make graphs
static cudaStream_t scop_stream;         // copies and launches, in their order
static cudaEvent_t scop_begin, scop_end; // of the current launch or graph, where these are timed
static long scop_looped = -1;            // launches of the current loop; -1: there is none
static long scop_recorded;               // of these, those that wait to be a graph
static long scop_launches;               // since the last wait
static double scop_seconds;              // that those took

[[maybe_unused]] static long scop_min(long a, long b) { return a < b ? a : b; }
[[maybe_unused]] static long scop_max(long a, long b) { return a > b ? a : b; }
[[maybe_unused]] static long scop_floor(long a, long b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); } // of a/b
[[maybe_unused]] static long scop_ceil(long a, long b) { return -scop_floor(-a, b); }                            // of a/b

static void scop_check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "perf scop: %s: %s\n", what, cudaGetErrorString(status));
        exit(EXIT_FAILURE);
    }
}

// Finds the device that is wanted, at the first call.
static void scop_open(void)
{
    if (scop_timed >= 0)
        return;
    const char *wanted = getenv("PERF_SCOP_DEVICE"), *time = getenv("PERF_SCOP_TIME"), *graphs = getenv("PERF_SCOP_GRAPHS");
    int count = 0, device = -1;
    scop_check(cudaGetDeviceCount(&count), "looking for devices");
    for (int d = 0; d < count && device < 0; d++) {
        cudaDeviceProp properties;
        scop_check(cudaGetDeviceProperties(&properties, d), "looking for devices");
        if (!wanted || !*wanted || (wanted[strspn(wanted, "0123456789")] == 0 ? atoi(wanted) == d : strstr(properties.name, wanted) != NULL))
            device = d;
    }
    if (device < 0) {
        fprintf(stderr, "perf scop: there is no device %s among the %d of CUDA\n", wanted ? wanted : "", count);
        exit(EXIT_FAILURE);
    }
    scop_check(cudaSetDevice(device), "opening the device");
    scop_check(cudaStreamCreateWithFlags(&scop_stream, cudaStreamNonBlocking), "opening the device");
    scop_graphs = CUDART_VERSION >= 12000 && !(graphs && strcmp(graphs, "0") == 0);
    scop_timed = time && *time && strcmp(time, "0") != 0;
    if (scop_timed) {
        scop_check(cudaEventCreate(&scop_begin), "timing kernels");
        scop_check(cudaEventCreate(&scop_end), "timing kernels");
    }
}

static void scop_fill(const char *name, void *buffer, long elements, size_t size, const void *data)
{
    if (elements > 0)
        scop_check(cudaMemcpyAsync(buffer, data, elements * size, cudaMemcpyHostToDevice, scop_stream), name);
}

// A buffer of so many elements, with the data unless that is NULL.
static void *scop_buffer(const char *name, long elements, size_t size, const void *data)
{
    void *buffer = NULL;
    if (elements > SCOP_MOST) {
        fprintf(stderr, "perf scop: %s has %ld elements; the kernels count %ld at most\n", name, elements, (long) SCOP_MOST);
        exit(EXIT_FAILURE);
    }
    scop_check(cudaMalloc(&buffer, elements > 0 ? elements * size : 1), name);
    if (data)
        scop_fill(name, buffer, elements, size, data);
    return buffer;
}

[[maybe_unused]] static void *scop_memory(const char *name, long elements, size_t size)
{
    void *memory = malloc(elements > 0 ? elements * size : 1);
    if (!memory) {
        fprintf(stderr, "perf scop: %s: no memory for a copy of it\n", name);
        exit(EXIT_FAILURE);
    }
    return memory;
}

[[maybe_unused]] static void scop_back(const char *name, const void *buffer, long elements, size_t size, void *data)
{
    if (elements > 0)
        scop_check(cudaMemcpyAsync(data, buffer, elements * size, cudaMemcpyDeviceToHost, scop_stream), name);
}

[[maybe_unused]] static int scop_int(const char *name, long value)
{
    if (value > INT_MAX || value < INT_MIN) {
        fprintf(stderr, "perf scop: %s is %ld; the kernels take int\n", name, value);
        exit(EXIT_FAILURE);
    }
    return (int) value;
}

// These stand around what is timed.
static void scop_start(const char *name)
{
    if (scop_timed)
        scop_check(cudaEventRecord(scop_begin, scop_stream), name);
}

static void scop_stop(const char *name)
{
    float milliseconds = 0;
    if (!scop_timed)
        return;
    scop_check(cudaEventRecord(scop_end, scop_stream), name);
    scop_check(cudaEventSynchronize(scop_end), name);
    scop_check(cudaEventElapsedTime(&milliseconds, scop_begin, scop_end), name);
    scop_seconds += milliseconds * 1e-3;
}

// Queues the launches that were recorded, as a graph. It is the last one with other kernels, where that has as many.
static void scop_play(const char *name)
{
#if CUDART_VERSION >= 12000
    static cudaGraphExec_t ready;
    cudaGraph_t graph;
    cudaGraphExecUpdateResultInfo changes;
    if (scop_recorded == 0)
        return;
    scop_recorded = 0;
    scop_check(cudaStreamEndCapture(scop_stream, &graph), name);
    if (ready && cudaGraphExecUpdate(ready, graph, &changes) != cudaSuccess) {
        cudaGetLastError(); // it cannot be changed so, and a new one is made
        scop_check(cudaGraphExecDestroy(ready), name);
        ready = NULL;
    }
    if (!ready)
        scop_check(cudaGraphInstantiateWithFlags(&ready, graph, 0), name);
    scop_check(cudaGraphDestroy(graph), name);
    scop_start(name);
    scop_check(cudaGraphLaunch(ready, scop_stream), name);
    scop_stop(name);
#endif
}

// These stand around loops of launches. Many launches are graphs, as those of a graph follow each other more closely. The first ones are queued one by
// one: the device does these while graphs are made.
[[maybe_unused]] static void scop_loop(void) { scop_looped = 0; }

[[maybe_unused]] static void scop_loop_end(const char *name)
{
    scop_play(name);
    scop_looped = -1;
}

// Launches a kernel on work-groups of so many work-items along three axes, with so many bytes of memory shared by a group, without waiting for it.
template<typename... P, typename... A>
static void scop_launch(const char *name, void (*kernel)(P...), long groups_0, long groups_1, long groups_2, dim3 items, size_t shared, A... arguments)
{
    if (groups_0 <= 0 || groups_1 <= 0 || groups_2 <= 0)
        return;
    scop_check(scop_max(groups_0, scop_max(groups_1, groups_2)) > INT_MAX ? cudaErrorInvalidConfiguration : cudaSuccess, name);
    if (shared > 0)
        scop_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared), name);
    bool record = scop_graphs && scop_looped >= SCOP_GRAPH;
    if (!record)
        scop_start(name);
    else if (scop_recorded++ == 0)
        scop_check(cudaStreamBeginCapture(scop_stream, cudaStreamCaptureModeThreadLocal), name);
    kernel<<<dim3((unsigned) groups_0, (unsigned) groups_1, (unsigned) groups_2), items, shared, scop_stream>>>(arguments...);
    scop_check(cudaGetLastError(), name);
    scop_launches++;
    scop_looped += scop_looped >= 0;
    if (!record)
        scop_stop(name);
    else if (scop_recorded == SCOP_GRAPH)
        scop_play(name);
}

// Waits for all that was queued.
static void scop_wait(const char *name)
{
    scop_check(cudaStreamSynchronize(scop_stream), name);
    if (scop_timed)
        fprintf(stderr, "perf scop: %s: %ld launches, %.9f s\n", name, scop_launches, scop_seconds);
    scop_launches = 0;
    scop_seconds = 0;
}
