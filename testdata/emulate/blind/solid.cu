#include <stdint.h>
// depth pictures into a volume of signed distances: a thread goes along a column of voxels
__global__ void tsdf(const float *__restrict__ depth, float2 *__restrict__ volume, const float *__restrict__ pose, int n, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float size = 4.f / n, px = (x + 0.5f) * size - 2, py = (y + 0.5f) * size - 2, pz = 0.5f * size;
  float cx = pose[0] * px + pose[1] * py + pose[2] * pz + pose[3], cy = pose[4] * px + pose[5] * py + pose[6] * pz + pose[7], cz = pose[8] * px + pose[9] * py + pose[10] * pz + pose[11];
  float sx = pose[2] * size, sy = pose[6] * size, sz = pose[10] * size;
  for (int z = 0; z < n; z++, cx += sx, cy += sy, cz += sz) {
    if (cz <= 0.1f) continue;
    int u = __float2int_rn(525.f * cx / cz + 0.5f * w), v = __float2int_rn(525.f * cy / cz + 0.5f * h);
    if (u < 0 || v < 0 || u >= w || v >= h) continue;
    float d = depth[v * w + u] * 3 - cz;
    if (d < -0.1f) continue;
    size_t at = ((size_t)z * n + y) * n + x;
    float2 o = volume[at];
    float t = fminf(1.f, d * 10);
    o.x = (o.x * o.y + t) / (o.y + 1);
    o.y = fminf(o.y + 1, 64.f);
    volume[at] = o;
  }
}

// rays that go as far as the distance to a scene of balls and a plane says
__global__ void sphere_trace(const float4 *__restrict__ ball, float *__restrict__ out, int balls, int w, int h) {
  __shared__ float4 s[32];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, t = threadIdx.y * 16 + threadIdx.x;
  if (t < balls) s[t] = ball[t];
  __syncthreads();
  float dx = (x - 0.5f * w) / h, dy = (y - 0.5f * h) / h, dz = 1, n = rsqrtf(dx * dx + dy * dy + dz * dz), far = 0;
  dx *= n; dy *= n; dz *= n;
  int k = 0;
  for (; k < 96 && far < 40; k++) {
    float px = far * dx, py = far * dy, pz = far * dz, d = py + 1.5f;
    for (int b = 0; b < balls; b++) {
      float ex = px - s[b].x, ey = py - s[b].y, ez = pz - s[b].z;
      d = fminf(d, sqrtf(ex * ex + ey * ey + ez * ez) - s[b].w);
    }
    if (d < 1e-3f) break;
    far += d;
  }
  out[y * w + x] = far < 40 ? 1 / (1 + far) + 0.001f * k : 0;
}

// the distance of points to a mesh: triangles by tiles of 128 in shared memory
__global__ void mesh_distance(const float *__restrict__ point, const float *__restrict__ triangle, float *__restrict__ out, int points, int triangles) {
  __shared__ float s[128 * 9];
  int i = blockIdx.x * 128 + threadIdx.x;
  float px = point[3 * i], py = point[3 * i + 1], pz = point[3 * i + 2], best = 1e30f;
  for (int t0 = 0; t0 < triangles; t0 += 128) {
    __syncthreads();
    for (int k = threadIdx.x; k < 128 * 9; k += 128) s[k] = triangle[t0 * 9 + k];
    __syncthreads();
    for (int t = 0; t < 128; t++) {
      const float *q = s + 9 * t;
      float ax = q[0], ay = q[1], az = q[2], bx = q[3] - ax, by = q[4] - ay, bz = q[5] - az, cx = q[6] - ax, cy = q[7] - ay, cz = q[8] - az;
      float vx = px - ax, vy = py - ay, vz = pz - az;
      float bb = bx * bx + by * by + bz * bz, bc = bx * cx + by * cy + bz * cz, cc = cx * cx + cy * cy + cz * cz;
      float vb = vx * bx + vy * by + vz * bz, vc = vx * cx + vy * cy + vz * cz, det = bb * cc - bc * bc;
      float u = (cc * vb - bc * vc) / det, v = (bb * vc - bc * vb) / det;
      u = fminf(fmaxf(u, 0.f), 1.f);
      v = fminf(fmaxf(v, 0.f), 1 - u);
      float dx = vx - u * bx - v * cx, dy = vy - u * by - v * cy, dz = vz - u * bz - v * cz;
      best = fminf(best, dx * dx + dy * dy + dz * dz);
    }
  }
  out[i] = sqrtf(best);
}

// the sums of a step of point to plane registration: 27 of them, a block's in shared memory
__global__ void icp_sums(const float *__restrict__ from, const float *__restrict__ to, const float *__restrict__ normal, float *__restrict__ out, int n) {
  __shared__ float s[8][27];
  float sum[27];
#pragma unroll
  for (int k = 0; k < 27; k++) sum[k] = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float x = from[i], y = from[n + i], z = from[2 * n + i], nx = normal[i], ny = normal[n + i], nz = normal[2 * n + i];
    float r = (to[i] - x) * nx + (to[n + i] - y) * ny + (to[2 * n + i] - z) * nz;
    float j[6] = {y * nz - z * ny, z * nx - x * nz, x * ny - y * nx, nx, ny, nz};
    int k = 0;
#pragma unroll
    for (int a = 0; a < 6; a++) {
#pragma unroll
      for (int b = a; b < 6; b++) sum[k++] += j[a] * j[b];
      sum[21 + a] += j[a] * r;
    }
  }
#pragma unroll
  for (int k = 0; k < 27; k++) {
    for (int d = 16; d; d >>= 1) sum[k] += __shfl_down_sync(~0u, sum[k], d);
    if ((threadIdx.x & 31) == 0) s[threadIdx.x / 32][k] = sum[k];
  }
  __syncthreads();
  if (threadIdx.x < 27) {
    float t = 0;
    for (int k = 0; k < 8; k++) t += s[k][threadIdx.x];
    atomicAdd(out + threadIdx.x, t);
  }
}

// constraints of a cloth of one colour: no two have a particle in common
__global__ void cloth(float4 *__restrict__ place, const int2 *__restrict__ link, const float *__restrict__ rest, float stiff, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int2 l = link[i];
  float4 a = place[l.x], b = place[l.y];
  float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z, d = sqrtf(dx * dx + dy * dy + dz * dz), w = a.w + b.w;
  if (w > 0 && d > 0) {
    float s = stiff * (d - rest[i]) / (d * w);
    a.x += a.w * s * dx; a.y += a.w * s * dy; a.z += a.w * s * dz;
    b.x -= b.w * s * dx; b.y -= b.w * s * dy; b.z -= b.w * s * dz;
    place[l.x] = a;
    place[l.y] = b;
  }
}
