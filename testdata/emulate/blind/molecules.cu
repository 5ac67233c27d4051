#include <stdint.h>
// the largest Tanimoto similarity of each query to fingerprints of 1024 bits in shared memory by turns
__global__ void tanimoto(const uint4 *__restrict__ query, const uint4 *__restrict__ base, const int *__restrict__ bits, float *__restrict__ best, int n, int m) {
  __shared__ uint4 tile[32][8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 q[8];
  int mine = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    q[k] = query[(size_t)k * n + i];
    mine += __popc(q[k].x) + __popc(q[k].y) + __popc(q[k].z) + __popc(q[k].w);
  }
  float top = 0;
  for (int b = 0; b < m; b += 32) {
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) tile[k / 8][k % 8] = base[(size_t)b * 8 + k];
    __syncthreads();
    for (int r = 0; r < 32; r++) {
      int both = 0;
#pragma unroll
      for (int k = 0; k < 8; k++) {
        uint4 v = tile[r][k];
        both += __popc(q[k].x & v.x) + __popc(q[k].y & v.y) + __popc(q[k].z & v.z) + __popc(q[k].w & v.w);
      }
      top = fmaxf(top, __fdividef((float)both, (float)(mine + bits[b + r] - both)));
    }
  }
  best[i] = top;
}

// energies and forces of dihedral angles of four atoms each
__global__ void dihedrals(const float4 *__restrict__ place, const int4 *__restrict__ atom, const float2 *__restrict__ kind, float *__restrict__ force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int4 a = atom[i];
  float4 p = place[a.x], q = place[a.y], r = place[a.z], s = place[a.w];
  float fx = p.x - q.x, fy = p.y - q.y, fz = p.z - q.z, gx = q.x - r.x, gy = q.y - r.y, gz = q.z - r.z, hx = s.x - r.x, hy = s.y - r.y, hz = s.z - r.z;
  float ax = fy * gz - fz * gy, ay = fz * gx - fx * gz, az = fx * gy - fy * gx;
  float bx = hy * gz - hz * gy, by = hz * gx - hx * gz, bz = hx * gy - hy * gx;
  float rg = rsqrtf(gx * gx + gy * gy + gz * gz), ra = 1.f / (ax * ax + ay * ay + az * az), rb = 1.f / (bx * bx + by * by + bz * bz);
  float c = (ax * bx + ay * by + az * bz) * sqrtf(ra * rb), sn = rg * sqrtf(ra * rb) * (ax * hx + ay * hy + az * hz) / (rg * rg);
  float phi = atan2f(sn, c);
  float2 k = kind[i & 15];
  float df = -3.f * k.x * sinf(3.f * phi - k.y), gl = 1.f / rg;
  float u = df * gl * ra, v = df * gl * rb;
  atomicAdd(&force[4 * a.x], -u * ax); atomicAdd(&force[4 * a.x + 1], -u * ay); atomicAdd(&force[4 * a.x + 2], -u * az);
  atomicAdd(&force[4 * a.w], v * bx); atomicAdd(&force[4 * a.w + 1], v * by); atomicAdd(&force[4 * a.w + 2], v * bz);
}

// integrals of two electrons over spherical Gaussians of a shell: Boys' function by its series or far away by its limit
__global__ void two_electrons(const float4 *__restrict__ left, const float4 *__restrict__ right, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  float4 a = left[i], b = right[j];
  float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, t = a.w * b.w / (a.w + b.w) * (dx * dx + dy * dy + dz * dz), f;
  if (t > 14.f) f = 0.88622692545f * rsqrtf(t);
  else {
    float term = 1.f, s = 1.f, d = 3.f;
    while (term > 1e-7f * s) { term *= 2.f * t / d; s += term; d += 2.f; }
    f = expf(-t) * s;
  }
  out[(size_t)j * n + i] = 34.986836655f * f * rsqrtf(a.w + b.w) / (a.w * b.w);
}
