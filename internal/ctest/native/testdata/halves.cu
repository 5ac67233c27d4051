// --local 32 --global n
#include <cuda_fp16.h>
__global__ void halves(half *y, const half *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __hadd(x[i], x[i + 1]);
  y[i] = __hmul(y[i], __hsub(x[i], y[i]));
  y[i] = x[i] + y[i] * x[i];
  y[i] = __float2half(__half2float(y[i]) * 2.0f);
}
