// Red and black: every second work-item has nothing to do; afterwards there is one for each red place.
__global__ void before(float *u, int n, int sweeps) {
  int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  float v = u[i * n + j];
  if ((i + j) % 2 == 0)
    for (int k = 0; k < sweeps; k++)
      v = v * 0.96f + 0.02f * v * v; // defect: -
  u[i * n + j] = v;
}
__global__ void after(float *u, int n, int sweeps) {
  int i = blockIdx.y, j = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + i % 2;
  float v = u[i * n + j];
  for (int k = 0; k < sweeps; k++)
    v = v * 0.96f + 0.02f * v * v;
  u[i * n + j] = v;
}
