// A sum of exponentials by 24 blocks.
__global__ void tiny(const float *__restrict__ x, float *y, int n) {
  int step = gridDim.x * blockDim.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) sum += __expf(x[i]);
  atomicAdd(y, sum);
}
