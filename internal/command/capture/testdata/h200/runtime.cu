// An application of the CUDA runtime, whose capture is recorded in runtime/: templates, structures that hold pointers, places in
// allocations, dynamic shared memory, a variable, streams, a cooperative launch, clusters, a graph. To record it again, with the library that
// perf has compiled:
//
//     nvcc -arch=sm_90 -o runtime runtime.cu
//     CUDA_INJECTION64_PATH=.../cuda.so PERF_CAPTURE_FOLDER=$PWD/runtime-journal ./runtime
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

struct View {
  const float *data;
  int n;
  float *out;
  double scale;
};
struct Pair {
  short a;
  char b;
};
__constant__ float coefficients[4];

__device__ int item() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <typename T> __global__ void axpy(int n, T a, const T *x, T *y) {
  if (item() < n) y[item()] += a * x[item()];
}
__global__ void view(View v, Pair p) {
  int i = item();
  if (i < v.n) v.out[i] = v.data[i] * v.scale + p.a + p.b + coefficients[i & 3];
}
__global__ void gather(const int *index, const float *x, float *y, int n) {
  if (item() < n) y[item()] = x[index[item()]];
}
__global__ void reverse(float *y, int n) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = y[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = s[n - 1 - i];
}
__global__ void together(float *y) {
  auto grid = cg::this_grid();
  y[grid.thread_rank()] += 1;
  grid.sync();
}
__global__ void ranks(float *y) {
  auto cluster = cg::this_cluster();
  cluster.sync();
  y[item()] = cluster.block_rank();
}
__global__ void nothing() {}
__global__ void in_graph(float *y, unsigned long long k) { y[threadIdx.x] = k; }

static void ok(cudaError_t status) {
  if (status == cudaSuccess) return;
  printf("%s\n", cudaGetErrorString(status));
  exit(1);
}

int main(int argc, char **argv) {
  const int n = 1 << 16;
  std::vector<float> numbers(n);
  std::vector<int> places(n);
  for (int i = 0; i < n; i++) numbers[i] = i % 1000, places[i] = i * 7LL % n;
  float *x, *y, *managed, c[4] = {1, 2, 3, 4};
  double *d;
  int *index;
  cudaStream_t s, t;
  ok(cudaStreamCreate(&s));
  ok(cudaStreamCreate(&t));
  ok(cudaMalloc(&x, n * sizeof *x));
  ok(cudaMalloc(&y, 2 * n * sizeof *y));
  ok(cudaMalloc(&d, n * sizeof *d));
  ok(cudaMallocManaged(&managed, n * sizeof *managed));
  ok(cudaMallocAsync((void **)&index, n * sizeof *index, s));
  ok(cudaMemcpyAsync(index, places.data(), n * sizeof *index, cudaMemcpyHostToDevice, s));
  ok(cudaMemcpy(x, numbers.data(), n * sizeof *x, cudaMemcpyHostToDevice));
  ok(cudaMemset(y, 0, 2 * n * sizeof *y));
  ok(cudaMemset(d, 0, n * sizeof *d));
  ok(cudaMemset(managed, 0, n * sizeof *managed));
  ok(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  ok(cudaDeviceSynchronize());

  for (int k = 0; k < 5; k++) axpy<float><<<n / 256, 256, 0, s>>>(n, 1.5f + k, x, y);
  axpy<double><<<n / 256, 256, 0, t>>>(n / 2, 2.5, d, d + n / 2);
  axpy<float><<<n / 256, 256, 0, t>>>(n, 2, managed, y + n);
  ok(cudaDeviceSynchronize());
  view<<<n / 128, 128>>>(View{x, n, y + n, 0.5}, Pair{3, 4});
  ok(cudaDeviceSynchronize());
  gather<<<n / 256, 256, 0, s>>>(index, x, y, n);
  ok(cudaStreamSynchronize(s));
  const int bytes = 100000;
  ok(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  reverse<<<4, 256, bytes>>>(y, bytes / 4);
  void *args[] = {&y};
  ok(cudaLaunchCooperativeKernel((void *)together, dim3(64), dim3(128), args, 0, nullptr));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(16), config.blockDim = dim3(64), config.attrs = &cluster, config.numAttrs = 1;
  ok(cudaLaunchKernelEx(&config, ranks, y));
  nothing<<<1, 1>>>();
  cudaGraph_t graph;
  cudaGraphExec_t runs;
  ok(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  in_graph<<<1, 32, 0, s>>>(y, 77ull);
  ok(cudaStreamEndCapture(s, &graph));
  ok(cudaGraphInstantiate(&runs, graph, 0));
  ok(cudaGraphLaunch(runs, s));
  ok(cudaDeviceSynchronize());
  float first;
  ok(cudaMemcpy(&first, y, sizeof first, cudaMemcpyDeviceToHost));
  printf("%g\n", first);
  if (argc > 1 && argv[1][0] == 'c') abort();
  return argc > 1 ? atoi(argv[1]) : 0;
}
