// A star of order 8 in three dimensions, in float64: 25 points.
//
// A work-item computes TX elements along the first axis, apart by the work-items of a work-group, and TY and TZ neighbours along the others;
// a work-group then goes on to the next of cx by cy by cz places. UNROLL iterations over the distance become one.
#ifndef TX
#define TX 1
#define TY 1
#define TZ 1
#define UNROLL 1
#endif
#define R 4         // the greatest distance
#define N 256       // elements along each axis, R more on each side aside
#define W (N + 2 * R)
constexpr int together = UNROLL;

__constant__ double weight[R + 1] = {-2.847222222222222, 1.6, -0.2, 0.025396825396825397, -0.0017857142857142857};

extern "C" __global__ void stencil(const double *__restrict__ x, double *__restrict__ y, int cx, int cy, int cz) {
  for (int q = 0; q < cx * cy * cz; q++) {
    int i = (blockIdx.x * cx + q % cx) * TX * blockDim.x + threadIdx.x, j = ((blockIdx.y * cy + q / cx % cy) * blockDim.y + threadIdx.y) * TY;
    int k = ((blockIdx.z * cz + q / cx / cy) * blockDim.z + threadIdx.z) * TZ;
    int at = ((k + R) * W + j + R) * W + i + R;
    double sum[TZ][TY][TX];
#pragma unroll
    for (int b = 0; b < TY; b++)
#pragma unroll
      for (int a = 0; a < TX; a++) {
        double column[TZ + 2 * R];
#pragma unroll
        for (int c = 0; c < TZ + 2 * R; c++) column[c] = x[at + ((c - R) * W + b) * W + a * blockDim.x];
#pragma unroll
        for (int c = 0; c < TZ; c++) {
          sum[c][b][a] = 3 * weight[0] * column[c + R];
#pragma unroll
          for (int r = 1; r <= R; r++) sum[c][b][a] += weight[r] * (column[c + R - r] + column[c + R + r]);
        }
      }
#pragma unroll(together)
    for (int r = 1; r <= R; r++)
#pragma unroll
      for (int c = 0; c < TZ; c++)
#pragma unroll
        for (int b = 0; b < TY; b++)
#pragma unroll
          for (int a = 0; a < TX; a++) {
            const double *p = x + at + (c * W + b) * W + a * blockDim.x;
            sum[c][b][a] += weight[r] * (p[-r] + p[r] + p[-r * W] + p[r * W]);
          }
#pragma unroll
    for (int c = 0; c < TZ; c++)
#pragma unroll
      for (int b = 0; b < TY; b++)
#pragma unroll
        for (int a = 0; a < TX; a++) y[at + (c * W + b) * W + a * blockDim.x] = sum[c][b][a];
  }
}
