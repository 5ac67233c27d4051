// Random numbers, and what is made of them.

__device__ __forceinline__ unsigned next(unsigned &s) {
  s ^= s << 13;
  s ^= s >> 17;
  return s ^= s << 5;
}

__global__ void circle(unsigned *inside, int rounds) {
  unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, n = 0;
  for (int i = 0; i < rounds; i++) {
    float x = next(s) * 2.3283064e-10f, y = next(s) * 2.3283064e-10f;
    n += x * x + y * y < 1;
  }
  for (int d = 16; d > 0; d /= 2) n += __shfl_xor_sync(~0u, n, d);
  if (threadIdx.x % 32 == 0) atomicAdd(inside, n);
}

// Prices of paths with normal steps.
__global__ void paths(float *y, int steps, float drift, float sigma) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = i * 2654435761u + 1;
  float price = 1;
  for (int k = 0; k < steps; k += 2) {
    float r = sqrtf(-2 * __logf(next(s) * 2.3283064e-10f + 1e-9f)), c, d;
    __sincosf(next(s) * 1.4629181e-9f, &d, &c);
    price *= __expf(drift + sigma * r * c) * __expf(drift + sigma * r * d);
  }
  y[i] = price;
}

// An option by a tree of prices in shared memory.
__global__ void binomial(const float *__restrict__ x, float *y, int steps) {
  extern __shared__ float v[];
  int t = threadIdx.x;
  float f = x[blockIdx.x];
  for (int i = t; i <= steps; i += blockDim.x) v[i] = fmaxf(f * __expf(0.02f * (2 * i - steps)) - 1, 0);
  for (int k = steps; k > 0; k--) {
    __syncthreads();
    float a = 0;
    if (t < k) a = 0.499f * (v[t] + v[t + 1]);
    __syncthreads();
    if (t < k) v[t] = a;
  }
  if (t == 0) y[blockIdx.x] = v[0];
}

// Weights added in a histogram of global memory.
__global__ void weights(const unsigned *__restrict__ x, const float *__restrict__ w, float *y, int n, int bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&y[x[i] % bins], w[i]);
}
