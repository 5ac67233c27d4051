#include <stdint.h>
#include <cuda_fp16.h>
// four filters of second order one after the other, a channel by each work-item
__global__ void biquads(const float *__restrict__ in, float *__restrict__ out, const float *__restrict__ c, int channels, int steps) {
  int ch = blockIdx.x * blockDim.x + threadIdx.x;
  if (ch >= channels) return;
  float b0[4], b1[4], b2[4], a1[4], a2[4], z1[4], z2[4];
#pragma unroll
  for (int k = 0; k < 4; k++) { b0[k] = c[5 * k]; b1[k] = c[5 * k + 1]; b2[k] = c[5 * k + 2]; a1[k] = c[5 * k + 3]; a2[k] = c[5 * k + 4]; z1[k] = z2[k] = 0; }
  for (int t = 0; t < steps; t++) {
    float x = in[(size_t)t * channels + ch];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      float y = b0[k] * x + z1[k];
      z1[k] = b1[k] * x - a1[k] * y + z2[k];
      z2[k] = b2[k] * x - a2[k] * y;
      x = y;
    }
    out[(size_t)t * channels + ch] = x;
  }
}

__constant__ float taps[3 * 16] = {0.01f, 0.02f, -0.01f, 0.05f, 0.2f, 0.5f, 0.2f, 0.05f, 0.01f, 0.02f, -0.01f, 0.05f, 0.2f, 0.5f, 0.2f, 0.05f,
                                   0.03f, 0.01f, -0.02f, 0.06f, 0.3f, 0.4f, 0.3f, 0.06f, 0.03f, 0.01f, -0.02f, 0.06f, 0.3f, 0.4f, 0.3f, 0.06f};
// three samples for two, by a filter of three phases
__global__ void resample(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[256 * 2 / 3 + 24];
  int o0 = blockIdx.x * 256, base = o0 * 2 / 3;
  for (int k = threadIdx.x; k < 256 * 2 / 3 + 24; k += 256) tile[k] = base + k < n ? in[base + k] : 0.f;
  __syncthreads();
  int o = o0 + threadIdx.x, at = o * 2 / 3 - base, phase = o * 2 % 3;
  float s = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) s += taps[phase * 16 + k] * tile[at + k];
  out[o] = s;
}

// energies of 80 bands of a spectrum of 513 lines
__global__ void bands(const float2 *__restrict__ spectrum, const int *__restrict__ first, const int *__restrict__ length, const float *__restrict__ weight, float *__restrict__ out) {
  __shared__ float power[513];
  const float2 *s = spectrum + (size_t)blockIdx.x * 513;
  for (int k = threadIdx.x; k < 513; k += blockDim.x) { float2 v = s[k]; power[k] = v.x * v.x + v.y * v.y; }
  __syncthreads();
  if (threadIdx.x < 80) {
    float e = 0;
    int f = first[threadIdx.x], l = length[threadIdx.x];
    for (int k = 0; k < l; k++) e += weight[threadIdx.x * 32 + k] * power[f + k];
    out[(size_t)blockIdx.x * 80 + threadIdx.x] = logf(e + 1e-6f);
  }
}

__device__ __forceinline__ void cubic(float t, float *w) {
  w[0] = ((-0.5f * t + 1.f) * t - 0.5f) * t;
  w[1] = (1.5f * t - 2.5f) * t * t + 1.f;
  w[2] = ((-1.5f * t + 2.f) * t + 0.5f) * t;
  w[3] = (0.5f * t - 0.5f) * t * t;
}
// a picture of another size, by cubics
__global__ void bicubic(const float *__restrict__ in, float *__restrict__ out, int w, int h, int ow, int oh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float fx = (x + 0.5f) * w / ow - 0.5f, fy = (y + 0.5f) * h / oh - 0.5f;
  int ix = (int)floorf(fx), iy = (int)floorf(fy);
  float wx[4], wy[4], s = 0;
  cubic(fx - ix, wx);
  cubic(fy - iy, wy);
#pragma unroll
  for (int dy = 0; dy < 4; dy++) {
    int yy = min(max(iy + dy - 1, 0), h - 1);
    float r = 0;
#pragma unroll
    for (int dx = 0; dx < 4; dx++) r += wx[dx] * in[yy * w + min(max(ix + dx - 1, 0), w - 1)];
    s += wy[dy] * r;
  }
  out[y * ow + x] = s;
}

__device__ __forceinline__ float film(float x) { return fminf(fmaxf(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 0.f), 1.f); }
// colours of high range for a screen
__global__ void tonemap(const float4 *__restrict__ in, uchar4 *__restrict__ out, float exposure, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = in[i];
  float r = powf(film(p.x * exposure), 1 / 2.2f), g = powf(film(p.y * exposure), 1 / 2.2f), b = powf(film(p.z * exposure), 1 / 2.2f);
  out[i] = make_uchar4((unsigned char)(255.f * r + 0.5f), (unsigned char)(255.f * g + 0.5f), (unsigned char)(255.f * b + 0.5f), 255);
}

// eight layers of colours over each other
__global__ void layers(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r = 0, g = 0, b = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    uchar4 p = in[(size_t)k * n + i];
    int a = p.w, c = 255 - a;
    r = (p.x * a + r * c + 127) / 255; g = (p.y * a + g * c + 127) / 255; b = (p.z * a + b * c + 127) / 255;
  }
  out[i] = make_uchar4(r, g, b, 255);
}
