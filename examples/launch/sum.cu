// sum: each work-group adds up a part of x, in dynamic shared memory.
extern "C" __global__ void sum(const float *x, float *sums, int n) {
  extern __shared__ float tile[];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
  tile[threadIdx.x] = s;
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) tile[threadIdx.x] += tile[threadIdx.x + width];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tile[0];
}

// sum_ref: one work-item adds up all of x.
extern "C" __global__ void sum_ref(const float *x, float *total, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  *total = s;
}
