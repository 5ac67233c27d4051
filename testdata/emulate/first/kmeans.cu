#include <cfloat>
// The nearest of k centroids, points as structures of dim floats
extern "C" __global__ void assign(const float *__restrict__ points, const float *__restrict__ centroids, int *__restrict__ label, int n, int k, int dim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = FLT_MAX;
  int who = -1;
  for (int c = 0; c < k; ++c) {
    float d = 0.0f;
    for (int f = 0; f < dim; ++f) {
      float t = points[i * dim + f] - centroids[c * dim + f];
      d += t * t;
    }
    if (d < best) { best = d; who = c; }
  }
  label[i] = who;
}

// dimension known, centroids in shared memory, points one coordinate after the other, sums kept by atomics
template <int DIM> __global__ void assign_sum(const float *__restrict__ points, const float *__restrict__ centroids, int *__restrict__ label,
                                              float *sums, int *counts, int n, int k) {
  extern __shared__ float c[];
  for (int t = threadIdx.x; t < k * DIM; t += blockDim.x) c[t] = centroids[t];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float p[DIM];
  for (int f = 0; f < DIM; ++f) p[f] = points[f * n + i];
  float best = FLT_MAX;
  int who = 0;
  for (int j = 0; j < k; ++j) {
    float d = 0;
    for (int f = 0; f < DIM; ++f) d += (p[f] - c[j * DIM + f]) * (p[f] - c[j * DIM + f]);
    if (d < best) best = d, who = j;
  }
  label[i] = who;
  for (int f = 0; f < DIM; ++f) atomicAdd(&sums[who * DIM + f], p[f]);
  atomicAdd(&counts[who], 1);
}
