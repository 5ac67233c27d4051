// A tree of sums whose partners are next to each other; afterwards they are half of the rest apart.
__global__ void before(const float *__restrict__ x, float *y) {
  __shared__ float part[512];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * 512 + t];
  for (int s = 1; s < 512; s *= 2) {
    __syncthreads();
    int i = 2 * s * t;
    if (i < 512)
      part[i] += part[i + s]; // defect: part
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
__global__ void after(const float *__restrict__ x, float *y) {
  __shared__ float part[512];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * 512 + t];
  for (int s = 256; s > 0; s /= 2) {
    __syncthreads();
    if (t < s)
      part[t] += part[t + s];
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
