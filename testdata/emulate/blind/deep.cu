#include <stdint.h>
// the set of Mandelbrot with numbers of two floats
struct df { float hi, lo; };
__device__ df add(df a, df b) {
  float s = a.hi + b.hi, v = s - a.hi, e = (a.hi - (s - v)) + (b.hi - v) + a.lo + b.lo, h = s + e;
  return {h, e - (h - s)};
}
__device__ df mul(df a, df b) {
  float p = a.hi * b.hi, e = fmaf(a.hi, b.hi, -p) + a.hi * b.lo + a.lo * b.hi, h = p + e;
  return {h, e - (h - p)};
}
__global__ void deep_zoom(int *__restrict__ out, int w, int h, double cx, double cy, double scale, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  double px = cx + (x - w / 2) * scale, py = cy + (y - h / 2) * scale;
  df a = {(float)px, (float)(px - (float)px)}, b = {(float)py, (float)(py - (float)py)}, u = a, v = b;
  int k = 0;
  for (; k < most; k++) {
    df uu = mul(u, u), vv = mul(v, v);
    if (uu.hi + vv.hi > 4) break;
    df uv = mul(u, v);
    vv.hi = -vv.hi; vv.lo = -vv.lo;
    u = add(add(uu, vv), a);
    v = add(add(uv, uv), b);
  }
  out[y * w + x] = k;
}

// a driven pendulum by Fehlberg's method with steps that its error decides about
__device__ float2 swing(float t, float2 y) { return make_float2(y.y, -0.2f * y.y - __sinf(y.x) + 1.1f * __cosf(0.66f * t)); }
__global__ void pendulum(float2 *__restrict__ state, int *__restrict__ steps, float end, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 y = state[i];
  float t = 0, h = 0.1f;
  int count = 0;
  while (t < end && count < 2000) {
    h = fminf(h, end - t);
    float2 a = swing(t, y), b = swing(t + 0.5f * h, make_float2(y.x + 0.5f * h * a.x, y.y + 0.5f * h * a.y));
    float2 c = swing(t + 0.75f * h, make_float2(y.x + 0.75f * h * b.x, y.y + 0.75f * h * b.y));
    float2 z = make_float2(y.x + h * (2 * a.x + 3 * b.x + 4 * c.x) / 9, y.y + h * (2 * a.y + 3 * b.y + 4 * c.y) / 9);
    float2 d = swing(t + h, z);
    float ex = h * fabsf(-5 * a.x + 6 * b.x + 8 * c.x - 9 * d.x) / 72, ey = h * fabsf(-5 * a.y + 6 * b.y + 8 * c.y - 9 * d.y) / 72, e = fmaxf(ex, ey) / 1e-4f;
    if (e < 1) { t += h; y = z; }
    h *= fminf(3.f, fmaxf(0.2f, 0.9f * powf(fmaxf(e, 1e-6f), -0.3333f)));
    count++;
  }
  state[i] = y;
  steps[i] = count;
}

// exponentials of matrices of 3 x 3: halved, a polynomial, squared again
__global__ void exp3(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[3][3], r[3][3];
  float norm = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) { a[k / 3][k % 3] = in[(size_t)k * n + i]; norm = fmaxf(norm, fabsf(a[k / 3][k % 3])); }
  int s = max(0, (int)ceilf(__log2f(3 * norm)) + 1);
  float by = ldexpf(1.f, -s);
#pragma unroll
  for (int k = 0; k < 9; k++) { a[k / 3][k % 3] *= by; r[k / 3][k % 3] = (k % 4 == 0) + a[k / 3][k % 3] / 8; }
