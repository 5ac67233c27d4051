// --local 32 --global n
__global__ void left_sides(float *y, int *d, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[at[i]] += 2.0f;
  d[at[i + 1]]++;
  d[d[i] & 7] |= 1;
  int k = 0;
  y[k++] *= 3.0f;
  y[k + i] = y[k] = 1.0f;
}
