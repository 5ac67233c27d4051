// Prefix sums of tiles of 1024: ten steps with two barriers each; afterwards sub-groups exchange by shuffles, and two barriers are left.
__global__ void before(const float *x, float *y) {
  __shared__ float s[1024];
  int l = threadIdx.x, i = blockIdx.x * 1024 + l;
  s[l] = x[i];
  __syncthreads();
  for (int by = 1; by < 1024; by *= 2) {
    float add = l >= by ? s[l - by] : 0.0f; // defect: s or add
    __syncthreads();
    s[l] += add;
    __syncthreads();
  }
  y[i] = s[l];
}

__global__ void after(const float *x, float *y) {
  __shared__ float s[32];
  int l = threadIdx.x, i = blockIdx.x * 1024 + l;
  float sum = x[i];
  for (int by = 1; by < 32; by *= 2) {
    float add = __shfl_up_sync(0xffffffff, sum, by);
    if (l % 32 >= by) sum += add;
  }
  if (l % 32 == 31) s[l / 32] = sum;
  __syncthreads();
  if (l < 32) {
    float all = s[l];
    for (int by = 1; by < 32; by *= 2) {
      float add = __shfl_up_sync(0xffffffff, all, by);
      if (l >= by) all += add;
    }
    s[l] = all;
  }
  __syncthreads();
  y[i] = sum + (l >= 32 ? s[l / 32 - 1] : 0.0f);
}
