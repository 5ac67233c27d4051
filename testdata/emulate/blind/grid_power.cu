// mismatch of power at each bus of a grid: rows of its admittances, angles by sine and cosine
__global__ void power_mismatch(const int *__restrict__ begin, const int *__restrict__ col, const float2 *__restrict__ y, const float2 *__restrict__ v, const float2 *__restrict__ load, float2 *__restrict__ f, int buses) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= buses) return;
  float2 me = v[b];
  float p = 0.f, q = 0.f;
  for (int k = begin[b]; k < begin[b + 1]; k++) {
    float2 o = v[col[k]], a = y[k];
    float s, c;
    __sincosf(me.y - o.y, &s, &c);
    p += o.x * (a.x * c + a.y * s);
    q += o.x * (a.x * s - a.y * c);
  }
  f[b] = make_float2(me.x * p - load[b].x, me.x * q - load[b].y);
}

// a logic circuit in levels, 32 patterns in a word: each gate reads two of earlier levels
__global__ void logic_level(const uint3 *__restrict__ gate, unsigned *__restrict__ value, int first, int gates, int words) {
  int w = blockIdx.x * blockDim.x + threadIdx.x, g = blockIdx.y;
  uint3 e = gate[first + g];
  unsigned a = value[(size_t)e.x * words + w], b = value[(size_t)e.y * words + w], r;
  switch (e.z & 3) {
  case 0: r = a & b; break;
  case 1: r = a | b; break;
  case 2: r = a ^ b; break;
  default: r = ~(a & b);
  }
  value[(size_t)(gates + first + g) * words + w] = r;
}

// times of arrival at gates: the latest of the fan-in with its delay by a table of slopes
__global__ void arrival(const int *__restrict__ begin, const int *__restrict__ pin, const float *__restrict__ at, const float *__restrict__ table, const float *__restrict__ cap, float *__restrict__ out, int gates) {
  __shared__ float t[8 * 8];
  if (threadIdx.x < 64) t[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= gates) return;
  float best = -1e30f, c = cap[g] * 4.f;
  int ci = min((int)c, 6);
  float cf = c - ci;
  for (int k = begin[g]; k < begin[g + 1]; k++) {
    float a = at[pin[k]], s = a * 3.f;
    int si = min((int)s, 6);
    float sf = s - si;
    const float *q = t + si * 8 + ci;
    float d = (1.f - sf) * ((1.f - cf) * q[0] + cf * q[1]) + sf * ((1.f - cf) * q[8] + cf * q[9]);
    best = fmaxf(best, a + d);
  }
  out[g] = best;
}
