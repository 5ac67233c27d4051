// CUDA's runtime on the host, as far as written programs call it. What is queued runs when somebody waits. The work-items of a work-group take turns:
// each has a stack of its own, and runs until its next barrier. With TRACE=1 a program tells at its end what it did.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <utility>
#include <vector>

using namespace std;

#define CUDART_VERSION 12000
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
static dim3 threadIdx, blockIdx;

static float __int_as_float(int bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// Work-items.
struct item {
    ucontext_t context;
    vector<char> stack = vector<char>(1 << 16);
    dim3 at;
    bool done;
};
static vector<item> items(1024);
static item *current;
static ucontext_t scheduler;
static const function<void()> *body;

static void __syncthreads() { swapcontext(&current->context, &scheduler); }

static void run_item()
{
    (*body)();
    current->done = true;
}

static void run_group(const function<void()> &kernel, dim3 size)
{
    size_t count = (size_t) size.x * size.y * size.z, running = count;
    body = &kernel;
    for (size_t i = 0; i < count; i++) {
        item &own = items[i];
        own.at = dim3(i % size.x, i / size.x % size.y, i / size.x / size.y);
        own.done = false;
        getcontext(&own.context);
        own.context.uc_stack.ss_sp = own.stack.data();
        own.context.uc_stack.ss_size = own.stack.size();
        own.context.uc_link = &scheduler;
        makecontext(&own.context, run_item, 0);
    }
    while (running > 0) {
        size_t before = running;
        for (size_t i = 0; i < count; i++) {
            if (items[i].done)
                continue;
            current = &items[i];
            threadIdx = current->at;
            swapcontext(&scheduler, &current->context);
            running -= current->done;
        }
        if (running > 0 && before != count) {
            fprintf(stderr, "some work-items of a group wait at a barrier and others have ended\n");
            abort();
        }
    }
}

// Streams and graphs.
typedef function<void()> launch;
typedef vector<launch> *cudaGraph_t, *cudaGraphExec_t;
static vector<launch> queued;
static cudaGraph_t recording;
static int launched, recorded, instantiated, updated, played;

struct tell {
    ~tell()
    {
        if (getenv("TRACE"))
            fprintf(stderr, "trace: %d launches, %d in graphs, %d graphs made, %d changed, %d run\n", launched, recorded, instantiated, updated, played);
    }
};
static tell at_end;

static void run_queued()
{
    for (auto &work : exchange(queued, {}))
        work();
}

template<typename... P, typename... A>
static void run_kernel(void (*kernel)(P...), dim3 groups, dim3 size, size_t, int *, A... arguments)
{
    launch l = [=] {
        function<void()> one = [&] { kernel(arguments...); };
        for (unsigned z = 0; z < groups.z; z++)
            for (unsigned y = 0; y < groups.y; y++)
                for (unsigned x = 0; x < groups.x; x++) {
                    blockIdx = dim3(x, y, z);
                    run_group(one, size);
                }
    };
    launched++;
    if (recording) {
        recorded++;
        recording->push_back(l);
    } else {
        queued.push_back(l);
    }
}

// The calls of CUDA.
enum cudaError_t { cudaSuccess, cudaErrorInvalidConfiguration, cudaErrorStreamCaptureUnsupported, cudaErrorGraphExecUpdateFailure };
enum { cudaStreamNonBlocking, cudaStreamCaptureModeThreadLocal, cudaFuncAttributeMaxDynamicSharedMemorySize, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
typedef int *cudaStream_t, cudaEvent_t, cudaGraphExecUpdateResultInfo;
struct cudaDeviceProp { char name[8]; };

static const char *cudaGetErrorString(cudaError_t e) { return e == cudaErrorStreamCaptureUnsupported ? "not while launches are recorded" : "an error"; }
static cudaError_t cudaGetLastError() { return cudaSuccess; }
static cudaError_t cudaGetDeviceCount(int *n) { return *n = 1, cudaSuccess; }
static cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int) { return strcpy(p->name, "host"), cudaSuccess; }
static cudaError_t cudaSetDevice(int) { return cudaSuccess; }
static cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, int) { return cudaSuccess; }
static cudaError_t cudaEventCreate(cudaEvent_t *) { return cudaSuccess; }
static cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return recording ? cudaErrorStreamCaptureUnsupported : cudaSuccess; }
static cudaError_t cudaEventElapsedTime(float *t, cudaEvent_t, cudaEvent_t) { return *t = 1, cudaSuccess; }
template<typename K> static cudaError_t cudaFuncSetAttribute(K, int, int) { return cudaSuccess; }

static cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    if (recording)
        return cudaErrorStreamCaptureUnsupported;
    run_queued();
    return cudaSuccess;
}
static cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaStreamSynchronize(NULL); }

// Memory that nobody wrote holds no numbers.
static cudaError_t cudaMalloc(void **p, size_t bytes) { return *p = memset(malloc(bytes), 0xff, bytes), cudaSuccess; }
static cudaError_t cudaFree(void *p) { return free(p), cudaSuccess; }

static cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t)
{
    if (recording)
        return cudaErrorStreamCaptureUnsupported;
    queued.push_back([=] { memcpy(to, from, bytes); });
    if (kind == cudaMemcpyHostToDevice)
        run_queued();
    return cudaSuccess;
}

static cudaError_t cudaStreamBeginCapture(cudaStream_t, int)
{
    if (recording)
        return cudaErrorStreamCaptureUnsupported;
    return recording = new vector<launch>(), cudaSuccess;
}
static cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *g) { return *g = exchange(recording, nullptr), cudaSuccess; }
static cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *e, cudaGraph_t g, int)
{
    instantiated++;
    return *e = new vector<launch>(*g), cudaSuccess;
}
static cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphExecUpdateResultInfo *)
{
    if (e->size() != g->size()) // kernels may be other ones, if there are as many one after the other
        return cudaErrorGraphExecUpdateFailure;
    updated++;
    return *e = *g, cudaSuccess;
}
static cudaError_t cudaGraphDestroy(cudaGraph_t g) { return delete g, cudaSuccess; }
static cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) { return delete e, cudaSuccess; }
static cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t)
{
    played++;
    for (launch &l : *e)
        queued.push_back(l);
    return cudaSuccess;
}
