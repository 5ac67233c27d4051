// The nearest of k centres for each of n points of D coordinates.

template <int D> __global__ void nearest(const float *__restrict__ p, const float *__restrict__ centres, int *out, int n, int k) {
  extern __shared__ float c[];
  for (int t = threadIdx.x; t < k * D; t += blockDim.x) c[t] = centres[t];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
  if (i >= n) return;
  float v[D], least = 1e30f;
#pragma unroll
  for (int d = 0; d < D; d++) v[d] = p[d * n + i];
  for (int q = 0; q < k; q++) {
    float s = 0;
#pragma unroll
    for (int d = 0; d < D; d++) s += (v[d] - c[q * D + d]) * (v[d] - c[q * D + d]);
    if (s < least) least = s, best = q;
  }
  out[i] = best;
}
