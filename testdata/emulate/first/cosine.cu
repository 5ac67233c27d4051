// Cosine similarity of each row with a query, a warp for each row
extern "C" __global__ void cosine_warp(const float4 *__restrict__ rows, const float4 *__restrict__ query, float *__restrict__ out, int n, int d4) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= n) return;
  float dot = 0, aa = 0, bb = 0;
  for (int j = lane; j < d4; j += 32) {
    float4 a = rows[(size_t)warp * d4 + j], b = query[j];
    dot += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    aa += a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w;
    bb += b.x * b.x + b.y * b.y + b.z * b.z + b.w * b.w;
  }
  for (int o = 16; o > 0; o /= 2) {
    dot += __shfl_down_sync(0xffffffff, dot, o);
    aa += __shfl_down_sync(0xffffffff, aa, o);
    bb += __shfl_down_sync(0xffffffff, bb, o);
  }
  if (lane == 0) out[warp] = dot / (sqrtf(aa) * sqrtf(bb) + 1e-8f);
}

// all pairs of two sets of vectors of 64, a thread for each pair
extern "C" __global__ void cosine_pairs(const float *a, const float *b, float *out, int n, int m) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= m) return;
  const float *p = a + i * 64, *q = b + j * 64, *end = p + 64;
  float dot = 0, aa = 0, bb = 0;
  for (; p != end; ++p, ++q) {
    dot += *p * *q;
    aa += *p * *p;
    bb += *q * *q;
  }
  out[i * m + j] = dot * rsqrtf(aa * bb);
}
