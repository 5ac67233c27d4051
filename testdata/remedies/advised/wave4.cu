// 1 and 4 results of each work-item, of work-groups that fill the device for little more than a wave.
__global__ void before(const float *__restrict__ x, const float *__restrict__ z, float *y, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], sum = 0;
  for (int k = 0; k < points; k++) sum += fabsf(v - z[k]) * v; // defect: z
  y[i] = sum;
}
__global__ void after(const float *__restrict__ x, const float *__restrict__ z, float *y, int points) {
  int i = blockIdx.x * 4 * blockDim.x + threadIdx.x;
  float v[4], sum[4] = {};
#pragma unroll
  for (int r = 0; r < 4; r++) v[r] = x[i + r * blockDim.x];
  for (int k = 0; k < points; k++) {
    float w = z[k];
#pragma unroll
    for (int r = 0; r < 4; r++) sum[r] += fabsf(v[r] - w) * v[r];
  }
#pragma unroll
  for (int r = 0; r < 4; r++) y[i + r * blockDim.x] = sum[r];
}
