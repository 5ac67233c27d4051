#include <stdint.h>
// cells of a radar's picture that are above the mean of 16 on both sides, without 2 beside
__global__ void cfar(const float *__restrict__ power, uint8_t *__restrict__ hit, int n, float factor) {
  __shared__ float t[256 + 36];
  const float *row = power + (size_t)blockIdx.y * n;
  int x0 = blockIdx.x * 256;
  for (int k = threadIdx.x; k < 292; k += 256) { int x = x0 + k - 18; t[k] = x >= 0 && x < n ? row[x] : 0.f; }
  __syncthreads();
  float lead = 0, lag = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) { lead += t[threadIdx.x + k]; lag += t[threadIdx.x + 21 + k]; }
  hit[(size_t)blockIdx.y * n + x0 + threadIdx.x] = t[threadIdx.x + 18] > factor * fmaxf(lead, lag) * 0.0625f;
}

// ultrasound: delays of 64 elements to each place, linear between samples
__global__ void beamform(const float *__restrict__ data, const float *__restrict__ element, float *__restrict__ out, int samples, int w, float pitch, float rate) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y * blockDim.y + threadIdx.y;
  float px = (x - w / 2) * pitch, pz = (z + 40) * pitch, s = 0;
  for (int e = 0; e < 64; e++) {
    float dx = px - element[e], t = (pz + sqrtf(dx * dx + pz * pz)) * rate;
    int k = (int)t;
    if (k < samples - 1) {
      const float *p = data + e * samples + k;
      s += p[0] + (t - k) * (p[1] - p[0]);
    }
  }
  out[z * w + x] = s;
}

// soft bits of 64-QAM: the least distance for each of 6 bits
__global__ void demap(const float2 *__restrict__ symbol, float *__restrict__ bit, float inv, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 s = symbol[i];
#pragma unroll
  for (int axis = 0; axis < 2; axis++) {
    float v = axis ? s.y : s.x, zero[3] = {1e30f, 1e30f, 1e30f}, one[3] = {1e30f, 1e30f, 1e30f};
#pragma unroll
    for (int k = 0; k < 8; k++) {
      int gray = k ^ k >> 1;
      float d = v - (2 * k - 7) * 0.15430335f;
      d *= d;
#pragma unroll
      for (int b = 0; b < 3; b++)
        if (gray >> b & 1) one[b] = fminf(one[b], d); else zero[b] = fminf(zero[b], d);
    }
#pragma unroll
    for (int b = 0; b < 3; b++) bit[(size_t)(3 * axis + b) * n + i] = (one[b] - zero[b]) * inv;
  }
}

// checks of a code of low density, by the least and the second least of each row of up to 20 messages
__global__ void checks(const int *__restrict__ begin, const int8_t *__restrict__ in, int8_t *__restrict__ out, int rows, int words) {
  int w = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  int b = begin[r], e = begin[r + 1], least = 127, second = 127, at = -1, sign = 0;
  for (int k = b; k < e; k++) {
    int v = in[(size_t)k * words + w], m = v < 0 ? -v : v;
    sign ^= v < 0;
    if (m < least) { second = least; least = m; at = k; } else if (m < second) second = m;
  }
  for (int k = b; k < e; k++) {
    int v = in[(size_t)k * words + w], m = k == at ? second : least;
    m = m * 3 / 4;
    out[(size_t)k * words + w] = sign ^ (v < 0) ? -m : m;
  }
}
