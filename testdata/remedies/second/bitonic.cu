// Sorts tiles of 1024 in shared memory: a work-item for each element, of which half do nothing in a step; afterwards one for each pair.
__global__ void before(const float *in, float *out) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 1024 + t];
  __syncthreads();
  for (int k = 2; k <= 1024; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = t ^ j;
      if (other > t) { // defect: s
        float a = s[t], b = s[other];
        if ((a > b) == ((t & k) == 0)) { s[t] = b; s[other] = a; }
      }
      __syncthreads();
    }
  out[blockIdx.x * 1024 + t] = s[t];
}

__global__ void after(const float *in, float *out) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 1024 + t];
  s[t + 512] = in[blockIdx.x * 1024 + t + 512];
  __syncthreads();
  for (int k = 2; k <= 1024; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int first = 2 * j * (t / j) + (t & (j - 1));
      float a = s[first], b = s[first + j];
      if ((a > b) == ((first & k) == 0)) { s[first] = b; s[first + j] = a; }
      __syncthreads();
    }
  out[blockIdx.x * 1024 + t] = s[t];
  out[blockIdx.x * 1024 + t + 512] = s[t + 512];
}
