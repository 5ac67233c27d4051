// Particles by lists and cells. Lists are bits of random numbers; a power of two particles.

struct Parameters { float sigma2, epsilon, cut2; };

// Forces of Lennard and Jones from a list of neighbours, column by column.
__global__ void pairs(const float4 *__restrict__ position, const int *__restrict__ list, float4 *__restrict__ force, int n, int most, Parameters p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = position[i], f = make_float4(0, 0, 0, 0);
  for (int k = 0; k < most; k++) {
    // neighbours are near in memory, too
    int j = (i + (list[k * n + i] >> 3 & 1023) - 512) & (n - 1);
    float4 b = position[j];
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < p.cut2) {
      float inverse = 1.0f / (r2 + 0.01f), s6 = inverse * inverse * inverse * p.sigma2, scale = inverse * s6 * (s6 - 0.5f) * p.epsilon;
      f.x += dx * scale, f.y += dy * scale, f.z += dz * scale, f.w += s6;
    }
  }
  force[i] = f;
}

// A box of particles for each block, with those of its neighbours in shared memory, as arrays of structures.
struct Box { int number; int neighbours[26]; };
__global__ void boxes(const Box *__restrict__ box, const float4 *__restrict__ position, const float *__restrict__ charge, float4 *__restrict__ force, int near, float alpha) {
  __shared__ float4 other[100];
  __shared__ float q[100];
  int b = blockIdx.x, t = threadIdx.x;
  float4 a = make_float4(0, 0, 0, 0), f = a;
  if (t < 100) a = position[b * 100 + t];
  for (int k = 0; k <= near; k++) {
    int from = k == 0 ? b : (b + box[b].neighbours[k - 1] * (k % 2 ? 1 : 3)) % gridDim.x;
    if (t < 100) other[t] = position[from * 100 + t], q[t] = charge[from * 100 + t];
    __syncthreads();
    if (t < 100)
      for (int j = 0; j < 100; j++) {
        float4 o = other[j];
        float u = alpha * (a.w + o.w - (a.x * o.x + a.y * o.y + a.z * o.z)), v = expf(-u), s = 2 * v;
        f.w += q[j] * v;
        f.x += q[j] * s * (a.x - o.x), f.y += q[j] * s * (a.y - o.y), f.z += q[j] * s * (a.z - o.z);
      }
    __syncthreads();
  }
  if (t < 100) force[b * 100 + t] = f;
}

// Bonds: what two particles do to one another, added to both.
__global__ void bonds(const int2 *__restrict__ bond, const float4 *__restrict__ position, float *force, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int2 b = bond[i];
  int first = i & (n - 1), second = (i + 1 + (b.y >> 2 & 31)) & (n - 1);
  float4 p = position[first], q = position[second];
  float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, r = sqrtf(dx * dx + dy * dy + dz * dz + 1e-4f), s = 100 * (r - 0.5f) / r;
  atomicAdd(&force[3 * first], s * dx), atomicAdd(&force[3 * first + 1], s * dy), atomicAdd(&force[3 * first + 2], s * dz);
  atomicAdd(&force[3 * second], -s * dx), atomicAdd(&force[3 * second + 1], -s * dy), atomicAdd(&force[3 * second + 2], -s * dz);
}

// Steps of Verlet for structures of 36 bytes.
struct Particle { float x[3], v[3], f[3]; };
__global__ void verlet(Particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 3; k++) {
    p[i].v[k] += dt * p[i].f[k];
    p[i].x[k] += dt * p[i].v[k];
  }
}

// The cell of each, and its place there.
__global__ void cells(const float4 *__restrict__ position, int *count, int2 *__restrict__ place, int n, float scale, int side) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = position[i];
  int x = (int)(p.x * scale) % side, y = (int)(p.y * scale) % side, z = (int)(p.z * scale) % side, c = (z * side + y) * side + x;
  place[i] = make_int2(c, atomicAdd(count + c, 1));
}

// Forces along all bonds of a cloth of springs.
__global__ void springs(const float3 *__restrict__ x, const float3 *__restrict__ v, float3 *__restrict__ to, int w, int h, float k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= w || j >= h) return;
  float3 p = x[j * w + i], s = v[j * w + i], f = make_float3(0, -9.81f, 0);
  for (int b = -1; b <= 1; b++)
    for (int a = -1; a <= 1; a++) {
      if (a == 0 && b == 0 || i + a < 0 || i + a >= w || j + b < 0 || j + b >= h) continue;
      float3 q = x[(j + b) * w + i + a];
      float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, l = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), m = k * (1 - l);
      f.x += m * dx, f.y += m * dy, f.z += m * dz;
    }
  to[j * w + i] = make_float3(p.x + 0.01f * (s.x + 0.01f * f.x), p.y + 0.01f * (s.y + 0.01f * f.y), p.z + 0.01f * (s.z + 0.01f * f.z));
}
