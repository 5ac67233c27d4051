// A product of matrices, four neighbouring elements by each work-item, which uses what it loads twice.
__global__ void products(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  int j = blockIdx.x * blockDim.x * 2 + threadIdx.x, i = blockIdx.y * blockDim.y * 2 + threadIdx.y, di = blockDim.y, dj = blockDim.x;
  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (int k = 0; k < n; k++) {
    float u0 = a[i * n + k], u1 = a[(i + di) * n + k], v0 = b[k * n + j], v1 = b[k * n + j + dj];
    s00 += u0 * v0, s01 += u0 * v1, s10 += u1 * v0, s11 += u1 * v1;
  }
  c[i * n + j] = s00, c[i * n + j + dj] = s01, c[(i + di) * n + j] = s10, c[(i + di) * n + j + dj] = s11;
}
