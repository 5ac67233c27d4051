// The median of 3 x 3 pixels: by sorting into an array whose index depends on data (before), or by exchanges at fixed places (after).
__global__ void before(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1) return;
  float v[9];
  int n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      float p = in[(y + dy) * w + x + dx];
      int k = n;
      while (k > 0 && v[k - 1] > p) {
        v[k] = v[k - 1];
        k--;
      }
      v[k] = p;
      n++;
    }
  out[y * w + x] = v[4];
}
__global__ void after(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1) return;
  float v[9];
#pragma unroll
  for (int k = 0; k < 9; k++) v[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
#pragma unroll
  for (int a = 0; a < 5; a++)
#pragma unroll
    for (int k = 8; k > a; k--) {
      float lo = fminf(v[k - 1], v[k]), hi = fmaxf(v[k - 1], v[k]);
      v[k - 1] = lo;
      v[k] = hi;
    }
  out[y * w + x] = v[4];
}
