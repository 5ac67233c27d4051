// A window of private memory whose index nobody knows beforehand; afterwards in shared memory.
__global__ void before(const float *__restrict__ x, const int *__restrict__ which, float *__restrict__ y, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float w[16];
  for (int k = 0; k < 16; k++) w[k] = x[k * n + i];
  float v = 0;
  for (int s = 0; s < steps; s++)
    v = v * 0.5f + w[which[s] & 15]; // defect: w
  y[i] = v;
}
__global__ void after(const float *__restrict__ x, const int *__restrict__ which, float *__restrict__ y, int n, int steps) {
  __shared__ float w[16][256];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  for (int k = 0; k < 16; k++) w[k][t] = x[k * n + i];
  float v = 0;
  for (int s = 0; s < steps; s++)
    v = v * 0.5f + w[which[s] & 15][t];
  y[i] = v;
}
