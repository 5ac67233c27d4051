// A transposed convolution of stride 2 with a filter of 4 x 4: each output tests all taps (before), or has those of its parity (after).
__global__ void before(const float *in, const float *w, float *out, int n, int channels) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  float sum = 0;
  for (int c = 0; c < channels; c++)
    for (int ky = 0; ky < 4; ky++)
      for (int kx = 0; kx < 4; kx++) {
        int iy = y + 1 - ky, ix = x + 1 - kx;
        if (iy >= 0 && ix >= 0 && iy % 2 == 0 && ix % 2 == 0 && iy / 2 < n && ix / 2 < n)
          sum += in[(c * n + iy / 2) * n + ix / 2] * w[(c * 4 + ky) * 4 + kx];
      }
  out[y * 2 * n + x] = sum;
}
__global__ void after(const float *in, const float *w, float *out, int n, int channels) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  int py = (y + 1) & 1, px = (x + 1) & 1;
  int by = (y + 1) >> 1, bx = (x + 1) >> 1;
  float sum = 0;
  for (int c = 0; c < channels; c++)
    for (int ty = 0; ty < 2; ty++)
      for (int tx = 0; tx < 2; tx++) {
        int iy = by - ty, ix = bx - tx;
        if (iy >= 0 && ix >= 0 && iy < n && ix < n)
          sum += in[(c * n + iy) * n + ix] * w[(c * 4 + 2 * ty + py) * 4 + 2 * tx + px];
      }
  out[y * 2 * n + x] = sum;
}
