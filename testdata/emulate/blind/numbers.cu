// the product of two vectors in sums of two floats each
__device__ __forceinline__ void add2(float &h, float &l, float x, float y) {
  float s = h + x, v = s - h, e = (h - (s - v)) + (x - v) + (l + y);
  h = s + e; l = e - (h - s);
}
__global__ void exact_dot(const float *__restrict__ a, const float *__restrict__ b, float2 *__restrict__ out, int n) {
  __shared__ float hs[8], ls[8];
  float h = 0, l = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float x = a[i], y = b[i], p = x * y;
    add2(h, l, p, fmaf(x, y, -p));
  }
  for (int d = 16; d; d >>= 1) add2(h, l, __shfl_down_sync(0xffffffffu, h, d), __shfl_down_sync(0xffffffffu, l, d));
  if ((threadIdx.x & 31) == 0) { hs[threadIdx.x / 32] = h; ls[threadIdx.x / 32] = l; }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; k++) add2(h, l, hs[k], ls[k]);
    out[blockIdx.x] = make_float2(h, l);
  }
}

// the restricted three-body problem by Runge and Kutta's method of order 4, in double precision
__device__ __forceinline__ void pull(double x, double y, double u, double v, double &ax, double &ay) {
  const double m = 0.0121505856;
  double r1 = (x + m) * (x + m) + y * y, r2 = (x - 1 + m) * (x - 1 + m) + y * y;
  double a = (1 - m) / (r1 * sqrt(r1)), b = m / (r2 * sqrt(r2));
  ax = 2 * v + x - a * (x + m) - b * (x - 1 + m);
  ay = -2 * u + y - a * y - b * y;
}
__global__ void three_bodies(double *__restrict__ state, int steps, double h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = state[i], y = state[n + i], u = state[2 * n + i], v = state[3 * n + i];
  for (int t = 0; t < steps; t++) {
    double a1, b1, a2, b2, a3, b3, a4, b4;
    pull(x, y, u, v, a1, b1);
    double u2 = u + 0.5 * h * a1, v2 = v + 0.5 * h * b1;
    pull(x + 0.5 * h * u, y + 0.5 * h * v, u2, v2, a2, b2);
    double u3 = u + 0.5 * h * a2, v3 = v + 0.5 * h * b2;
    pull(x + 0.5 * h * u2, y + 0.5 * h * v2, u3, v3, a3, b3);
    double u4 = u + h * a3, v4 = v + h * b3;
    pull(x + h * u3, y + h * v3, u4, v4, a4, b4);
    x += h / 6 * (u + 2 * u2 + 2 * u3 + u4); y += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    u += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4); v += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
  }
  state[i] = x; state[n + i] = y; state[2 * n + i] = u; state[3 * n + i] = v;
}

// reflections that make matrices of 8 by 8 triangular, in registers
__global__ void reflect8(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[8][8];
#pragma unroll
  for (int r = 0; r < 8; r++)
#pragma unroll
    for (int c = 0; c < 8; c++) a[r][c] = in[(size_t)(8 * r + c) * n + i];
#pragma unroll
  for (int k = 0; k < 7; k++) {
    float s = 0;
#pragma unroll
    for (int r = k; r < 8; r++) s += a[r][k] * a[r][k];
    float norm = sqrtf(s), head = a[k][k] + (a[k][k] < 0 ? -norm : norm), scale = 1.f / (s + fabsf(a[k][k]) * norm);
    a[k][k] = head;
#pragma unroll
    for (int c = k + 1; c < 8; c++) {
      float d = 0;
#pragma unroll
      for (int r = k; r < 8; r++) d += a[r][k] * a[r][c];
      d *= scale;
#pragma unroll
      for (int r = k; r < 8; r++) a[r][c] -= d * a[r][k];
    }
    a[k][k] = a[k][k] < 0 ? norm : -norm;
  }
#pragma unroll
  for (int r = 0; r < 8; r++)
#pragma unroll
    for (int c = r; c < 8; c++) out[(size_t)(8 * r + c) * n + i] = a[r][c];
}

// roots of z^5 - 1 that Newton's method finds from each place
__global__ void newton(unsigned char *__restrict__ out, int w, int h) {
  int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y;
  float x = 4.f * px / w - 2.f, y = 4.f * py / h - 2.f;
  int k = 0;
  for (; k < 60; k++) {
    float x2 = x * x - y * y, y2 = 2 * x * y, x4 = x2 * x2 - y2 * y2, y4 = 2 * x2 * y2;
    float nx = 4 * (x4 * x - y4 * y) + 1, ny = 4 * (x4 * y + y4 * x), d = 5 * (x4 * x4 + y4 * y4) + 1e-20f;
    float zx = (nx * x4 + ny * y4) / d, zy = (ny * x4 - nx * y4) / d;
    float ex = zx - x, ey = zy - y;
    x = zx; y = zy;
    if (ex * ex + ey * ey < 1e-10f) break;
  }
  out[py * w + px] = (unsigned char)k;
}

// rotations between two, by spheres
__global__ void slerp(const float4 *__restrict__ a, const float4 *__restrict__ b, const float *__restrict__ t, float4 *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = a[i], q = b[i];
  float d = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w, s = t[i], f, g, sign = d < 0 ? -1.f : 1.f;
  d *= sign;
  if (d > 0.9995f) { f = 1 - s; g = s; }
  else {
    float angle = acosf(d), inv = 1.f / sinf(angle);
    f = sinf((1 - s) * angle) * inv; g = sinf(s * angle) * inv;
  }
  g *= sign;
  out[i] = make_float4(f * p.x + g * q.x, f * p.y + g * q.y, f * p.z + g * q.z, f * p.w + g * q.w);
}

// one step of electric and magnetic fields in two dimensions, in place of each other's neighbours
__global__ void fields(float *__restrict__ ez, const float *__restrict__ hx, const float *__restrict__ hy, const float *__restrict__ eps, int w, int h, float dt) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w || y >= h) return;
  int i = y * w + x;
  ez[i] += dt / eps[i] * (hy[i] - hy[i - 1] - hx[i] + hx[i - w]);
}
