#include <stdint.h>
// hunters and prey: steps of a Runge-Kutta method whose length follows the error
__global__ void hunters(const double *__restrict__ start, double *__restrict__ end, int n, double until) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = start[2 * i], y = start[2 * i + 1], t = 0, h = 0.05;
  int steps = 0;
  while (t < until && steps < 200) {
    double k1x = x * (1.1 - 0.4 * y), k1y = y * (0.1 * x - 0.4);
    double ax = x + 0.5 * h * k1x, ay = y + 0.5 * h * k1y, k2x = ax * (1.1 - 0.4 * ay), k2y = ay * (0.1 * ax - 0.4);
    double bx = x + 0.75 * h * k2x, by = y + 0.75 * h * k2y, k3x = bx * (1.1 - 0.4 * by), k3y = by * (0.1 * bx - 0.4);
    double nx = x + h * (2 * k1x + 3 * k2x + 4 * k3x) / 9, ny = y + h * (2 * k1y + 3 * k2y + 4 * k3y) / 9;
    double k4x = nx * (1.1 - 0.4 * ny), k4y = ny * (0.1 * nx - 0.4);
    double ex = h * (-5 * k1x + 6 * k2x + 8 * k3x - 9 * k4x) / 72, ey = h * (-5 * k1y + 6 * k2y + 8 * k3y - 9 * k4y) / 72;
    double e = sqrt(ex * ex + ey * ey) * 1e5;
    if (e < 1.0) { x = nx; y = ny; t += h; }
    h *= fmin(2.0, fmax(0.3, 0.9 * cbrt(1.0 / fmax(e, 1e-6))));
    steps++;
  }
  end[2 * i] = x;
  end[2 * i + 1] = y;
}

// products of numbers of 256 bits modulo another one, in the form of Montgomery
__global__ void montgomery(const uint32_t *__restrict__ a, const uint32_t *__restrict__ b, uint32_t *__restrict__ r, int n, int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t m[8] = {0xfffffc2f, 0xfffffffe, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, inv = 0xd2253531;
  uint32_t x[8], y[8];
  for (int k = 0; k < 8; k++) { x[k] = a[k * n + i]; y[k] = b[k * n + i]; }
  for (int round = 0; round < times; round++) {
    uint32_t t[10] = {0};
    for (int j = 0; j < 8; j++) {
      uint64_t c = 0;
      for (int k = 0; k < 8; k++) { c += (uint64_t)x[k] * y[j] + t[k]; t[k] = (uint32_t)c; c >>= 32; }
      c += t[8]; t[8] = (uint32_t)c; t[9] = (uint32_t)(c >> 32);
      uint32_t q = t[0] * inv;
      c = (uint64_t)q * m[0] + t[0];
      c >>= 32;
      for (int k = 1; k < 8; k++) { c += (uint64_t)q * m[k] + t[k]; t[k - 1] = (uint32_t)c; c >>= 32; }
      c += t[8]; t[7] = (uint32_t)c; t[8] = t[9] + (uint32_t)(c >> 32);
    }
    for (int k = 0; k < 8; k++) x[k] = t[k];
  }
  for (int k = 0; k < 8; k++) r[k * n + i] = x[k];
}

// least squares of four unknowns in eight equations each, by orthogonal columns
__global__ void least_squares(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float q[4][8], r[4][4], y[4];
  for (int c = 0; c < 4; c++) for (int k = 0; k < 8; k++) q[c][k] = a[(size_t)(c * 8 + k) * n + i];
  for (int c = 0; c < 4; c++) {
    for (int p = 0; p < c; p++) {
      float s = 0;
      for (int k = 0; k < 8; k++) s += q[p][k] * q[c][k];
      r[p][c] = s;
      for (int k = 0; k < 8; k++) q[c][k] -= s * q[p][k];
    }
    float s = 1e-12f;
    for (int k = 0; k < 8; k++) s += q[c][k] * q[c][k];
    r[c][c] = sqrtf(s);
    for (int k = 0; k < 8; k++) q[c][k] /= r[c][c];
  }
  for (int c = 0; c < 4; c++) { y[c] = 0; for (int k = 0; k < 8; k++) y[c] += q[c][k] * b[(size_t)k * n + i]; }
  for (int c = 3; c >= 0; c--) {
    for (int p = c + 1; p < 4; p++) y[c] -= r[c][p] * y[p];
    y[c] /= r[c][c];
  }
  for (int c = 0; c < 4; c++) x[(size_t)c * n + i] = y[c];
}

// a series until its terms are too small to matter
__global__ void series(const float *__restrict__ a, const float *__restrict__ z, float *__restrict__ f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float u = a[i], v = 4.f * z[i], sum = 1.f, term = 1.f;
  for (int k = 0; k < 500; k++) {
    term *= (u + k) / ((1.5f + k) * (k + 1)) * v;
    sum += term;
    if (fabsf(term) < 1e-7f * fabsf(sum)) break;
  }
  f[i] = sum;
}

// weights of all 27 neighbours in a box of three dimensions
__global__ void box27(const float *__restrict__ in, float *__restrict__ out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= n - 1 || y >= n - 1) return;
  for (int z = blockIdx.z * 16 + 1; z < min((int)blockIdx.z * 16 + 17, n - 1); z++) {
    float s = 0;
    for (int c = -1; c <= 1; c++)
      for (int b = -1; b <= 1; b++)
        for (int a = -1; a <= 1; a++) s += (a == 0 ? 2.f : 1.f) * (b == 0 ? 2.f : 1.f) * (c == 0 ? 2.f : 1.f) * in[((size_t)(z + c) * n + y + b) * n + x + a];
    out[((size_t)z * n + y) * n + x] = s * (1.f / 64);
  }
}

