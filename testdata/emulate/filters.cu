// Filters of images.
__constant__ float taps[1024];

template <int R> __global__ void convolve(const float *__restrict__ x, float *y, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < R || j < R || i >= w - R || j >= h - R) return;
  float s = 0;
#pragma unroll
  for (int v = -R; v <= R; v++)
#pragma unroll
    for (int u = -R; u <= R; u++) s += taps[(v + R) * (2 * R + 1) + u + R] * x[(j + v) * w + i + u];
  y[j * w + i] = s;
}

__global__ void bilateral(const float *__restrict__ x, float *y, int w, int h, int r, float steep) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < r || j < r || i >= w - r || j >= h - r) return;
  float own = x[j * w + i], s = 0, all = 0;
  for (int v = -r; v <= r; v++)
    for (int u = -r; u <= r; u++) {
      float t = x[(j + v) * w + i + u], d = t - own, f = __expf(-(d * d) * steep - 0.1f * (u * u + v * v));
      s += f * t;
      all += f;
    }
  y[j * w + i] = s / all;
}

__device__ __forceinline__ void order(float &a, float &b) {
  float t = fminf(a, b);
  b = fmaxf(a, b);
  a = t;
}

__global__ void median(const float *__restrict__ x, float *y, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1) return;
  float v[9];
  for (int k = 0; k < 9; k++) v[k] = x[(j + k / 3 - 1) * w + i + k % 3 - 1];
#pragma unroll
  for (int a = 0; a < 5; a++)
#pragma unroll
    for (int b = a + 1; b < 9; b++) order(v[a], v[b]);
  y[j * w + i] = v[4];
}

// Means of 2 R + 1 values of a column, by differences, a column for each work-item in strips.
__global__ void running(const float *__restrict__ x, float *y, int w, int h, int r, int strip) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = r + blockIdx.y * strip, end = min(j + strip, h - r);
  if (i >= w) return;
  float s = 0;
  for (int k = j - r; k < j + r; k++) s += x[k * w + i];
  for (; j < end; j++) {
    s += x[(j + r) * w + i];
    y[j * w + i] = s / (2 * r + 1);
    s -= x[(j - r) * w + i];
  }
}

// An image turned by an angle, between four pixels each.
__global__ void turned(const float *__restrict__ x, float *y, int w, int h, float c, float s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  float u = c * (i - w / 2) - s * (j - h / 2) + w / 2, v = s * (i - w / 2) + c * (j - h / 2) + h / 2;
  int a = (int)floorf(u), b = (int)floorf(v);
  float out = 0;
  if (a >= 0 && b >= 0 && a < w - 1 && b < h - 1) {
    const float *p = x + b * w + a;
    float fu = u - a, fv = v - b;
    out = (1 - fv) * ((1 - fu) * p[0] + fu * p[1]) + fv * ((1 - fu) * p[w] + fu * p[w + 1]);
  }
  y[j * w + i] = out;
}

// Colours of three bytes as grey.
__global__ void grey(const unsigned char *__restrict__ x, unsigned char *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (77 * x[3 * i] + 150 * x[3 * i + 1] + 29 * x[3 * i + 2]) >> 8;
}
