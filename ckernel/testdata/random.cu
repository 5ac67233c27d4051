// --local 64 --global n
#include <curand_kernel.h>
__global__ void random(float *y, curandState *states, unsigned long long seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandState state = states[i];
  y[i] = curand_uniform(&state);
  states[i] = state;
  curandStatePhilox4_32_10_t other;
  curand_init(seed, i, 0, &other);
  float4 v = curand_uniform4(&other);
  y[n + i] = v.x + v.y + v.z + v.w;
  y[2 * n + i] = curand_poisson(&other, 3.5);
}
