// Clusters, neighbours, spheres.

// The nearest of K centres in three dimensions, and their sums, in shared memory.
__global__ void assign(const float *__restrict__ p, const float *__restrict__ centre, int *out, float *sum, int n, int k) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < 4 * k; i += blockDim.x) s[i] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = p[i], y = p[n + i], z = p[2 * n + i], least = 1e30f;
    int best = 0;
    for (int c = 0; c < k; c++) {
      float dx = x - __ldg(&centre[3 * c]), dy = y - __ldg(&centre[3 * c + 1]), dz = z - __ldg(&centre[3 * c + 2]), d = dx * dx + dy * dy + dz * dz;
      if (d < least) least = d, best = c;
    }
    out[i] = best;
    best = i % k;
    atomicAdd(&s[4 * best], x);
    atomicAdd(&s[4 * best + 1], y);
    atomicAdd(&s[4 * best + 2], z);
    atomicAdd(&s[4 * best + 3], 1.f);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * k; i += blockDim.x) atomicAdd(&sum[i], s[i]);
}

// Forces of particles in a list of 32 neighbours.
__global__ void forces(const float4 *__restrict__ p, const unsigned *__restrict__ list, float4 *f, int n, int near) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 own = p[i], a = {0, 0, 0, 0};
  for (int k = 0; k < 32; k++) {
    float4 q = p[(i + list[k * n + i] % near) % n];
    float dx = own.x - q.x, dy = own.y - q.y, dz = own.z - q.z, r = 1 / (dx * dx + dy * dy + dz * dz + 0.01f), r3 = r * r * r, g = r3 * (r3 - 0.5f) * r;
    a.x += g * dx;
    a.y += g * dy;
    a.z += g * dz;
  }
  f[i] = a;
}

// A picture of spheres, by rays along an axis; no branch depends on what is read.
__global__ void spheres(const float4 *__restrict__ sphere, float *y, int w, int count, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  float u = i * scale, v = j * scale, deep = 1e9f;
  for (int k = 0; k < count; k++) {
    float4 s = sphere[k];
    float dx = u - s.x, dy = v - s.y, d = s.w * s.w - dx * dx - dy * dy;
    deep = fminf(deep, d > 0 ? s.z - sqrtf(d) : 1e9f);
  }
  y[j * w + i] = deep;
}

// A volume, along rays, with the value between eight points each.
__global__ void volume(const float *__restrict__ x, float *y, int n, int steps, float slope) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0, left = 1;
  for (int k = 0; k < steps; k++) {
    float u = fminf(i + k * slope, n - 2.f), v = j * 0.99f, z = k * (n - 2.f) / steps;
    int a = (int)u, b = (int)v, c = (int)z;
    float fu = u - a, fv = v - b, fz = z - c;
    const float *p = x + ((size_t)c * n + b) * n + a, *q = p + n * n;
    float low = (1 - fv) * ((1 - fu) * p[0] + fu * p[1]) + fv * ((1 - fu) * p[n] + fu * p[n + 1]);
    float high = (1 - fv) * ((1 - fu) * q[0] + fu * q[1]) + fv * ((1 - fu) * q[n] + fu * q[n + 1]);
    float t = 0.01f * ((1 - fz) * low + fz * high);
    sum += left * t;
    left *= 1 - t;
  }
  y[j * n + i] = sum;
}
