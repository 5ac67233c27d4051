// Kernels that need what only launches under CUDA have, each with one by which its results are known.

struct Inner { short a; const float *x; };
struct Outer { char tag; Inner inner; float *y; int n; };

extern "C" __global__ void structures(Outer o) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < o.n; i += gridDim.x * blockDim.x) o.y[i] = o.tag * o.inner.x[i] + o.inner.a;
}

extern "C" __global__ void plain(const float *x, float *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = -2 * x[i] + 300;
}

// In two places of one buffer.
extern "C" __global__ void shift(const int *from, int *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1;
}

extern "C" __global__ void shift_ref(int *all, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) all[n + i] = all[i] + 1;
}

__constant__ float coefficients[4];
namespace state { __device__ int count; }

extern "C" __global__ void variables(float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = coefficients[i % 4];
  if (i == 0) state::count += 5;
}

// In clusters each work-group writes its number in the cluster.
extern "C" __global__ void clusters(int *y) {
  unsigned rank, size;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (threadIdx.x == 0) y[blockIdx.x] = rank + 100 * size;
}

extern "C" __global__ void clusters_ref(int *y, int n, int size) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = i % size + 100 * size;
}

// Turns rows around through shared memory.
extern "C" __global__ void turn(const double *x, double *y, int n) {
  extern __shared__ double row[];
  const double *from = x + (size_t) blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = from[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[(size_t) blockIdx.x * n + i] = row[n - 1 - i];
}

extern "C" __global__ void turn_ref(const double *x, double *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[(size_t) blockIdx.x * n + i] = x[(size_t) blockIdx.x * n + n - 1 - i];
}

namespace ns {
template <class T, int N> __global__ void instance(T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * N + coefficients[i % 4];
}
}
