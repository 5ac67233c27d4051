// Stencils in two dimensions over h rows of w elements.

__global__ void five(const float *__restrict__ x, float *y, int w, int h) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= h - 1 || j >= w - 1) return;
  const float *p = x + i * w + j;
  y[i * w + j] = 0.2f * (p[0] + p[-1] + p[1] + p[-w] + p[w]);
}

template <int X, int Y> __global__ void tile(const float *__restrict__ x, float *y, int w, int h) {
  __shared__ float s[Y + 2][X + 2];
  int tx = threadIdx.x, ty = threadIdx.y, j0 = blockIdx.x * X, i0 = blockIdx.y * Y;
  for (int k = ty * X + tx; k < (X + 2) * (Y + 2); k += X * Y) {
    int i = min(max(i0 + k / (X + 2) - 1, 0), h - 1), j = min(max(j0 + k % (X + 2) - 1, 0), w - 1);
    s[k / (X + 2)][k % (X + 2)] = x[i * w + j];
  }
  __syncthreads();
  y[(i0 + ty) * w + j0 + tx] = 0.2f * (s[ty + 1][tx + 1] + s[ty][tx + 1] + s[ty + 2][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2]);
}

// Nine points; a work-item has C results in a column, and keeps rows that it has read.
template <int C> __global__ void nine(const float *__restrict__ x, float *y, int w, int h) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + 1, i0 = (blockIdx.y * blockDim.y + threadIdx.y) * C + 1;
  if (j >= w - 1) return;
  float a[3][3];
#pragma unroll
  for (int r = 0; r < 2; r++)
#pragma unroll
    for (int k = 0; k < 3; k++) a[r][k] = i0 - 1 + r < h ? x[(i0 - 1 + r) * w + j + k - 1] : 0;
#pragma unroll
  for (int c = 0; c < C; c++) {
    int i = i0 + c;
    if (i >= h - 1) return;
#pragma unroll
    for (int k = 0; k < 3; k++) a[(c + 2) % 3][k] = x[(i + 1) * w + j + k - 1];
    float s = 0;
#pragma unroll
    for (int r = 0; r < 3; r++)
#pragma unroll
      for (int k = 0; k < 3; k++) s += a[(c + r) % 3][k] * (1 + r * 3 + k);
    y[i * w + j] = s;
  }
}

// A window of (2 R + 1)^2 with weights in constant memory.
__constant__ float weights[81];
template <int R> __global__ void window(const float *__restrict__ x, float *y, int w, int h) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < R || j < R || i >= h - R || j >= w - R) return;
  float s = 0;
  for (int r = -R; r <= R; r++)
    for (int k = -R; k <= R; k++) s += x[(i + r) * w + j + k] * weights[(r + R) * (2 * R + 1) + k + R];
  y[i * w + j] = s;
}
