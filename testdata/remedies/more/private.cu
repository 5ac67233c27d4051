// A histogram of 16 bins for each thread, of 64 values.
__global__ void before(const unsigned char *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int bins[16];
  for (int b = 0; b < 16; b++) bins[b] = 0;
  for (int k = 0; k < 64; k++) bins[x[k * n + i] & 15]++;
  for (int b = 0; b < 16; b++) out[b * n + i] = bins[b];
}

__global__ void after(const unsigned char *x, int *out, int n) {
  __shared__ int bins[16][128];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  for (int b = 0; b < 16; b++) bins[b][t] = 0;
  for (int k = 0; k < 64; k++) bins[x[k * n + i] & 15][t]++;
  for (int b = 0; b < 16; b++) out[b * n + i] = bins[b][t];
}
