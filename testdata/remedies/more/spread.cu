// Each number is added to the sum of its row by an atomic operation; afterwards a work-item adds up 32 first.
__global__ void before(const float *__restrict__ x, float *rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&rows[blockIdx.x / 32], x[i] * x[i]); // defect: rows
}
__global__ void after(const float *__restrict__ x, float *rows) {
  float sum = 0;
  for (int k = 0; k < 32; k++) {
    float v = x[(blockIdx.x * 32 + k) * 256 + threadIdx.x];
    sum += v * v;
  }
  atomicAdd(&rows[blockIdx.x], sum);
}
