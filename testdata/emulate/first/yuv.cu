typedef unsigned char u8;
__device__ __forceinline__ u8 clamp8(float x) { return (u8)(x < 0.f ? 0.f : x > 255.f ? 255.f : x); }

// interleaved RGB to planar YUV 4:2:0, a thread for each block of 2x2 pixels
extern "C" __global__ void rgb2yuv420(const uchar3 *__restrict__ rgb, u8 *__restrict__ Y, u8 *__restrict__ U, u8 *__restrict__ V, int w, int h) {
  int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  if (x + 1 >= w || y + 1 >= h) return;
  float su = 0, sv = 0;
  for (int dy = 0; dy < 2; dy++)
    for (int dx = 0; dx < 2; dx++) {
      uchar3 p = rgb[(y + dy) * w + x + dx];
      float r = p.x, g = p.y, b = p.z;
      Y[(y + dy) * w + x + dx] = clamp8(0.257f * r + 0.504f * g + 0.098f * b + 16.5f);
      su += -0.148f * r - 0.291f * g + 0.439f * b;
      sv += 0.439f * r - 0.368f * g - 0.071f * b;
    }
  U[(y / 2) * (w / 2) + x / 2] = clamp8(su * 0.25f + 128.5f);
  V[(y / 2) * (w / 2) + x / 2] = clamp8(sv * 0.25f + 128.5f);
}

// packed RGBA words to packed YUVA words by integers
extern "C" __global__ void rgba2yuva(const unsigned *__restrict__ in, unsigned *__restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned p = in[i];
    int r = p & 255, g = p >> 8 & 255, b = p >> 16 & 255;
    int y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
    int u = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
    int v = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
    out[i] = y | u << 8 | v << 16 | (p & 0xff000000u);
  }
}
