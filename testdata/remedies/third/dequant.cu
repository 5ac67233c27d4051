// Rows of 4-bit weights times a vector, a row for each sub-group, whose work-items load bytes; afterwards four bytes and four numbers at once.
__global__ void before(const unsigned char *w, const float *x, float *y, int m) {
  int row = blockIdx.x * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < m / 2; k += 32) {
    unsigned int q = w[(long)row * (m / 2) + k]; // defect: w
    sum += ((int)(q & 15) - 8) * x[k] + ((int)(q >> 4) - 8) * x[k + m / 2];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) y[row] = sum;
}

__global__ void after(const unsigned char *w, const float *x, float *y, int m) {
  int row = blockIdx.x * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < m / 8; k += 32) {
    unsigned int q = ((const unsigned int *)w)[(long)row * (m / 8) + k];
    float4 u = ((const float4 *)x)[k], v = ((const float4 *)x)[k + m / 8];
    sum += ((int)(q & 15) - 8) * u.x + ((int)(q >> 4 & 15) - 8) * v.x;
    sum += ((int)(q >> 8 & 15) - 8) * u.y + ((int)(q >> 12 & 15) - 8) * v.y;
    sum += ((int)(q >> 16 & 15) - 8) * u.z + ((int)(q >> 20 & 15) - 8) * v.z;
    sum += ((int)(q >> 24 & 15) - 8) * u.w + ((int)(q >> 28) - 8) * v.w;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) y[row] = sum;
}
