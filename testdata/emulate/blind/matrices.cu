// factors of matrices of 8 by 6 by Householder's reflections, one by each work-item, in its registers
__global__ void qr86(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[8][6];
#pragma unroll
  for (int r = 0; r < 8; r++)
#pragma unroll
    for (int c = 0; c < 6; c++) a[r][c] = in[(size_t)(6 * r + c) * n + i];
#pragma unroll
  for (int k = 0; k < 6; k++) {
    float s = 0;
#pragma unroll
    for (int r = k; r < 8; r++) s += a[r][k] * a[r][k];
    float norm = copysignf(sqrtf(s), a[k][k]), pivot = a[k][k] + norm, beta = 1.f / (norm * pivot);
    a[k][k] = pivot;
#pragma unroll
    for (int c = k + 1; c < 6; c++) {
      float d = 0;
#pragma unroll
      for (int r = k; r < 8; r++) d += a[r][k] * a[r][c];
      d *= beta;
#pragma unroll
      for (int r = k; r < 8; r++) a[r][c] -= d * a[r][k];
    }
    a[k][k] = -norm;
  }
  int at = 0;
#pragma unroll
  for (int r = 0; r < 6; r++)
#pragma unroll
    for (int c = r; c < 6; c++) out[(size_t)at++ * n + i] = a[r][c];
}

// the lower half of A times its transpose, tiles of 32 by 32, in double precision; blocks above the diagonal leave
__global__ void syrk(const double *__restrict__ a, double *__restrict__ c, int n, int k) {
  if (blockIdx.x > blockIdx.y) return;
  __shared__ double p[32][17], q[32][17];
  int tx = threadIdx.x, ty = threadIdx.y, tid = 16 * ty + tx;
  double s[2][2] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int t = tid; t < 512; t += 256) {
      p[t / 16][t % 16] = a[(size_t)(blockIdx.y * 32 + t / 16) * k + k0 + t % 16];
      q[t / 16][t % 16] = a[(size_t)(blockIdx.x * 32 + t / 16) * k + k0 + t % 16];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; j++) {
      double u = p[ty][j], v = p[ty + 16][j], x = q[tx][j], y = q[tx + 16][j];
      s[0][0] += u * x; s[0][1] += u * y; s[1][0] += v * x; s[1][1] += v * y;
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) c[(size_t)(blockIdx.y * 32 + ty + 16 * i) * n + blockIdx.x * 32 + tx + 16 * j] = s[i][j];
}

// rotations that make 3 by 3 matrices A'A diagonal, four sweeps of Jacobi, and the singular values
__global__ void svd3(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[9], s[3][3];
  for (int k = 0; k < 9; k++) a[k] = in[k * n + i];
#pragma unroll
  for (int r = 0; r < 3; r++)
#pragma unroll
    for (int c = 0; c < 3; c++) s[r][c] = a[r] * a[c] + a[3 + r] * a[3 + c] + a[6 + r] * a[6 + c];
  for (int sweep = 0; sweep < 4; sweep++)
#pragma unroll
    for (int k = 0; k < 3; k++) {
      int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2, r = 3 - p - q;
      float d = 0.5f * (s[q][q] - s[p][p]), e = s[p][q], t = fabsf(e) < 1e-12f ? 0.f : e / (d + copysignf(sqrtf(d * d + e * e), d));
      float c = rsqrtf(1.f + t * t), z = c * t, u = s[p][r], v = s[q][r];
      s[p][p] -= t * e; s[q][q] += t * e;
      s[p][q] = s[q][p] = 0;
      s[p][r] = s[r][p] = c * u - z * v;
      s[q][r] = s[r][q] = z * u + c * v;
    }
  for (int k = 0; k < 3; k++) out[k * n + i] = sqrtf(fmaxf(s[k][k], 0.f));
}
