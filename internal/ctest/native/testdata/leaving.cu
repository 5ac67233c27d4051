// --local 32 --global n
__device__ float sum(const float *a, int n, int stop) {
  float s = 0;
  for (int k = 16; k > 0; k >>= 1) {
    if (k == stop) return s;
    if (k == n) continue;
    s += a[k];
  }
  return s * 2.0f;
}
__global__ void leaving(float *y, const float *x, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 8; s > 0; s /= 2) {
    if (i < s) continue;
    if (i > 3 * s) break;
    y[i] += sum(x, s, m);
    if (i == 5) return;
  }
  y[i] *= 2.0f;
}
