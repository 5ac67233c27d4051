#ifndef WORK
#define WORK 1
#endif
#if WORK > 4
#error WORK is 4 at most
#endif
extern "C" __global__ void scaled(float *y, const float *x, float a, int n) {
  int from = blockIdx.x * blockDim.x * WORK + threadIdx.x;
#pragma unroll
  for (int k = 0; k < WORK; k++) {
    int i = from + k * blockDim.x;
    if (i < n) y[i] = a * x[i];
  }
}
