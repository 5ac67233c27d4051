// Steps on grids.

// A lattice of Boltzmann's in two dimensions with nine directions, each an array.
__global__ void boltzmann(const float *__restrict__ f, float *out, int w, int h, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = w * h;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float weight[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  float v[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    v[k] = f[k * n + (y - dy[k]) * w + x - dx[k]];
    rho += v[k];
    ux += dx[k] * v[k];
    uy += dy[k] * v[k];
  }
  ux /= rho;
  uy /= rho;
  float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; k++) {
    float c = 3 * (dx[k] * ux + dy[k] * uy);
    out[k * n + y * w + x] = v[k] + omega * (weight[k] * rho * (1 + c + 0.5f * c * c - square) - v[k]);
  }
}

__global__ void twentyseven(const float *__restrict__ x, float *y, int w, int h, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= w - 1 || j >= h - 1 || k >= d - 1) return;
  float s = 0;
#pragma unroll
  for (int c = -1; c <= 1; c++)
#pragma unroll
    for (int b = -1; b <= 1; b++)
#pragma unroll
      for (int a = -1; a <= 1; a++) s += x[((k + c) * h + j + b) * w + i + a] * (1.f / (1 + a * a + b * b + c * c));
  y[(k * h + j) * w + i] = s;
}

// Life, a byte for each cell.
__global__ void life(const unsigned char *__restrict__ x, unsigned char *y, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1) return;
  int n = 0;
  for (int b = -1; b <= 1; b++)
    for (int a = -1; a <= 1; a++) n += x[(j + b) * w + i + a] & 1;
  y[j * w + i] = n == 3 || n == 4 && x[j * w + i] & 1;
}

// A wave in two dimensions, of order four, that is written where the step before was.
__global__ void wave(const float *__restrict__ now, float *other, int w, int h, float c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, at = j * w + i;
  if (i < 2 || j < 2 || i >= w - 2 || j >= h - 2) return;
  float l = -5 * now[at] + 1.333f * (now[at - 1] + now[at + 1] + now[at - w] + now[at + w]) - 0.0833f * (now[at - 2] + now[at + 2] + now[at - 2 * w] + now[at + 2 * w]);
  other[at] = 2 * now[at] - other[at] + c * l;
}

// Particles of a plasma: what the field does to them, and what they leave on a grid.
__global__ void push(float4 *p, const float2 *__restrict__ field, int n, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 q = p[i];
  int x = (int)(q.x * 997.f) & (w - 1), y = (int)(q.y * 991.f) & (w - 1);
  float2 e = field[y * w + x];
  q.z += 0.01f * e.x;
  q.w += 0.01f * e.y;
  q.x += 0.01f * q.z;
  q.y += 0.01f * q.w;
  p[i] = q;
}

__global__ void deposit(const unsigned *__restrict__ cell, const float *__restrict__ charge, float *rho, int n, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned c = cell[i] % (w * (w - 1) - 1);
  float q = charge[i];
  atomicAdd(&rho[c], 0.4f * q);
  atomicAdd(&rho[c + 1], 0.3f * q);
  atomicAdd(&rho[c + w], 0.2f * q);
  atomicAdd(&rho[c + w + 1], 0.1f * q);
}
