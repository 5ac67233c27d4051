// products of numbers modulo 2^255 - 19 in five limbs of 51 bits
__global__ void field_products(const unsigned long long *__restrict__ a, unsigned long long *__restrict__ r, int n, int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long low = (1ull << 51) - 1;
  unsigned long long x[5], y[5];
#pragma unroll
  for (int k = 0; k < 5; k++) { x[k] = a[k * n + i] * 0x7f4a7c15f39ull & low; y[k] = x[k] ^ k; }
  for (int t = 0; t < times; t++) {
    unsigned long long lo[5], hi[5];
#pragma unroll
    for (int k = 0; k < 5; k++) {
      lo[k] = hi[k] = 0;
#pragma unroll
      for (int j = 0; j < 5; j++) {
        unsigned long long f = x[j], g = k >= j ? y[k - j] : 19 * y[k + 5 - j], p = f * g;
        lo[k] += p;
        hi[k] += __umul64hi(f, g) + (lo[k] < p);
      }
    }
    unsigned long long carry = 0;
#pragma unroll
    for (int k = 0; k < 5; k++) {
      lo[k] += carry;
      hi[k] += lo[k] < carry;
      x[k] = lo[k] & low;
      carry = hi[k] << 13 | lo[k] >> 51;
    }
    x[0] += 19 * carry;
    x[1] += x[0] >> 51; x[0] &= low;
  }
#pragma unroll
  for (int k = 0; k < 5; k++) r[k * n + i] = x[k];
}

// forward rates of a market model over 40 dates, one path for each thread, rates in a private array
__global__ void forward_rates(const float *__restrict__ shock, const float *__restrict__ volatility, float *__restrict__ value, int paths, int steps) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  float rate[40], payoff = 0, discount = 1;
  for (int i = 0; i < 40; i++) rate[i] = 0.05f;
  for (int n = 0; n < steps; n++) {
    float z = (shock[n * paths + p] - 1.f) * 3.4f, drift = 0;
    for (int i = n + 1; i < 40; i++) {
      float v = 0.2f * volatility[i - n - 1], s = 0.25f * v * rate[i] / (1.f + 0.25f * rate[i]);
      drift += s;
      rate[i] *= expf(0.25f * v * (drift - 0.5f * v) + 0.5f * v * z);
    }
  }
  for (int i = steps; i < 40; i++) {
    discount /= 1.f + 0.25f * rate[i];
    if (i % 4 == 3) payoff += discount * fmaxf(rate[i] - 0.05f, 0.f);
  }
  value[p] = payoff;
}

// paths under a volatility by place and time, looked up between the points of a table
__global__ void local_volatility(const float *__restrict__ surface, float *__restrict__ payoff, int paths, int steps) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  unsigned a = p * 747796405u + 2891336453u;
  float s = 0.f, dt = 1.f / steps, root = sqrtf(dt);
  for (int n = 0; n < steps; n++) {
    a ^= a << 13; a ^= a >> 17; a ^= a << 5;
    float u1 = ((a >> 8) + 0.5f) * (1.f / 16777216.f);
    a ^= a << 13; a ^= a >> 17; a ^= a << 5;
    float u2 = (a >> 8) * (1.f / 16777216.f), z = sqrtf(-2.f * logf(u1)) * cospif(2.f * u2);
    float at = fminf(fmaxf((s + 1.f) * 32.f, 0.f), 62.99f), when = n * dt * 15.f;
    int i = (int)at, j = (int)when;
    float fx = at - i, fy = when - j;
    const float *t = surface + j * 64 + i;
    float v = 0.2f * ((1 - fy) * ((1 - fx) * t[0] + fx * t[1]) + fy * ((1 - fx) * t[64] + fx * t[65]));
    s += v * root * z - 0.5f * v * v * dt;
  }
  payoff[p] = fmaxf(expf(s) - 1.f, 0.f);
}

// matrices of 8 by 8 inverted by Gauss and Jordan, eight lanes each, a column of both sides in registers
__global__ void jordan8(const float *__restrict__ a, float *__restrict__ inverse, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, m = t / 8, c = t % 8;
  if (m >= n) return;
  float left[8], right[8];
#pragma unroll
  for (int r = 0; r < 8; r++) { left[r] = a[m * 64 + r * 8 + c] + (r == c ? 8.f : 0.f); right[r] = r == c ? 1.f : 0.f; }
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float pivot = 1.f / __shfl_sync(0xffffffffu, left[k], k, 8);
    left[k] *= pivot; right[k] *= pivot;
#pragma unroll
    for (int r = 0; r < 8; r++)
      if (r != k) {
        float f = __shfl_sync(0xffffffffu, left[r], k, 8);
        left[r] -= f * left[k]; right[r] -= f * right[k];
      }
  }
#pragma unroll
  for (int r = 0; r < 8; r++) inverse[m * 64 + r * 8 + c] = right[r];
}
