// Stencils in one dimension.

__global__ void three(const float *__restrict__ x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

template <int R> __global__ void shared(const float *__restrict__ x, float *y, int n) {
  __shared__ float tile[256 + 2 * R];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  for (int k = t; k < 256 + 2 * R; k += 256) tile[k] = x[min(max(blockIdx.x * 256 + k - R, 0), n - 1)];
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int k = 0; k <= 2 * R; k++) s += tile[t + k] * (1.0f + k);
  if (i < n) y[i] = s;
}

// Rounds in shared memory between two barriers each, at the edges of which less and less is right.
__global__ void rounds(const float *__restrict__ x, float *y, int n, int steps) {
  extern __shared__ float tile[];
  int t = threadIdx.x, w = blockDim.x, i = blockIdx.x * (w - 2 * steps) + t - steps;
  float *a = tile, *b = tile + w;
  a[t] = i >= 0 && i < n ? x[i] : 0;
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    b[t] = t > 0 && t < w - 1 ? (a[t - 1] + a[t] + a[t + 1]) * 0.333f : a[t];
    __syncthreads();
    float *c = a;
    a = b, b = c;
  }
  if (t >= steps && t < w - steps && i < n) y[i] = a[t];
}
