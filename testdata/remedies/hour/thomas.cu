// A tridiagonal system for each thread, stored row by row (before) and interleaved (after).
__global__ void before(const float *a, const float *b, const float *c, float *cp, float *d, float *x, int systems, int m) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float cc = c[s * m] / b[s * m];
  float dd = d[s * m] / b[s * m];
  cp[s * m] = cc;
  x[s * m] = dd;
  for (int i = 1; i < m; i++) {
    float r = 1.0f / (b[s * m + i] - a[s * m + i] * cc);
    cc = c[s * m + i] * r;
    dd = (d[s * m + i] - a[s * m + i] * dd) * r;
    cp[s * m + i] = cc;
    x[s * m + i] = dd;
  }
  for (int i = m - 2; i >= 0; i--) {
    dd = x[s * m + i] - cp[s * m + i] * dd;
    x[s * m + i] = dd;
  }
}
__global__ void after(const float *a, const float *b, const float *c, float *cp, float *d, float *x, int systems, int m) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float cc = c[s] / b[s];
  float dd = d[s] / b[s];
  cp[s] = cc;
  x[s] = dd;
  for (int i = 1; i < m; i++) {
    float r = 1.0f / (b[i * systems + s] - a[i * systems + s] * cc);
    cc = c[i * systems + s] * r;
    dd = (d[i * systems + s] - a[i * systems + s] * dd) * r;
    cp[i * systems + s] = cc;
    x[i * systems + s] = dd;
  }
  for (int i = m - 2; i >= 0; i--) {
    dd = x[i * systems + s] - cp[i * systems + s] * dd;
    x[i * systems + s] = dd;
  }
}