#pragma unroll
  for (int d = 7; d >= 1; d--) {
    float q[3][3];
#pragma unroll
    for (int y = 0; y < 3; y++)
#pragma unroll
      for (int x = 0; x < 3; x++) q[y][x] = (y == x) + (a[y][0] * r[0][x] + a[y][1] * r[1][x] + a[y][2] * r[2][x]) / d;
#pragma unroll
    for (int k = 0; k < 9; k++) r[k / 3][k % 3] = q[k / 3][k % 3];
  }
  for (int k = 0; k < s; k++) {
    float q[3][3];
#pragma unroll
    for (int y = 0; y < 3; y++)
#pragma unroll
      for (int x = 0; x < 3; x++) q[y][x] = r[y][0] * r[0][x] + r[y][1] * r[1][x] + r[y][2] * r[2][x];
#pragma unroll
    for (int j = 0; j < 9; j++) r[j / 3][j % 3] = q[j / 3][j % 3];
  }
#pragma unroll
  for (int k = 0; k < 9; k++) out[(size_t)k * n + i] = r[k / 3][k % 3];
}

// prices of baskets of eight by correlated normal numbers: a thread for each path, sums of blocks
__constant__ float root[36];
__global__ void basket(const float *__restrict__ spot, double *__restrict__ sum, float rate, float sigma, float strike, int steps) {
  __shared__ double part[4];
  uint32_t s = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 2891336453u;
  float l[8];
#pragma unroll
  for (int k = 0; k < 8; k++) l[k] = __logf(spot[k]);
  float dt = 1.f / steps, drift = (rate - 0.5f * sigma * sigma) * dt, vol = sigma * sqrtf(dt);
  for (int t = 0; t < steps; t++) {
    float z[8];
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
      s = s * 747796405u + 2891336453u;
      uint32_t a = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u; a ^= a >> 22;
      s = s * 747796405u + 2891336453u;
      uint32_t b = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u; b ^= b >> 22;
      float u = ((a >> 8) + 1) * (1.f / 16777216), v = (b >> 8) * (6.2831853f / 16777216), r = sqrtf(-2 * __logf(u));
      z[k] = r * __cosf(v);
      z[k + 1] = r * __sinf(v);
    }
    int at = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      float c = 0;
#pragma unroll
      for (int j = 0; j <= k; j++) c += root[at++] * z[j];
      l[k] += drift + vol * c;
    }
  }
  float mean = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) mean += __expf(l[k]);
  double pay = fmaxf(mean / 8 - strike, 0.f);
  for (int d = 16; d; d >>= 1) pay += __shfl_down_sync(~0u, pay, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = pay;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, part[0] + part[1] + part[2] + part[3]);
}

// a forward pass over pairs of sequences: probabilities of reads given haplotypes, in three states
__global__ void pair_hmm(const uint8_t *__restrict__ read, const uint8_t *__restrict__ hap, const float *__restrict__ quality, float *__restrict__ out, int pairs) {
  __shared__ uint8_t h[64];
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 64) h[threadIdx.x] = hap[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  float m[33], x[33], y[33];
#pragma unroll
  for (int j = 0; j <= 32; j++) { m[j] = 0; x[j] = 0; y[j] = 1.f / 32; }
  for (int i = 0; i < 48; i++) {
    int c = read[(size_t)i * pairs + p];
    float e = quality[c & 7], dm = 0, dx = 0, dy = i == 0 ? 1.f / 32 : 0;
#pragma unroll
    for (int j = 1; j <= 32; j++) {
      float prior = h[j] == c ? 1 - e : e / 3;
      float um = m[j], ux = x[j], uy = y[j];
      float nm = prior * (0.9f * dm + 0.1f * (dx + dy));
      x[j] = 0.05f * um + 0.1f * ux;
      y[j] = 0.05f * (j > 1 ? m[j - 1] : 0.f) + 0.1f * (j > 1 ? y[j - 1] : 0.f);
      dm = um; dx = ux; dy = uy;
      m[j] = nm;
    }
  }
  float s = 0;
#pragma unroll
  for (int j = 1; j <= 32; j++) s += m[j] + x[j];
  out[p] = log10f(s + 1e-30f);
}
