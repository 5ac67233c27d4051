// A step of a lattice Boltzmann method with nine directions; a cell's nine values side by side (before), or an array for each direction (after).
__device__ __forceinline__ void relax(float *f, float omega) {
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  const int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  float rho = 0, u = 0, v = 0;
#pragma unroll
  for (int q = 0; q < 9; q++) { rho += f[q]; u += ex[q] * f[q]; v += ey[q] * f[q]; }
  u /= rho;
  v /= rho;
  float uu = 1.5f * (u * u + v * v);
#pragma unroll
  for (int q = 0; q < 9; q++) {
    float e = 3.f * (ex[q] * u + ey[q] * v);
    f[q] += omega * (w[q] * rho * (1.f + e + 0.5f * e * e - uu) - f[q]);
  }
}
__global__ void before(const float *in, float *out, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
  float f[9];
  f[0] = in[(y * nx + x) * 9 + 0];
  f[1] = in[(y * nx + x - 1) * 9 + 1];
  f[2] = in[((y - 1) * nx + x) * 9 + 2];
  f[3] = in[(y * nx + x + 1) * 9 + 3];
  f[4] = in[((y + 1) * nx + x) * 9 + 4];
  f[5] = in[((y - 1) * nx + x - 1) * 9 + 5];
  f[6] = in[((y - 1) * nx + x + 1) * 9 + 6];
  f[7] = in[((y + 1) * nx + x + 1) * 9 + 7];
  f[8] = in[((y + 1) * nx + x - 1) * 9 + 8];
  relax(f, omega);
#pragma unroll
  for (int q = 0; q < 9; q++) out[(y * nx + x) * 9 + q] = f[q];
}
__global__ void after(const float *in, float *out, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
  int n = nx * ny, i = y * nx + x;
  float f[9];
  f[0] = in[i];
  f[1] = in[n + i - 1];
  f[2] = in[2 * n + i - nx];
  f[3] = in[3 * n + i + 1];
  f[4] = in[4 * n + i + nx];
  f[5] = in[5 * n + i - nx - 1];
  f[6] = in[6 * n + i - nx + 1];
  f[7] = in[7 * n + i + nx + 1];
  f[8] = in[8 * n + i + nx - 1];
  relax(f, omega);
#pragma unroll
  for (int q = 0; q < 9; q++) out[q * n + i] = f[q];
}
