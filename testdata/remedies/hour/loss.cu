// The sum of squared errors.
__global__ void before(const float *predicted, const float *target, float *loss, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float d = predicted[i] - target[i];
    atomicAdd(loss, d * d);
  }
}
__global__ void after(const float *predicted, const float *target, float *loss, int n) {
  __shared__ float part[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float d = i < n ? predicted[i] - target[i] : 0.f;
  d *= d;
  for (int o = 16; o > 0; o /= 2) d += __shfl_down_sync(0xffffffffu, d, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = d;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; k++) d += part[k];
    atomicAdd(loss, d);
  }
}
