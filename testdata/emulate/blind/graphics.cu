#include <stdint.h>
// vertices moved by four bones each
__global__ void skin(const float *__restrict__ position, const uint8_t *__restrict__ bones, const float *__restrict__ weights, const float4 *__restrict__ matrices,
                     float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = position[3 * i], y = position[3 * i + 1], z = position[3 * i + 2];
  uchar4 b = ((const uchar4 *)bones)[i];
  float4 w = ((const float4 *)weights)[i];
  int which[4] = {b.x, b.y, b.z, b.w};
  float share[4] = {w.x, w.y, w.z, w.w};
  float ox = 0, oy = 0, oz = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float4 r0 = matrices[3 * which[k]], r1 = matrices[3 * which[k] + 1], r2 = matrices[3 * which[k] + 2];
    ox += share[k] * (r0.x * x + r0.y * y + r0.z * z + r0.w);
    oy += share[k] * (r1.x * x + r1.y * y + r1.z * z + r1.w);
    oz += share[k] * (r2.x * x + r2.y * y + r2.z * z + r2.w);
  }
  out[3 * i] = ox; out[3 * i + 1] = oy; out[3 * i + 2] = oz;
}

// the case of each cube of a grid that a surface cuts, and how many triangles it has
__global__ void cube_index(const float *__restrict__ field, const uint8_t *__restrict__ count, uint8_t *__restrict__ index, uint8_t *__restrict__ triangles, int n, float level) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= n - 1) return;
  const float *f = field + ((size_t)z * n + y) * n + x;
  size_t up = (size_t)n * n;
  int c = (f[0] < level) | (f[1] < level) << 1 | (f[n + 1] < level) << 2 | (f[n] < level) << 3 | (f[up] < level) << 4 | (f[up + 1] < level) << 5 |
          (f[up + n + 1] < level) << 6 | (f[up + n] < level) << 7;
  size_t at = ((size_t)z * (n - 1) + y) * (n - 1) + x;
  index[at] = (uint8_t)c;
  triangles[at] = count[c];
}

// Perlin's noise of four octaves, permutations in shared memory
__device__ __forceinline__ float fade(float t) { return t * t * t * (t * (t * 6.f - 15.f) + 10.f); }
__device__ __forceinline__ float grad(int h, float x, float y, float z) {
  h &= 15;
  float u = h < 8 ? x : y, v = h < 4 ? y : (h == 12 || h == 14 ? x : z);
  return ((h & 1) ? -u : u) + ((h & 2) ? -v : v);
}
__global__ void perlin(const uint8_t *__restrict__ permutation, float *__restrict__ out, int w, float scale) {
  __shared__ uint8_t p[512];
  for (int k = threadIdx.x; k < 512; k += blockDim.x) p[k] = permutation[k & 255];
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float sum = 0, strength = 0.5f, fx = x * scale, fy = y * scale, fz = 0.37f;
  for (int o = 0; o < 4; o++) {
    int X = (int)floorf(fx) & 255, Y = (int)floorf(fy) & 255, Z = (int)floorf(fz) & 255;
    float rx = fx - floorf(fx), ry = fy - floorf(fy), rz = fz - floorf(fz);
    float u = fade(rx), v = fade(ry), t = fade(rz);
    int a = p[X] + Y, aa = p[a & 511] + Z, ab = p[(a + 1) & 511] + Z, b = p[X + 1] + Y, ba = p[b & 511] + Z, bb = p[(b + 1) & 511] + Z;
    float lo0 = grad(p[aa & 511], rx, ry, rz), lo1 = grad(p[ba & 511], rx - 1, ry, rz), lo2 = grad(p[ab & 511], rx, ry - 1, rz), lo3 = grad(p[bb & 511], rx - 1, ry - 1, rz);
    float hi0 = grad(p[(aa + 1) & 511], rx, ry, rz - 1), hi1 = grad(p[(ba + 1) & 511], rx - 1, ry, rz - 1), hi2 = grad(p[(ab + 1) & 511], rx, ry - 1, rz - 1), hi3 = grad(p[(bb + 1) & 511], rx - 1, ry - 1, rz - 1);
    float l0 = lo0 + u * (lo1 - lo0), l1 = lo2 + u * (lo3 - lo2), h0 = hi0 + u * (hi1 - hi0), h1 = hi2 + u * (hi3 - hi2);
    float l = l0 + v * (l1 - l0), h = h0 + v * (h1 - h0);
    sum += strength * (l + t * (h - l));
    strength *= 0.5f; fx *= 2; fy *= 2; fz *= 2;
  }
  out[(size_t)y * w + x] = sum;
}

// rays that march to the surface of repeated spheres on a plane
__device__ __forceinline__ float scene(float x, float y, float z) {
  float rx = x - 4.f * rintf(x * 0.25f), rz = z - 4.f * rintf(z * 0.25f);
  float ball = sqrtf(rx * rx + (y - 1.f) * (y - 1.f) + rz * rz) - 1.f;
  return fminf(ball, y);
}
__global__ void march(float *__restrict__ out, int w, int h) {
  int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y;
  float dx = (2.f * px - w) / h, dy = (h - 2.f * py) / h - 0.3f, dz = 1.5f;
  float r = rsqrtf(dx * dx + dy * dy + dz * dz);
  dx *= r; dy *= r; dz *= r;
  float t = 0;
  int steps = 0;
  for (; steps < 128; steps++) {
    float d = scene(t * dx, 3.f + t * dy, t * dz);
    if (d < 1e-3f || t > 60.f) break;
    t += d;
  }
  out[(size_t)py * w + px] = t + 0.001f * steps;
}

// nine spherical harmonics of a direction, times three colours
__global__ void sh_light(const float *__restrict__ normal, const float *__restrict__ coefficient, float *__restrict__ out, int n) {
  __shared__ float c[27];
  if (threadIdx.x < 27) c[threadIdx.x] = coefficient[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = normal[i], y = normal[n + i], z = normal[2 * n + i];
  float b[9] = {0.282095f, 0.488603f * y, 0.488603f * z, 0.488603f * x, 1.092548f * x * y, 1.092548f * y * z, 0.315392f * (3 * z * z - 1), 1.092548f * x * z, 0.546274f * (x * x - y * y)};
#pragma unroll
  for (int k = 0; k < 3; k++) {
    float s = 0;
#pragma unroll
    for (int j = 0; j < 9; j++) s += b[j] * c[9 * k + j];
    out[k * n + i] = fmaxf(s, 0.f);
  }
}
