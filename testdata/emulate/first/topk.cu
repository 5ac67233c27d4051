#define K 8
// The K greatest of each row, a block of 128 for each: each thread keeps its K in order, then K rounds of a reduction
extern "C" __global__ void topk_row(const float *__restrict__ in, float *__restrict__ values, int *__restrict__ where, int cols) {
  __shared__ float best[128];
  __shared__ int who[128], at[128];
  const float *row = in + (size_t)blockIdx.x * cols;
  float v[K];
  int ix[K];
  for (int k = 0; k < K; ++k) v[k] = -1e30f, ix[k] = -1;
  for (int c = threadIdx.x; c < cols; c += 128) {
    float x = row[c];
    if (x <= v[K - 1]) continue;
    v[K - 1] = x;
    ix[K - 1] = c;
#pragma unroll
    for (int k = K - 1; k > 0; --k)
      if (v[k] > v[k - 1]) {
        float t = v[k]; v[k] = v[k - 1]; v[k - 1] = t;
        int u = ix[k]; ix[k] = ix[k - 1]; ix[k - 1] = u;
      }
  }
  for (int r = 0; r < K; ++r) {
    best[threadIdx.x] = v[0];
    who[threadIdx.x] = threadIdx.x;
    at[threadIdx.x] = ix[0];
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
      if (threadIdx.x < s && best[threadIdx.x + s] > best[threadIdx.x]) {
        best[threadIdx.x] = best[threadIdx.x + s];
        who[threadIdx.x] = who[threadIdx.x + s];
        at[threadIdx.x] = at[threadIdx.x + s];
      }
      __syncthreads();
    }
    if (threadIdx.x == 0) values[blockIdx.x * K + r] = best[0], where[blockIdx.x * K + r] = at[0];
    if (who[0] == threadIdx.x) {
#pragma unroll
      for (int k = 0; k < K - 1; ++k) v[k] = v[k + 1], ix[k] = ix[k + 1];
      v[K - 1] = -1e30f;
    }
    __syncthreads();
  }
}
