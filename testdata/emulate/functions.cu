// Functions of single numbers in float32.

__global__ void trigonometric(const float *__restrict__ x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sinf(x[i]) * cosf(x[i] * 3) + atan2f(x[i], 2.0f);
}

__global__ void powers(const float *__restrict__ x, float *y, int n, float e) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = powf(x[i], e) + expf(-x[i]) + logf(x[i] + e) + cbrtf(x[i]);
}

// Prices of options, with the cumulative normal distribution by erfc.
__global__ void prices(const float *__restrict__ spot, const float *__restrict__ strike, float *call, float *put, int n, float rate, float sigma) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = spot[i], k = strike[i], t = 0.25f + (i & 15) * 0.125f, root = sigma * sqrtf(t);
  float d = (logf(s / k) + (rate + 0.5f * sigma * sigma) * t) / root, e = d - root;
  float u = 0.5f * erfcf(-d * 0.70710678f), v = 0.5f * erfcf(-e * 0.70710678f), f = expf(-rate * t);
  call[i] = s * u - k * f * v, put[i] = k * f * (1 - v) - s * (1 - u);
}

// The device's own approximations alone.
__global__ void approximate(const float *__restrict__ x, float *y, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = v;
  for (int r = 0; r < rounds; r++) s = __sinf(s) + __log2f(s + 2) * __frcp_rn(v + r) + rsqrtf(s * s + 1) + exp2f(-s);
  y[i] = s;
}
