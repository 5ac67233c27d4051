// Divides rows of 256 numbers by their norms, a work-group of 1024 for each; afterwards of 256.
__global__ void before(const float *a, float *out, int m) {
  __shared__ float part[1024];
  int t = threadIdx.x;
  float v = t < m ? a[(long)blockIdx.x * m + t] : 0.0f;
  part[t] = v * v;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) { // defect: -
    if (t < d) part[t] += part[t + d];
    __syncthreads();
  }
  if (t < m) out[(long)blockIdx.x * m + t] = v * rsqrtf(part[0]);
}

__global__ void after(const float *a, float *out, int m) {
  __shared__ float part[256];
  int t = threadIdx.x;
  float v = a[(long)blockIdx.x * m + t];
  part[t] = v * v;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) part[t] += part[t + d];
    __syncthreads();
  }
  out[(long)blockIdx.x * m + t] = v * rsqrtf(part[0]);
}
