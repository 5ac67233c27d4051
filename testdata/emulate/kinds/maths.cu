// Functions and arithmetic.
// Bessel's function of order 0 by two polynomials.
__device__ float bessel0(float x) {
  float a = fabsf(x);
  if (a < 8.0f) {
    float y = x * x;
    float p = 57568490574.0f + y * (-13362590354.0f + y * (651619640.7f + y * (-11214424.18f + y * (77392.33017f + y * -184.9052456f))));
    float q = 57568490411.0f + y * (1029532985.0f + y * (9494680.718f + y * (59272.64853f + y * (267.8532712f + y))));
    return p / q;
  }
  float z = 8.0f / a, y = z * z, xx = a - 0.785398164f;
  float p = 1.0f + y * (-0.1098628627e-2f + y * (0.2734510407e-4f + y * (-0.2073370639e-5f + y * 0.2093887211e-6f)));
  float q = -0.1562499995e-1f + y * (0.1430488765e-3f + y * (-0.6911147651e-5f + y * (0.7621095161e-6f - y * 0.934945152e-7f)));
  return sqrtf(0.636619772f / a) * (cosf(xx) * p - z * sinf(xx) * q);
}
extern "C" __global__ void maths_bessel(const float *in, float *out, int n, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = bessel0(in[i] * scale) + bessel0(in[i] * scale * 0.5f);
}
// The library's own.
extern "C" __global__ void maths_jn(const double *in, double *out, int n, double scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = j0(in[i] * scale) + y1(in[i] * scale);
}
// Escape time of points, which differ much.
extern "C" __global__ void maths_escape(int *out, int width, int height, float x0, float y0, float d, int most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= width || j >= height) return;
  float cx = x0 + d * i, cy = y0 + d * j, x = 0.f, y = 0.f;
  int k = 0;
  while (k < most && x * x + y * y < 4.0f) {
    float t = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = t;
    k++;
  }
  out[j * width + i] = k;
}
// A binomial tree of each option in an array of its own.
extern "C" __global__ void maths_tree(const float *spot, float *price, int n, int steps, float up, float p, float strike) {
  float v[65];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = spot[i], down = 1.0f / up;
  for (int k = 0; k <= steps; k++) v[k] = fmaxf(s * powf(up, (float)(2 * k - steps)) - strike, 0.f);
  for (int t = steps; t > 0; t--)
    for (int k = 0; k < t; k++) v[k] = (p * v[k + 1] + (1.f - p) * v[k]) * 0.999f;
  price[i] = v[0] * down;
}
// Gauss's elimination of small systems in arrays of their own.
extern "C" __global__ void maths_gauss(const float *a, float *x, int count, int n) {
  float m[12][13];
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= count) return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++) m[i][j] = a[(i * (n + 1) + j) * count + s] + (i == j ? n : 0);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      float f = m[i][k] / m[k][k];
      for (int j = k; j <= n; j++) m[i][j] -= f * m[k][j];
    }
  for (int i = n - 1; i >= 0; i--) {
    float v = m[i][n];
    for (int j = i + 1; j < n; j++) v -= m[i][j] * m[j][n];
    m[i][n] = v / m[i][i];
    x[i * count + s] = m[i][n];
  }
}
// Integers by kind. OP 0: products of 64 bits, 1: quotients of 32 bits, 2: quotients of 64 bits, 3: bits counted and reversed, 4: funnel shifts.
#ifndef OP
#define OP 0
#endif
extern "C" __global__ void maths_integers(const unsigned *in, unsigned *out, int n, int rounds, unsigned d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i] + i;
  unsigned long long w = v;
  for (int r = 0; r < rounds; r++) {
#if OP == 0
    w = w * 0x9e3779b97f4a7c15ull + (w >> 31);
#elif OP == 1
    v = (v / (d + r)) ^ (v * 3u + r);
#elif OP == 2
    w = (w / (d + r)) ^ (w * 3u + ((unsigned long long)r << 40));
#elif OP == 3
    v = __brev(v) ^ (v + __popc(v)) ^ (__clz(v) << r);
#else
    v = __funnelshift_l(v, v, r & 31) + (v ^ d);
#endif
  }
  out[i] = v + (unsigned)w;
}
// Philox of four rounds' words, as libraries have it, and a normal number of two each.
extern "C" __global__ void maths_philox(float *out, int n, unsigned key, int draws) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.f;
  for (int d = 0; d < draws; d++) {
    unsigned a = i, b = d, c = 7, e = 0, k0 = key, k1 = key ^ 0x1234567;
    for (int r = 0; r < 10; r++) {
      unsigned h0 = __umulhi(0xD2511F53u, a), l0 = 0xD2511F53u * a, h1 = __umulhi(0xCD9E8D57u, c), l1 = 0xCD9E8D57u * c;
      a = h1 ^ b ^ k0; b = l1; c = h0 ^ e ^ k1; e = l0;
      k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
    }
    float u = (a + 1.0f) * 2.3283064e-10f, v = b * 2.3283064e-10f;
    sum += sqrtf(-2.0f * __logf(u)) * __cosf(6.2831853f * v) + c * 1e-10f + e * 1e-10f;
  }
  out[i] = sum;
}
// Walks that draw until they leave an interval.
extern "C" __global__ void maths_walk(int *steps, unsigned seed, float bound, int most) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = seed ^ (i * 2654435761u) | 1u;
  float at = 0.f;
  int k = 0;
  while (fabsf(at) < bound && k < most) {
    x ^= x << 13; x ^= x >> 17; x ^= x << 5;
    at += (float)(int)x * 4.656613e-10f;
    k++;
  }
  steps[i] = k;
}
// Rays against spheres, reflected up to some times.
extern "C" __global__ void maths_rays(const float4 *sphere, float *image, int spheres, int width, int bounces) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  float ox = 0.f, oy = 0.f, oz = -4.f, dx = (px - width / 2) / (float)width, dy = (py - width / 2) / (float)width, dz = 1.f;
  float n = rsqrtf(dx * dx + dy * dy + dz * dz), light = 0.f, weight = 1.f;
  dx *= n; dy *= n; dz *= n;
  for (int b = 0; b < bounces; b++) {
    float best = 1e30f;
    int hit = -1;
    for (int s = 0; s < spheres; s++) {
      float4 q = sphere[s];
      float cx = 6.f * (q.x - 1.f) - ox, cy = 6.f * (q.y - 1.f) - oy, cz = 6.f * q.z - oz, r = 0.3f * q.w;
      float along = cx * dx + cy * dy + cz * dz, d2 = cx * cx + cy * cy + cz * cz - along * along;
      if (d2 > r * r || along < 0.f) continue;
      float t = along - sqrtf(r * r - d2);
      if (t > 1e-3f && t < best) { best = t; hit = s; }
    }
    if (hit < 0) { light += weight * (0.5f + 0.5f * dy); break; }
    float4 q = sphere[hit];
    ox += best * dx; oy += best * dy; oz += best * dz;
    float nx = ox - 6.f * (q.x - 1.f), ny = oy - 6.f * (q.y - 1.f), nz = oz - 6.f * q.z, m = rsqrtf(nx * nx + ny * ny + nz * nz);
    nx *= m; ny *= m; nz *= m;
    float d = 2.f * (nx * dx + ny * dy + nz * dz);
    dx -= d * nx; dy -= d * ny; dz -= d * nz;
    light += weight * 0.2f; weight *= 0.7f;
  }
  image[py * width + px] = light;
}
