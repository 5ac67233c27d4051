// Distances along rays through a field of spheres, with literals of double precision (before) or of single (after).
__global__ void before(const float *dx, const float *dy, float *depth, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t = 0.01f;
  for (int s = 0; s < steps; s++) {
    float px = dx[i] * t - 0.3f, py = dy[i] * t + 0.2f;
    float d = px * px + py * py + 0.4f;
    t += 0.35 * d - 0.02 * t;
  }
  depth[i] = t;
}
__global__ void after(const float *dx, const float *dy, float *depth, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t = 0.01f;
  for (int s = 0; s < steps; s++) {
    float px = dx[i] * t - 0.3f, py = dy[i] * t + 0.2f;
    float d = px * px + py * py + 0.4f;
    t += 0.35f * d - 0.02f * t;
  }
  depth[i] = t;
}
