// How many work-groups a multiprocessor runs at once, as the CUDA runtime says it of kernels with many numbers of registers: one line of CSV for each
// kernel, size of the work-group and bytes of dynamic shared memory. Where a work-group has no room it is 0.
//
//     nvcc -std=c++17 -arch=sm_90 -o occupancy scripts/occupancy.cu && ./occupancy | gzip -9 > testdata/h200/occupancy.csv.gz
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <cuda_runtime.h>

static void check(cudaError_t e) {
    if (e != cudaSuccess) {
        std::fprintf(stderr, "occupancy: %s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}

// held keeps N values from its loads to its stores, which takes about as many registers.
template <int N>
__global__ void held(float* x, int n) {
    extern __shared__ float shared[];
    float v[N];
#pragma unroll
    for (int i = 0; i < N; i++) v[i] = x[i * n + threadIdx.x];
    __syncthreads();
    if (n < 0) shared[threadIdx.x] = v[0];
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < N; i++) v[i] = v[i] * v[(i + 1) % N] + v[(i + N / 2) % N];
    }
#pragma unroll
    for (int i = 0; i < N; i++) x[i * n + threadIdx.x] = v[i];
}

static const int most = 232448;  // bytes of dynamic shared memory of a work-group
static const int bytes[] = {0, 1, 1024, 1025, 5000, 8192, 12000, 16384, 23000, 33000, 49152, 65536, 76800, 77000, 100000, 115712, 115713, 160000, most};

template <int N>
static void print() {
    cudaFuncAttributes a;
    check(cudaFuncGetAttributes(&a, held<N>));
    check(cudaFuncSetAttribute(held<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    for (int shared : bytes) {
        for (int items = 32; items <= 1024; items += shared == 0 ? 32 : 96) {
            int groups = 0;
            cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&groups, held<N>, items, shared);
            if (e != cudaSuccess) {
                cudaGetLastError();
                groups = 0;
            }
            std::printf("%d,%d,%d,%d\n", a.numRegs, items, shared, groups);
        }
    }
}

template <int... I>
static void all(std::integer_sequence<int, I...>) {
    (print<1 + 4 * I>(), ...);
}

int main() {
    std::printf("registers,items,shared,groups\n");
    all(std::make_integer_sequence<int, 60>());
}
