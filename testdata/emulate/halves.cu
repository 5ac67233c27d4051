// Small types.
#include <cuda_fp16.h>

__global__ void axpy(const __half2 *__restrict__ x, __half2 *y, int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

// Products of bytes, four at once.
__global__ void dots(const int *__restrict__ a, const int *__restrict__ b, int *c, int m, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  int s = 0;
  for (int l = 0; l < k; l++) s = __dp4a(a[i * k + l], b[l * m + j], s);
  c[i * m + j] = s;
}

// Numbers of 32 bits as 8, by the largest of each row.
__global__ void quantize(const float *__restrict__ x, char4 *y, float *scale, int n) {
  __shared__ float part[32];
  const float4 *row = (const float4 *)(x + (size_t)blockIdx.x * n);
  float m = 0;
  for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
    float4 v = row[i];
    m = fmaxf(fmaxf(m, fmaxf(fabsf(v.x), fabsf(v.y))), fmaxf(fabsf(v.z), fabsf(v.w)));
  }
  for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; w++) m = fmaxf(m, part[w]);
  float f = 127 / m;
  for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
    float4 v = row[i];
    y[(size_t)blockIdx.x * (n / 4) + i] = make_char4(__float2int_rn(v.x * f), __float2int_rn(v.y * f), __float2int_rn(v.z * f), __float2int_rn(v.w * f));
  }
  if (threadIdx.x == 0) scale[blockIdx.x] = m;
}

// Rows of a table of embeddings, chosen by number, as halves.
__global__ void embed(const unsigned *__restrict__ token, const __half2 *__restrict__ table, __half2 *y, int words, int width) {
  size_t row = token[blockIdx.x] % words;
  for (int i = threadIdx.x; i < width; i += blockDim.x) y[(size_t)blockIdx.x * width + i] = table[row * width + i];
}
