// The largest element of each work-group's part, by a tree whose work-items lie apart (before) or side by side (after).
__global__ void before(const float *x, float *most) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (int w = 1; w < 512; w *= 2) {
    if (t % (2 * w) == 0) s[t] = fmaxf(s[t], s[t + w]);
    __syncthreads();
  }
  if (t == 0) most[blockIdx.x] = s[0];
}
__global__ void after(const float *x, float *most) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (int w = 256; w > 0; w /= 2) {
    if (t < w) s[t] = fmaxf(s[t], s[t + w]);
    __syncthreads();
  }
  if (t == 0) most[blockIdx.x] = s[0];
}
