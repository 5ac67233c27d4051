#include <stdint.h>
// light on slopes of a map, from eight neighbours as Horn has it
__global__ void hillshade(const short *__restrict__ height, uint8_t *__restrict__ out, int w, int h, float scale, float zenith, float azimuth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  const short *p = height + (size_t)y * w + x;
  int a = p[-w - 1], b = p[-w], c = p[-w + 1], d = p[-1], f = p[1], g = p[w - 1], i = p[w], j = p[w + 1];
  float dx = (c + 2 * f + j - a - 2 * d - g) * scale, dy = (g + 2 * i + j - a - 2 * b - c) * scale;
  float slope = atanf(sqrtf(dx * dx + dy * dy)), aspect = atan2f(dy, -dx);
  float s = cosf(zenith) * cosf(slope) + sinf(zenith) * sinf(slope) * cosf(azimuth - aspect);
  out[(size_t)y * w + x] = (uint8_t)(255.f * fmaxf(s, 0.f));
}

// the neighbour to which water flows
__global__ void flow_direction(const float *__restrict__ height, uint8_t *__restrict__ out, int w, int h) {
  __shared__ float t[18][34];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 18 * 34; k += 512) {
    int x = x0 + k % 34 - 1, y = y0 + k / 34 - 1;
    t[k / 34][k % 34] = x >= 0 && y >= 0 && x < w && y < h ? height[y * w + x] : 1e30f;
  }
  __syncthreads();
  float c = t[threadIdx.y + 1][threadIdx.x + 1], steepest = 0;
  int best = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    const int dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    float drop = (c - t[threadIdx.y + 1 + dy[k]][threadIdx.x + 1 + dx[k]]) * (k & 1 ? 0.70710678f : 1.f);
    if (drop > steepest) { steepest = drop; best = 1 << k; }
  }
  out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = best;
}

// one step of flooding by jumps: the nearest seed of nine places
__global__ void jump_flood(const int *__restrict__ in, int *__restrict__ out, int w, int h, int step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, best = -1, least = 0x7fffffff;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int px = x + dx * step, py = y + dy * step;
      if (px < 0 || py < 0 || px >= w || py >= h) continue;
      int s = in[py * w + px];
      if (s < 0) continue;
      int ex = (s & 0xffff) - x, ey = (s >> 16) - y, d = ex * ex + ey * ey;
      if (d < least) { least = d; best = s; }
    }
  out[y * w + x] = best;
}

// distances on the sphere from each place to the nearest of a few hundred towns, in double precision
__global__ void haversine(const double *__restrict__ place, const double *__restrict__ town, double *__restrict__ out, int towns, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double la = place[i], lo = place[n + i], ca = cos(la), best = 1e300;
  for (int k = 0; k < towns; k++) {
    double sa = sin(0.5 * (town[3 * k] - la)), so = sin(0.5 * (town[3 * k + 1] - lo));
    best = fmin(best, sa * sa + ca * town[3 * k + 2] * so * so);
  }
  out[i] = 12742.0 * asin(sqrt(best));
}
