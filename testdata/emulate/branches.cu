// Branches whose sides and rounds differ within a warp.

__global__ void mandelbrot(int *out, int w, int h, float zoom, int most) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = (j - w * 0.5f) * zoom - 0.6f, cy = (i - h * 0.5f) * zoom, x = 0, y = 0;
  int k = 0;
  for (; k < most && x * x + y * y < 4; k++) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy, x = t;
  }
  out[i * w + j] = k;
}

__global__ void collatz(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
  for (unsigned long long v = i + 1; v > 1; k++) v = v % 2 ? 3 * v + 1 : v / 2;
  out[i] = k;
}

// The rounds are read from memory.
__global__ void trips(const unsigned *__restrict__ x, float *y, int scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = x[i] * scale;
  float s = i;
  for (int k = 0; k < n; k++) s = s * 0.999f + k;
  y[i] = s;
}

// One of WAYS sides for each lane.
template <int WAYS> __global__ void sides(float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = i;
  for (int r = 0; r < rounds; r++) {
    switch (i % WAYS) {
    case 0: s = sqrtf(s + 1) + sqrtf(s + 2); break;
    case 1: s = s * s * 0.001f + s; break;
    case 2: s = __expf(-s * 1e-3f) * s; break;
    case 3: s = s > 100 ? s - 50 : s * 1.5f; break;
    case 4: s = __fdividef(s, s + 3) + r; break;
    case 5: s = fabsf(s - r) + 1; break;
    case 6: s = __sinf(s) * 10; break;
    default: s = s + 0.5f * r; break;
    }
  }
  y[i] = s;
}

// Most leave early.
__global__ void early(const unsigned *__restrict__ x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 37 > 3) return;
  float s = x[i];
  for (int r = 0; r < rounds; r++) s = s * 1.0001f + r;
  y[i] = s;
}
