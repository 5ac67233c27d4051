// Distances of pairs, one result for each work-item; afterwards 2 by 2, and 4 by 4.
__global__ void before(const float *__restrict__ p, const float *__restrict__ q, float *__restrict__ d, int n, int m) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < m; k++)
    sum += (p[k * n + i] - q[k * n + j]) * (p[k * n + i] - q[k * n + j]); // defect: p or q
  d[i * n + j] = sum;
}
template <int R> __device__ void several(const float *__restrict__ p, const float *__restrict__ q, float *__restrict__ d, int n, int m) {
  int i = blockIdx.y * 16 * R + threadIdx.y, j = blockIdx.x * 16 * R + threadIdx.x;
  float sum[R][R] = {};
  for (int k = 0; k < m; k++) {
    float a[R], b[R];
#pragma unroll
    for (int r = 0; r < R; r++) a[r] = p[k * n + i + 16 * r], b[r] = q[k * n + j + 16 * r];
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int s = 0; s < R; s++) sum[r][s] += (a[r] - b[s]) * (a[r] - b[s]);
  }
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int s = 0; s < R; s++) d[(i + 16 * r) * n + j + 16 * s] = sum[r][s];
}
__global__ void after(const float *__restrict__ p, const float *__restrict__ q, float *__restrict__ d, int n, int m) { several<4>(p, q, d, n, m); }
__global__ void after2(const float *__restrict__ p, const float *__restrict__ q, float *__restrict__ d, int n, int m) { several<2>(p, q, d, n, m); }
