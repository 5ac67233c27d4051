// Thomas' algorithm in place, coefficients the same for all systems.
__global__ void before(const float *low, const float *diag, float *up, float *d, int systems, int m) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float *u = up + s * m, *r = d + s * m;
  u[0] = u[0] / diag[0];
  r[0] = r[0] / diag[0];
  for (int i = 1; i < m; i++) {
    float w = 1.0f / (diag[i] - low[i] * u[i - 1]);
    u[i] = u[i] * w;
    r[i] = (r[i] - low[i] * r[i - 1]) * w;
  }
  for (int i = m - 2; i >= 0; i--) r[i] = r[i] - u[i] * r[i + 1];
}
