#include <stdint.h>
// stresses of an elastic solid on a staggered grid of two dimensions
__global__ void elastic(const float *__restrict__ vx, const float *__restrict__ vz, float *__restrict__ xx, float *__restrict__ zz, float *__restrict__ xz, const float *__restrict__ lambda, const float *__restrict__ mu, int w, int h, float dt) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || z < 2 || x >= w - 2 || z >= h - 2) return;
  int i = z * w + x;
  const float a = 1.125f, b = -1.f / 24;
  float dvx = a * (vx[i] - vx[i - 1]) + b * (vx[i + 1] - vx[i - 2]), dvz = a * (vz[i] - vz[i - w]) + b * (vz[i + w] - vz[i - 2 * w]);
  float dxz = a * (vx[i + w] - vx[i]) + b * (vx[i + 2 * w] - vx[i - w]), dzx = a * (vz[i + 1] - vz[i]) + b * (vz[i + 2] - vz[i - 1]);
  float l = lambda[i], m = mu[i];
  xx[i] += dt * ((l + 2 * m) * dvx + l * dvz);
  zz[i] += dt * ((l + 2 * m) * dvz + l * dvx);
  xz[i] += dt * m * (dxz + dzx);
}

// a crystal that grows: phase and temperature with a direction that is preferred
__global__ void dendrite(const float *__restrict__ phase, const float *__restrict__ heat, float *__restrict__ phase2, float *__restrict__ heat2, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int l = x ? x - 1 : w - 1, r = x + 1 < w ? x + 1 : 0, u = y ? y - 1 : h - 1, d = y + 1 < h ? y + 1 : 0;
  float p = phase[y * w + x], pl = phase[y * w + l], pr = phase[y * w + r], pu = phase[u * w + x], pd = phase[d * w + x];
  float px = 0.5f * (pr - pl), py = 0.5f * (pd - pu), angle = atan2f(py, px);
  float eps = 0.01f * (1 + 0.05f * cosf(6 * angle)), m = 0.9f / 3.1415927f * atanf(10 * (1 - heat[y * w + x]));
  float lap = pl + pr + pu + pd - 4 * p, corners = phase[u * w + l] + phase[u * w + r] + phase[d * w + l] + phase[d * w + r] - 4 * p;
  float full = (2.f / 3) * lap + (1.f / 6) * corners;
  float step = 0.3333f * (eps * eps * full * 1111.f + p * (1 - p) * (p - 0.5f + m));
  phase2[y * w + x] = p + step;
  float t = heat[y * w + x];
  heat2[y * w + x] = t + 0.1f * (heat[y * w + l] + heat[y * w + r] + heat[u * w + x] + heat[d * w + x] - 4 * t) + 1.8f * step;
}

// a level set becomes a distance again: one step of Godunov's scheme in three dimensions
__global__ void reinit(const float *__restrict__ in, const float *__restrict__ begin, float *__restrict__ out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  int i = (z * n + y) * n + x;
  float c = in[i], s = begin[i];
  float a = c - in[i - 1], b = in[i + 1] - c, e = c - in[i - n], f = in[i + n] - c, g = c - in[i - n * n], h = in[i + n * n] - c;
  if (s < 0) { float t; t = a; a = -b; b = -t; t = e; e = -f; f = -t; t = g; g = -h; h = -t; }
  a = fmaxf(a, 0.f); b = fminf(b, 0.f); e = fmaxf(e, 0.f); f = fminf(f, 0.f); g = fmaxf(g, 0.f); h = fminf(h, 0.f);
  float size = sqrtf(fmaxf(a * a, b * b) + fmaxf(e * e, f * f) + fmaxf(g * g, h * h));
  out[i] = c - 0.3f * s * rsqrtf(s * s + 1) * (size - 1);
}

// a residual on a fine grid is weighed to a coarse one, half as wide in each of three dimensions
__global__ void restrict_full(const float *__restrict__ fine, float *__restrict__ coarse, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z, m = 2 * n;
  float s = 0;
#pragma unroll
  for (int k = -1; k <= 1; k++)
#pragma unroll
    for (int j = -1; j <= 1; j++)
#pragma unroll
      for (int i = -1; i <= 1; i++) {
        int fx = min(max(2 * x + i, 0), m - 1), fy = min(max(2 * y + j, 0), m - 1), fz = min(max(2 * z + k, 0), m - 1);
        s += (float)(1 << (3 - abs(i) - abs(j) - abs(k))) / 64 * fine[((size_t)fz * m + fy) * m + fx];
      }
  coarse[((size_t)z * n + y) * n + x] = s;
}

// sums over waves for charges: structure factors after Ewald, a block for each wave
__global__ void ewald(const float4 *__restrict__ charge, const float *__restrict__ wave, float2 *__restrict__ out, int n) {
  __shared__ float a[8], b[8];
  int k = blockIdx.x;
  float kx = wave[3 * k], ky = wave[3 * k + 1], kz = wave[3 * k + 2], c = 0, s = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    float4 q = charge[i];
    float sn, cs;
    sincosf(kx * q.x + ky * q.y + kz * q.z, &sn, &cs);
    c += q.w * cs;
    s += q.w * sn;
  }
  for (int d = 16; d; d >>= 1) { c += __shfl_down_sync(~0u, c, d); s += __shfl_down_sync(~0u, s, d); }
  if ((threadIdx.x & 31) == 0) { a[threadIdx.x / 32] = c; b[threadIdx.x / 32] = s; }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) { c += a[w]; s += b[w]; }
    out[k] = make_float2(c, s);
  }
}

// distances of all pairs as a histogram in shared memory
__global__ void rdf(const float *__restrict__ place, unsigned *__restrict__ bins, float size, int n) {
  __shared__ unsigned count[256];
  __shared__ float s[3][128];
  for (int k = threadIdx.x; k < 256; k += 128) count[k] = 0;
  int i = blockIdx.x * 128 + threadIdx.x;
  float x = place[i], y = place[n + i], z = place[2 * n + i];
  for (int j = blockIdx.y * 1024; j < blockIdx.y * 1024 + 1024; j += 128) {
    __syncthreads();
    for (int d = 0; d < 3; d++) s[d][threadIdx.x] = place[d * n + j + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; k++) {
      float dx = x - s[0][k], dy = y - s[1][k], dz = z - s[2][k];
      dx -= size * rintf(dx / size); dy -= size * rintf(dy / size); dz -= size * rintf(dz / size);
      float r = sqrtf(dx * dx + dy * dy + dz * dz);
      int b = (int)(r * (512 / size));
      if (b < 256) atomicAdd(&count[b], 1u);
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += 128) atomicAdd(&bins[k], count[k]);
}
