// What steps cost that all work-groups of a device wait for: a barrier over the grid in one launch, launches of a graph, launches of a stream.
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void coop(int steps) { cg::grid_group g = cg::this_grid(); for (int i = 0; i < steps; i++) g.sync(); }
__global__ void flags(unsigned *count, int steps)
{
    for (int i = 1; i <= steps; i++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1);
            while (*(volatile unsigned *) count < i * gridDim.x) { }
            __threadfence();
        }
        __syncthreads();
    }
}
__global__ void nothing() {}
int main()
{
    cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
    cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
    unsigned *count; cudaMalloc(&count, 4);
    float ms; const int steps = 2000;
    printf("device,%s\nkind,groups,items,ns_per_step\n", p.name);
    for (int per = 1; per <= 4; per *= 2) for (int items = 128; items <= 1024; items *= 2) {
        int groups = per * p.multiProcessorCount, s = steps; void *args[] = {&s};
        if (per * items > 2048) continue;
        for (int trial = 0; trial < 3; trial++) {
            cudaEventRecord(a); cudaLaunchCooperativeKernel((void *) coop, groups, items, args); cudaEventRecord(b); cudaEventSynchronize(b);
            cudaEventElapsedTime(&ms, a, b); if (trial == 2) printf("cooperative,%d,%d,%.1f\n", groups, items, 1e6 * ms / steps);
            cudaMemset(count, 0, 4); void *more[] = {&count, &s};
            cudaEventRecord(a); cudaLaunchCooperativeKernel((void *) flags, groups, items, more); cudaEventRecord(b); cudaEventSynchronize(b);
            cudaEventElapsedTime(&ms, a, b); if (trial == 2) printf("flags,%d,%d,%.1f\n", groups, items, 1e6 * ms / steps);
        }
    }
    cudaStream_t q; cudaStreamCreate(&q);
    for (int trial = 0; trial < 3; trial++) {
        cudaEventRecord(a, q); for (int i = 0; i < steps; i++) nothing<<<p.multiProcessorCount, 256, 0, q>>>(); cudaEventRecord(b, q); cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b); if (trial == 2) printf("stream,%d,256,%.1f\n", p.multiProcessorCount, 1e6 * ms / steps);
    }
    cudaGraph_t g; cudaGraphExec_t x; cudaStreamBeginCapture(q, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < steps; i++) nothing<<<p.multiProcessorCount, 256, 0, q>>>();
    cudaStreamEndCapture(q, &g); cudaGraphInstantiate(&x, g, 0);
    for (int trial = 0; trial < 3; trial++) {
        cudaEventRecord(a, q); cudaGraphLaunch(x, q); cudaEventRecord(b, q); cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b); if (trial == 2) printf("graph,%d,256,%.1f\n", p.multiProcessorCount, 1e6 * ms / steps);
    }
    printf("status,%s\n", cudaGetErrorString(cudaGetLastError()));
}
