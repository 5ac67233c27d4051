// out = in + amount (in - blur(in)), a Gaussian of 5x5
__constant__ float weight[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
extern "C" __global__ void unsharp(const float *in, float *out, int w, int h, float amount, float threshold) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float blur = 0;
  for (int i = -2; i <= 2; i++) {
    int yy = min(max(y + i, 0), h - 1);
    for (int j = -2; j <= 2; j++) {
      int xx = min(max(x + j, 0), w - 1);
      blur += weight[i + 2] * weight[j + 2] * in[yy * w + xx];
    }
  }
  float c = in[y * w + x], d = c - blur;
  out[y * w + x] = fabsf(d) < threshold ? c : c + amount * d;
}

// the same from a tile in shared memory, rows first
extern "C" __global__ void unsharp_tile(const float *in, float *out, int w, int h, float amount, float threshold) {
  __shared__ float t[20][36], r[20][32];
  int bx = blockIdx.x * 32, by = blockIdx.y * 16, id = threadIdx.y * 32 + threadIdx.x;
  for (int e = id; e < 20 * 36; e += 512) {
    int yy = by + e / 36 - 2, xx = bx + e % 36 - 2;
    yy = yy < 0 ? 0 : yy >= h ? h - 1 : yy;
    xx = xx < 0 ? 0 : xx >= w ? w - 1 : xx;
    t[e / 36][e % 36] = in[yy * w + xx];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 20; y += 16) {
    float s = 0;
    for (int k = 0; k < 5; k++) s += weight[k] * t[y][threadIdx.x + k];
    r[y][threadIdx.x] = s;
  }
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 5; k++) s += weight[k] * r[threadIdx.y + k][threadIdx.x];
  int x = bx + threadIdx.x, y = by + threadIdx.y;
  if (x >= w || y >= h) return;
  float c = t[threadIdx.y + 2][threadIdx.x + 2], d = c - s;
  out[y * w + x] = fabsf(d) < threshold ? c : c + amount * d;
}
