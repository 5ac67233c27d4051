// the inverse of matrices of 4 x 4, by cofactors
__global__ void inverse4(const float4 *in, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 r0 = in[4 * i], r1 = in[4 * i + 1], r2 = in[4 * i + 2], r3 = in[4 * i + 3];
  float s0 = r0.x * r1.y - r1.x * r0.y, s1 = r0.x * r1.z - r1.x * r0.z, s2 = r0.x * r1.w - r1.x * r0.w;
  float s3 = r0.y * r1.z - r1.y * r0.z, s4 = r0.y * r1.w - r1.y * r0.w, s5 = r0.z * r1.w - r1.z * r0.w;
  float c5 = r2.z * r3.w - r3.z * r2.w, c4 = r2.y * r3.w - r3.y * r2.w, c3 = r2.y * r3.z - r3.y * r2.z;
  float c2 = r2.x * r3.w - r3.x * r2.w, c1 = r2.x * r3.z - r3.x * r2.z, c0 = r2.x * r3.y - r3.x * r2.y;
  float d = 1.0f / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
  out[4 * i] = make_float4((r1.y * c5 - r1.z * c4 + r1.w * c3) * d, (-r0.y * c5 + r0.z * c4 - r0.w * c3) * d, (r3.y * s5 - r3.z * s4 + r3.w * s3) * d, (-r2.y * s5 + r2.z * s4 - r2.w * s3) * d);
  out[4 * i + 1] = make_float4((-r1.x * c5 + r1.z * c2 - r1.w * c1) * d, (r0.x * c5 - r0.z * c2 + r0.w * c1) * d, (-r3.x * s5 + r3.z * s2 - r3.w * s1) * d, (r2.x * s5 - r2.z * s2 + r2.w * s1) * d);
  out[4 * i + 2] = make_float4((r1.x * c4 - r1.y * c2 + r1.w * c0) * d, (-r0.x * c4 + r0.y * c2 - r0.w * c0) * d, (r3.x * s4 - r3.y * s2 + r3.w * s0) * d, (-r2.x * s4 + r2.y * s2 - r2.w * s0) * d);
  out[4 * i + 3] = make_float4((-r1.x * c3 + r1.y * c1 - r1.z * c0) * d, (r0.x * c3 - r0.y * c1 + r0.z * c0) * d, (-r3.x * s3 + r3.y * s1 - r3.z * s0) * d, (r2.x * s3 - r2.y * s1 + r2.z * s0) * d);
}

// least squares of 6 x 6 by rotations, in registers
template <int N>
__device__ void rotate(float (&a)[N][N], float (&b)[N]) {
#pragma unroll
  for (int j = 0; j < N; j++)
#pragma unroll
    for (int i = N - 1; i > j; i--) {
      float x = a[i - 1][j], y = a[i][j];
      float r = rsqrtf(x * x + y * y + 1e-20f), c = x * r, s = y * r;
#pragma unroll
      for (int k = j; k < N; k++) {
        float u = a[i - 1][k], v = a[i][k];
        a[i - 1][k] = c * u + s * v;
        a[i][k] = c * v - s * u;
      }
      float u = b[i - 1], v = b[i];
      b[i - 1] = c * u + s * v;
      b[i] = c * v - s * u;
    }
}

__global__ void solve6(const float *m, const float *rhs, float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[6][6], b[6];
  for (int r = 0; r < 6; r++) {
    for (int c = 0; c < 6; c++) a[r][c] = m[(r * 6 + c) * n + i];
    b[r] = rhs[r * n + i];
  }
  rotate<6>(a, b);
  for (int r = 5; r >= 0; r--) {
    float s = b[r];
    for (int c = r + 1; c < 6; c++) s -= a[r][c] * b[c];
    b[r] = s / a[r][r];
    x[r * n + i] = b[r];
  }
}

// eigenvalues of symmetric 3 x 3, by the cubic
__global__ void eigen3(const float *m, float *e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = m[i], b = m[n + i], c = m[2 * n + i], d = m[3 * n + i], f = m[4 * n + i], g = m[5 * n + i];
  float q = (a + b + c) / 3;
  float p1 = d * d + f * f + g * g;
  float p2 = (a - q) * (a - q) + (b - q) * (b - q) + (c - q) * (c - q) + 2 * p1;
  float p = sqrtf(p2 / 6), ip = 1 / p;
  float A = (a - q) * ip, B = (b - q) * ip, C = (c - q) * ip, D = d * ip, F = f * ip, G = g * ip;
  float det = A * (B * C - G * G) - D * (D * C - G * F) + F * (D * G - B * F);
  float r = fminf(fmaxf(det / 2, -1.0f), 1.0f);
  float phi = acosf(r) / 3;
  float e1 = q + 2 * p * cosf(phi), e3 = q + 2 * p * cosf(phi + 2.0943951f);
  e[i] = e1;
  e[n + i] = 3 * q - e1 - e3;
  e[2 * n + i] = e3;
}
