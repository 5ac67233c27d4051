// Few warps at once, for want of registers or shared memory, and what does not fit.

// V values of a work-item are alive at once.
template <int V> __global__ void values(const float *__restrict__ x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float v[V];
#pragma unroll
  for (int k = 0; k < V; k++) v[k] = x[i] + k;
  for (int r = 0; r < rounds; r++) {
    float u = x[(r & 7) * step + i];
#pragma unroll
    for (int k = 0; k < V; k++) v[k] = v[k] * u + v[(k * 7 + 3) % V];
  }
  float s = 0;
#pragma unroll
  for (int k = 0; k < V; k++) s += v[k];
  y[i] = s;
}

// Shared memory that is asked for limits the blocks; loads wait for each other.
__global__ void room(const float *__restrict__ x, float *y, int rounds) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, step = gridDim.x * blockDim.x;
  float v = 0;
  for (int r = 0; r < rounds; r++) {
    s[t] = x[r * step + i] + v;
    __syncthreads();
    v += s[t ^ 1] * 0.5f;
    __syncthreads();
  }
  y[i] = v;
}

// An array whose indices are computed: it lies in local memory.
__global__ void array(const unsigned *__restrict__ x, unsigned *y, int rounds) {
  unsigned v[32], i = blockIdx.x * blockDim.x + threadIdx.x, k = x[i];
  for (int q = 0; q < 32; q++) v[q] = k * (q + 1);
  for (int r = 0; r < rounds; r++) {
    unsigned u = v[k & 31];
    v[(k >> 5) & 31] = u + r, k = k * 1664525u + u;
  }
  y[i] = k;
}
