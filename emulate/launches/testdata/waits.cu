// A lock that is taken by compare and swap.
extern "C" __global__ void spin(int *lock, float *sum, const float *x) {
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *sum += v;
    __threadfence();
    atomicExch(lock, 0);
  }
}
// All blocks meet: each adds to a counter and waits until all have.
extern "C" __global__ void grid(unsigned *count, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; k++) {
    y[i] = x[(i * 17 + k) % n] + y[i];
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(count, 1);
      while (*(volatile unsigned *)count < (k + 1) * gridDim.x) {}
    }
    __syncthreads();
  }
}
// A flag that nobody sets.
extern "C" __global__ void flag(volatile int *ready, float *y) {
  while (*ready == 0) {}
  y[blockIdx.x * blockDim.x + threadIdx.x] = 1.f;
}
// Work-items of a warp wait for each other at a barrier that not all reach.
extern "C" __global__ void some(float *y) {
  __shared__ float s[256];
  s[threadIdx.x] = y[threadIdx.x];
  if (threadIdx.x < 100) asm volatile("bar.sync 1, 128;");
  if (threadIdx.x >= 160) asm volatile("bar.sync 1, 160;");
  y[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x ^ 1];
}
// Bytes are added up that are searched for an end: the trips follow from data.
extern "C" __global__ void text(const unsigned char *s, int *length, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
  while (s[(size_t)i * pitch + n]) n++;
  length[i] = n;
}
// Long chains of a hash, all values known.
extern "C" __global__ void hash(unsigned *out, int steps) {
  unsigned h = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int found = 0;
  for (int k = 0; k < steps; k++) {
    h ^= h << 13; h ^= h >> 17; h ^= h << 5;
    if ((h & 255) < 7) found++;
    if ((h & 0xfffff) == 5) h += 3;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = found + h;
}
// The same in double loops whose inner trips follow from the hash.
extern "C" __global__ void walk(float *out, const float *x, int steps, int n) {
  unsigned h = blockIdx.x * blockDim.x + threadIdx.x + 1;
  float s = 0.f;
  for (int k = 0; k < steps; k++) {
    h = h * 1664525u + 1013904223u;
    for (int j = 0; j < (int)(h >> 28); j++) s += x[(h + j) % n];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
