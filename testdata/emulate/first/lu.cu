// LU factors of many small matrices without pivoting, in place.
#ifndef N
#define N 8
#endif
// one matrix per thread, held in registers; element e of matrix m lies at e * count + m
extern "C" __global__ void lu_thread(const double *__restrict__ in, double *__restrict__ out, int count) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= count) return;
  double a[N][N];
#pragma unroll
  for (int i = 0; i < N; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j) a[i][j] = in[(size_t)(i * N + j) * count + m];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    double inv = 1.0 / a[k][k];
#pragma unroll
    for (int i = k + 1; i < N; ++i) {
      double f = a[i][k] * inv;
      a[i][k] = f;
#pragma unroll
      for (int j = k + 1; j < N; ++j) a[i][j] -= f * a[k][j];
    }
  }
#pragma unroll
  for (int i = 0; i < N; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j) out[(size_t)(i * N + j) * count + m] = a[i][j];
}

// one 32x32 matrix per block in shared memory, a thread per column and four rows at a time
extern "C" __global__ void lu_block(const float *__restrict__ in, float *__restrict__ out, int count) {
  __shared__ float a[32][33];
  const float *src = in + (size_t)blockIdx.x * 1024;
  float *dst = out + (size_t)blockIdx.x * 1024;
  for (int i = threadIdx.y; i < 32; i += 4) a[i][threadIdx.x] = src[i * 32 + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 31; ++k) {
    if (threadIdx.y == 0 && threadIdx.x > k) a[threadIdx.x][k] /= a[k][k];
    __syncthreads();
    for (int i = k + 1 + threadIdx.y; i < 32; i += 4)
      if (threadIdx.x > k) a[i][threadIdx.x] -= a[i][k] * a[k][threadIdx.x];
    __syncthreads();
  }
  for (int i = threadIdx.y; i < 32; i += 4) dst[i * 32 + threadIdx.x] = a[i][threadIdx.x];
}
