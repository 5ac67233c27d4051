// A force with a cutoff on data: every particle is compared with the one of the work-item; near ones count.
extern "C" __global__ void cutoff(const float *x, const float *y, const float *z, const float *m, float *out, int n, float cut) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float xi = x[i], yi = y[i], zi = z[i], sum = 0.f;
  for (int j = 0; j < n; j++) {
    float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
    float d = dx * dx + dy * dy + dz * dz;
    if (d < cut) {
      float r = rsqrtf(d + 0.01f);
      sum += m[j] * r * r * r;
      if (sum > 1e20f) sum = 0.f;
    }
  }
  out[i] = sum;
}
