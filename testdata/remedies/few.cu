// 24 work-groups on more multiprocessors.
__global__ void before(const float *__restrict__ x, float *y, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0;
  for (int i = first; i < n; i += step)
    sum += x[i] * x[i]; // defect: -, groups
  y[first] = sum;
}

// Many.
__global__ void after(const float *__restrict__ x, float *y, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0;
  for (int i = first; i < n; i += step)
    sum += x[i] * x[i];
  y[first] = sum;
}
