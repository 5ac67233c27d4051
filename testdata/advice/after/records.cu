// The lengths of vectors, of which each number has an array of its own.
__global__ void records(const float *__restrict__ px, const float *__restrict__ py, const float *__restrict__ pz, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(px[i] * px[i] + py[i] * py[i] + pz[i] * pz[i]);
}
