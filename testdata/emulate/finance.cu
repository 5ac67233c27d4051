// Prices.

// The normal distribution by Hart's polynomial.
__device__ inline float normal(float d) {
  const float a = 0.31938153f, b = -0.356563782f, c = 1.781477937f, e = -1.821255978f, f = 1.330274429f;
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d)), p = 0.39894228f * __expf(-0.5f * d * d) * (k * (a + k * (b + k * (c + k * (e + k * f)))));
  return d > 0 ? 1.0f - p : p;
}

__global__ void options(float2 *__restrict__ call, float2 *__restrict__ put, const float2 *__restrict__ price, const float2 *__restrict__ strike, const float2 *__restrict__ years, float rate, float vol, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 s = price[i], x = strike[i], t = years[i], c, p;
#pragma unroll
  for (int k = 0; k < 2; k++) {
    float S = k ? s.y : s.x, X = k ? x.y : x.x, T = k ? t.y : t.x, root = __fsqrt_rn(T);
    float d1 = __fdividef(__logf(S / X) + (rate + 0.5f * vol * vol) * T, vol * root), d2 = d1 - vol * root;
    float cd1 = normal(d1), cd2 = normal(d2), e = __expf(-rate * T);
    float v = S * cd1 - X * e * cd2, u = X * e * (1 - cd2) - S * (1 - cd1);
    if (k) c.y = v, p.y = u; else c.x = v, p.x = u;
  }
  call[i] = c;
  put[i] = p;
}

// Philox, 10 rounds.
__device__ inline uint4 philox(uint4 c, uint2 k) {
#pragma unroll
  for (int r = 0; r < 10; r++) {
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u, k.y += 0xBB67AE85u;
  }
  return c;
}

// The mean along a path, four normal numbers for each draw.
__global__ void asian(float *__restrict__ out, int steps, float s0, float drift, float vol, float strike) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = s0, sum = 0;
  for (int t = 0; t < steps; t += 4) {
    uint4 u = philox(make_uint4(i, t, 0, 0), make_uint2(12345, 678));
    float r0 = sqrtf(-2 * logf(u.x * 2.3283064e-10f + 1.2e-10f)), r1 = sqrtf(-2 * logf(u.z * 2.3283064e-10f + 1.2e-10f)), sn, cs;
    sincospif(u.y * 4.6566129e-10f, &sn, &cs);
    s *= expf(drift + vol * r0 * sn), sum += s;
    s *= expf(drift + vol * r0 * cs), sum += s;
    sincospif(u.w * 4.6566129e-10f, &sn, &cs);
    s *= expf(drift + vol * r1 * sn), sum += s;
    s *= expf(drift + vol * r1 * cs), sum += s;
  }
  out[i] = fmaxf(sum / steps - strike, 0.f);
}

// Heston's steps in double precision, with a generator of five words whose state is in memory.
__global__ void heston(unsigned *__restrict__ state, double *__restrict__ out, int n, int steps, double kappa, double theta, double xi) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = state[i], y = state[n + i], z = state[2 * n + i], w = state[3 * n + i], v = state[4 * n + i], d = i;
  double s = 100, variance = 0.04;
  for (int k = 0; k < steps; k++) {
    double u[2];
    for (int j = 0; j < 2; j++) {
      unsigned t = x ^ x >> 2;
      x = y, y = z, z = w, w = v;
      v = v ^ v << 4 ^ (t ^ t << 1);
      d += 362437;
      u[j] = (v + d) * 2.3283064365386963e-10 - 0.5;
    }
    double root = sqrt(fmax(variance, 0.0) / 252);
    s += s * root * u[0] * 3.46;
    variance += kappa * (theta - variance) / 252 + xi * root * (0.7 * u[0] + 0.5 * u[1]);
  }
  state[i] = x, state[n + i] = y, state[2 * n + i] = z, state[3 * n + i] = w, state[4 * n + i] = v;
  out[i] = fmax(s - 100, 0.0);
}

// A tree of prices, one for a block, its last level in shared memory.
__global__ void tree(const float *__restrict__ strike, float *__restrict__ out, int steps, float up, float probability, float discount) {
  extern __shared__ float value[];
  float x = strike[blockIdx.x];
  for (int k = threadIdx.x; k <= steps; k += blockDim.x) value[k] = fmaxf(x - exp2f(up * (2 * k - steps)), 0);
  __syncthreads();
  for (int level = steps - 1; level >= 0; level--) {
    float keep[4];
    for (int k = threadIdx.x, j = 0; k <= level; k += blockDim.x, j++) keep[j & 3] = discount * (probability * value[k + 1] + (1 - probability) * value[k]);
    __syncthreads();
    for (int k = threadIdx.x, j = 0; k <= level; k += blockDim.x, j++) value[k] = keep[j & 3];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = value[0];
}

// Implicit steps of the heat equation of a price: three diagonals, a system for each thread, in local memory.
__global__ void implicit(float *grid, int systems, float r) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float c[64], d[64];
  float b = 1 + 2 * r, before = 0, value = 0;
  for (int i = 0; i < 64; i++) {
    float m = 1 / (b + r * before);
    before = c[i] = -r * m;
    value = d[i] = (grid[(size_t)i * systems + s] + r * value) * m;
  }
  float x = 0;
  for (int i = 63; i >= 0; i--) {
    x = d[i] - c[i] * x;
    grid[(size_t)i * systems + s] = x;
  }
}