// a step of conjugate gradients: two vectors go on, and the new one is multiplied by itself
__global__ void gradients(const double *__restrict__ p, const double *__restrict__ q, double *__restrict__ x, double *__restrict__ r, double alpha, double *__restrict__ rr, int n) {
  __shared__ double part[16];
  double s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] += alpha * p[i];
    double v = r[i] - alpha * q[i];
    r[i] = v;
    s += v * v;
  }
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 16) {
    s = part[threadIdx.x];
    for (int d = 8; d; d >>= 1) s += __shfl_down_sync(0xffffu, s, d);
    if (threadIdx.x == 0) atomicAdd(rr, s);
  }
}

// puzzles of nine by nine: what may stand in each cell, until nothing changes
__global__ void candidates(const uint8_t *__restrict__ given, uint16_t *__restrict__ out, int puzzles) {
  __shared__ uint16_t cell[81];
  __shared__ int changed;
  int p = blockIdx.x, t = threadIdx.x;
  if (t < 81) { unsigned g = (given[p * 81 + t] * 7 + t * t) % 31; cell[t] = g < 9 ? 1 << g : 511; }
  for (int round = 0; round < 6; round++) {
    if (t == 0) changed = 0;
    __syncthreads();
    if (t < 81) {
      int row = t / 9, col = t % 9, br = row / 3 * 3, bc = col / 3 * 3;
      unsigned taken = 0, v = cell[t];
      for (int k = 0; k < 9; k++) {
        unsigned a = cell[row * 9 + k], b = cell[k * 9 + col], c = cell[(br + k / 3) * 9 + bc + k % 3];
        if (k != col && __popc(a) == 1) taken |= a;
        if (k != row && __popc(b) == 1) taken |= b;
        if ((br + k / 3) * 9 + bc + k % 3 != t && __popc(c) == 1) taken |= c;
      }
      unsigned left = v & ~taken;
      if (left != v && left) { cell[t] = left; changed = 1; }
    }
    __syncthreads();
    if (!changed) break;
  }
  if (t < 81) out[p * 81 + t] = cell[t];
}
