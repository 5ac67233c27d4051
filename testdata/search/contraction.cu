// A contraction of tensors of float64: c[i][l][j][k] is the sum over m of a[i][m][j][k] * b[m][l].
//
// A work-item computes TX elements along k, TY along l and TZ along i and j together, which are apart by the work-items of a work-group; a
// work-group then goes on to the next of cx by cy by cz places. UNROLL iterations over m become one.
#ifndef TX
#define TX 1
#define TY 1
#define TZ 1
#define UNROLL 1
#endif
#define N 64 // elements along j, k, l and m
constexpr int together = UNROLL;

extern "C" __global__ void contraction(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c, int cx, int cy, int cz) {
  for (int q = 0; q < cx * cy * cz; q++) {
    int k = (blockIdx.x * cx + q % cx) * TX * blockDim.x + threadIdx.x, l = (blockIdx.y * cy + q / cx % cy) * TY * blockDim.y + threadIdx.y;
    int ij = (blockIdx.z * cz + q / cx / cy) * TZ * blockDim.z + threadIdx.z;
    double sum[TZ][TY][TX] = {};
#pragma unroll(together)
    for (int m = 0; m < N; m++) {
      double u[TZ][TX], v[TY];
#pragma unroll
      for (int y = 0; y < TY; y++) v[y] = b[m * N + l + y * blockDim.y];
#pragma unroll
      for (int z = 0; z < TZ; z++) {
        int at = ij + z * blockDim.z;
#pragma unroll
        for (int x = 0; x < TX; x++) u[z][x] = a[((at / N * N + m) * N + at % N) * N + k + x * blockDim.x];
      }
#pragma unroll
      for (int z = 0; z < TZ; z++)
#pragma unroll
        for (int y = 0; y < TY; y++)
#pragma unroll
          for (int x = 0; x < TX; x++) sum[z][y][x] += u[z][x] * v[y];
    }
#pragma unroll
    for (int z = 0; z < TZ; z++)
#pragma unroll
      for (int y = 0; y < TY; y++)
#pragma unroll
        for (int x = 0; x < TX; x++) {
          int at = ij + z * blockDim.z;
          c[((at / N * N + l + y * blockDim.y) * N + at % N) * N + k + x * blockDim.x] = sum[z][y][x];
        }
  }
}
