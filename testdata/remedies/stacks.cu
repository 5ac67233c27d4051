// A stack of 16 numbers for each work-item, one after the other in shared memory.
__global__ void before(const float *x, float *y, int rounds) {
  __shared__ float stack[128 * 16];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  float v = x[i];
  for (int k = 0; k < 16; k++)
    stack[t * 16 + k] = v + k;
  for (int r = 0; r < rounds; r++)
    v = v * 0.5f + stack[t * 16 + r % 16]; // defect: stack, banks
  y[i] = v;
}

// The numbers of neighbours lie beside each other.
__global__ void after(const float *x, float *y, int rounds) {
  __shared__ float stack[128 * 16];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  float v = x[i];
  for (int k = 0; k < 16; k++)
    stack[k * 128 + t] = v + k;
  for (int r = 0; r < rounds; r++)
    v = v * 0.5f + stack[r % 16 * 128 + t];
  y[i] = v;
}
