// --local 32 --global n
__global__ void sides(float *y, const float *a, const float *b, const int *of, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float nothing[1] = {0.0f};
  const float *p = nothing, *q = nothing;
  if (of[i] > 0) {
    if (of[i + 1] > 0)
      p = a + of[i];
    if (i < m)
      q = b + i;
  }
  y[i] = *p + *q;
}
