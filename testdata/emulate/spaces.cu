// Stencils in three dimensions over d planes of h rows of w elements.

__global__ void seven(const float *__restrict__ x, float *y, int w, int h, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= w - 1 || j >= h - 1 || k >= d - 1) return;
  int p = (k * h + j) * w + i, s = w * h;
  y[p] = 0.4f * x[p] + 0.1f * (x[p - 1] + x[p + 1] + x[p - w] + x[p + w] + x[p - s] + x[p + s]);
}

// A work-item goes through all planes, with three elements of its column in registers.
__global__ void column(const float *__restrict__ x, float *y, int w, int h, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, s = w * h;
  if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1) return;
  int p = j * w + i;
  float below = x[p], here = x[p + s];
  for (int k = 1; k < d - 1; k++) {
    p += s;
    float above = x[p + s];
    y[p] = 0.4f * here + 0.1f * (below + above + x[p - 1] + x[p + 1] + x[p - w] + x[p + w]);
    below = here, here = above;
  }
}

// Order 8 in float64: 25 points, a plane of the tile in shared memory.
__global__ void __launch_bounds__(256) star(const double *__restrict__ x, double *y, int w, int h, int d) {
  __shared__ double t[16][24];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 16 + tx, j = blockIdx.y * 8 + ty, s = w * h, p = (j + 4) * w + i + 4;
  double z[9];
#pragma unroll
  for (int k = 0; k < 8; k++) z[k] = x[p + k * s];
  for (int k = 4; k < d - 4; k++) {
    z[8] = x[p + (k + 4) * s];
    __syncthreads();
    for (int q = ty * 16 + tx; q < 16 * 24; q += 128) t[q / 24][q % 24] = x[k * s + (blockIdx.y * 8 + q / 24) * w + blockIdx.x * 16 + q % 24];
    __syncthreads();
    double r = z[4] * 3.0;
#pragma unroll
    for (int q = 1; q <= 4; q++)
      r += (z[4 - q] + z[4 + q] + t[ty + 4][tx + 4 - q] + t[ty + 4][tx + 4 + q] + t[ty + 4 - q][tx + 4] + t[ty + 4 + q][tx + 4]) * (0.1 * q);
    y[p + k * s] = r;
#pragma unroll
    for (int q = 0; q < 8; q++) z[q] = z[q + 1];
  }
}
