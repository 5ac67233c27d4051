// Times of cuBLAS for scal, asum, dot, gemv and gemm on float32, one JSON line each: what `perf lift explore` is compared with.
// Each is timed by CUDA events around one call, which for asum and dot ends with the scalar in device memory; median of the trials,
// after a warm-up. Also a device-to-device copy, for the bandwidth that memory reaches.
//
//     nvcc -O2 -o cublas scripts/cublas.cu -lcublas && ./cublas
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>

static void check(bool ok, const char* what) {
    if (!ok) {
        std::fprintf(stderr, "cublas: %s failed\n", what);
        std::exit(1);
    }
}

__global__ void fill(float* x, size_t n) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        x[i] = float((i * 7 + 3) % 64) / 64 - 0.5f;
    }
}

static float* array(size_t n) {
    float* x = nullptr;
    check(cudaMalloc(&x, n * sizeof(float)) == cudaSuccess, "cudaMalloc");
    fill<<<1024, 256>>>(x, n);
    check(cudaDeviceSynchronize() == cudaSuccess, "fill");
    return x;
}

// bytes is the least that has to move, for the bandwidth; flop what has to be computed.
static void report(const char* name, size_t n, size_t m, double bytes, double flop, const std::function<void()>& call) {
    const int warmup = 10, trials = 60;
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&stop) == cudaSuccess, "cudaEventCreate");
    std::vector<float> ms(trials);
    for (int i = -warmup; i < trials; i++) {
        cudaEventRecord(start);
        call();
        cudaEventRecord(stop);
        check(cudaEventSynchronize(stop) == cudaSuccess, name);
        if (i >= 0) cudaEventElapsedTime(&ms[i], start, stop);
    }
    std::sort(ms.begin(), ms.end());
    double median = (ms[trials / 2 - 1] + ms[trials / 2]) / 2e3;
    std::printf("{\"routine\": \"%s\", \"n\": %zu, \"m\": %zu, \"seconds\": %.9g, \"min\": %.9g, \"max\": %.9g, \"bytes_per_second\": %.5g, \"flop_per_second\": %.5g}\n",
                name, n, m, median, ms.front() / 1e3, ms.back() / 1e3, bytes / median, flop / median);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
}

int main() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "cudaGetDeviceProperties");
    int version = 0;
    cublasHandle_t handle;
    check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    cublasGetVersion(handle, &version);
    std::printf("{\"device\": \"%s\", \"cublas\": %d}\n", device.name, version);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);

    const float host[4] = {1.0001f, 0.5f, 0.0f, 0.0f};
    float* scalar = array(4); // alpha, beta, result, and 0 for a product that is not added
    cudaMemcpy(scalar, host, sizeof host, cudaMemcpyHostToDevice);
    for (size_t n : {size_t(1) << 24, size_t(1) << 27}) {
        float *x = array(n), *y = array(n);
        report("copy", n, 1, 8.0 * n, 0, [&] { cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice); });
        report("scal", n, 1, 8.0 * n, 1.0 * n, [&] { cublasSscal(handle, int(n), scalar, x, 1); });
        report("asum", n, 1, 4.0 * n, 2.0 * n, [&] { cublasSasum(handle, int(n), x, 1, scalar + 2); });
        report("dot", n, 1, 8.0 * n, 2.0 * n, [&] { cublasSdot(handle, int(n), x, 1, y, 1, scalar + 2); });
        cudaFree(x);
        cudaFree(y);
    }
    // Rows are contiguous, so that cuBLAS, which counts in columns, multiplies by the transpose.
    for (auto size : {std::make_pair(size_t(4096), size_t(4096)), std::make_pair(size_t(8192), size_t(16384))}) {
        size_t rows = size.first, columns = size.second;
        float *a = array(rows * columns), *x = array(columns), *y = array(rows);
        report("gemv", rows, columns, 4.0 * (rows * columns + columns + 2 * rows), 2.0 * rows * columns, [&] {
            cublasSgemv(handle, CUBLAS_OP_T, int(columns), int(rows), scalar, a, int(columns), x, 1, scalar + 1, y, 1);
        });
        cudaFree(a);
        cudaFree(x);
        cudaFree(y);
    }
    for (size_t n : {size_t(1024), size_t(2048), size_t(4096)}) {
        float *a = array(n * n), *b = array(n * n), *c = array(n * n);
        report("gemm", n, n, 12.0 * n * n, 2.0 * n * n * n, [&] {
            cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, int(n), int(n), int(n), scalar, b, int(n), a, int(n), scalar + 3, c, int(n));
        });
        cudaFree(a);
        cudaFree(b);
        cudaFree(c);
    }
    cublasDestroy(handle);
    return 0;
}
