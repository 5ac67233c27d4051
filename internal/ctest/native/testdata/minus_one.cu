// --local 32 --global n
__global__ void minus_one(float *y, const float *x, const int *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] * -1.0f * x[i + 1] + d[i] * -1;
}
