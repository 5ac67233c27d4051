struct su3 { float2 e[3][3]; };
__device__ float2 mul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ su3 load(const float2 *u, size_t site, size_t volume) {
  su3 m;
#pragma unroll
  for (int i = 0; i < 9; i++) m.e[i / 3][i % 3] = u[i * volume + site];
  return m;
}
__device__ su3 product(const su3 &a, const su3 &b) {
  su3 r;
#pragma unroll
  for (int i = 0; i < 3; i++)
#pragma unroll
    for (int j = 0; j < 3; j++) {
      float2 s = make_float2(0, 0);
#pragma unroll
      for (int k = 0; k < 3; k++) { float2 t = mul(a.e[i][k], b.e[k][j]); s.x += t.x; s.y += t.y; }
      r.e[i][j] = s;
    }
  return r;
}

// traces of the smallest loops of a gauge field in one plane of four dimensions
__global__ void plaquette(const float2 *__restrict__ u, float *__restrict__ trace, int side, int volume) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= volume) return;
  int x = s % side, y = s / side % side, ahead = x + 1 < side ? s + 1 : s + 1 - side, above = y + 1 < side ? s + side : s + side - side * side;
  su3 p = product(load(u, s, volume), load(u + 9 * (size_t)volume, ahead, volume));
  su3 q = product(load(u + 9 * (size_t)volume, s, volume), load(u, above, volume));
  float t = 0;
#pragma unroll
  for (int i = 0; i < 3; i++)
#pragma unroll
    for (int k = 0; k < 3; k++) t += p.e[i][k].x * q.e[i][k].x + p.e[i][k].y * q.e[i][k].y;
  trace[s] = t / 3.f;
}

// oscillators that all pull at one another by the sines of their differences
__global__ void kuramoto(const float *__restrict__ phase, const float *__restrict__ own, float *__restrict__ next, int n, float pull, float dt) {
  __shared__ float other[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float here = phase[i], sum = 0;
  for (int tile = 0; tile < n; tile += 256) {
    other[threadIdx.x] = phase[tile + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; k++) sum += __sinf(other[k] - here);
    __syncthreads();
  }
  next[i] = here + dt * (own[i] + pull / n * sum);
}

// water molecules after a step: bonds brought back to their lengths, three sweeps
__global__ void rigid_water(const float4 *__restrict__ before, float4 *__restrict__ after, int molecules) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= molecules) return;
  float4 o = after[3 * m], h = after[3 * m + 1], g = after[3 * m + 2], o0 = before[3 * m], h0 = before[3 * m + 1], g0 = before[3 * m + 2];
  const float mo = 1.f / 16.f, mh = 1.f;
  float length[3] = {1.f, 1.f, 2.67f};
  for (int sweep = 0; sweep < 3; sweep++) {
    float dx = o.x - h.x, dy = o.y - h.y, dz = o.z - h.z, rx = o0.x - h0.x, ry = o0.y - h0.y, rz = o0.z - h0.z + 0.5f;
    float l = (dx * dx + dy * dy + dz * dz - length[0]) / (2.f * (mo + mh) * (dx * rx + dy * ry + dz * rz + 1e-6f));
    o.x -= mo * l * rx; o.y -= mo * l * ry; o.z -= mo * l * rz; h.x += mh * l * rx; h.y += mh * l * ry; h.z += mh * l * rz;
    dx = o.x - g.x; dy = o.y - g.y; dz = o.z - g.z; rx = o0.x - g0.x; ry = o0.y - g0.y; rz = o0.z - g0.z + 0.5f;
    l = (dx * dx + dy * dy + dz * dz - length[1]) / (2.f * (mo + mh) * (dx * rx + dy * ry + dz * rz + 1e-6f));
    o.x -= mo * l * rx; o.y -= mo * l * ry; o.z -= mo * l * rz; g.x += mh * l * rx; g.y += mh * l * ry; g.z += mh * l * rz;
    dx = h.x - g.x; dy = h.y - g.y; dz = h.z - g.z; rx = h0.x - g0.x; ry = h0.y - g0.y; rz = h0.z - g0.z + 0.5f;
    l = (dx * dx + dy * dy + dz * dz - length[2]) / (2.f * (mh + mh) * (dx * rx + dy * ry + dz * rz + 1e-6f));
    h.x -= mh * l * rx; h.y -= mh * l * ry; h.z -= mh * l * rz; g.x += mh * l * rx; g.y += mh * l * ry; g.z += mh * l * rz;
  }
  after[3 * m] = o; after[3 * m + 1] = h; after[3 * m + 2] = g;
}

// lengths of rays through the cells of a volume, cell by cell to the nearest wall
__global__ void voxel_rays(const float *__restrict__ volume, float *__restrict__ sum, int n, int rays) {
  int r = blockIdx.x * blockDim.x + threadIdx.x, view = blockIdx.y;
  if (r >= rays) return;
  float angle = view * 0.0123f, dx = cosf(angle), dy = sinf(angle), dz = 0.1f, half = 0.5f * n, away = (r % 256 - 128) * (n / 256.f) * 0.5f;
  float px = half - dy * away - dx * half * 0.9f, py = half + dx * away - dy * half * 0.9f, pz = half + (r / 256) * 0.5f;
  int x = (int)px, y = (int)py, z = (int)pz, sx = dx > 0 ? 1 : -1, sy = dy > 0 ? 1 : -1;
  float ix = 1.f / fmaxf(fabsf(dx), 1e-6f), iy = 1.f / fmaxf(fabsf(dy), 1e-6f), iz = 1.f / dz;
  float tx = (dx > 0 ? x + 1 - px : px - x) * ix, ty = (dy > 0 ? y + 1 - py : py - y) * iy, tz = (z + 1 - pz) * iz, t = 0, total = 0;
  while (x >= 0 && y >= 0 && x < n && y < n && z < n) {
    float v = volume[((size_t)z * n + y) * n + x], end;
    if (tx < ty && tx < tz) { end = tx; x += sx; tx += ix; } else if (ty < tz) { end = ty; y += sy; ty += iy; } else { end = tz; z++; tz += iz; }
    total += (end - t) * v;
    t = end;
  }
  sum[view * rays + r] = total;
}

// measured frequencies spread over a grid by a kernel of Kaiser and Bessel, 4 by 4 cells each
__global__ void to_frequencies(const float2 *__restrict__ sample, float2 *__restrict__ grid, int spokes, int along, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, spoke = i / along, k = i % along;
  if (spoke >= spokes) return;
  float s, c;
  sincosf(spoke * 1.9416f, &s, &c);
  float radius = (k - along / 2) * (0.8f * n / along), x = 0.5f * n + radius * c, y = 0.5f * n + radius * s;
  float2 v = sample[i];
  float density = fabsf(radius) + 0.25f;
  int x0 = (int)floorf(x) - 1, y0 = (int)floorf(y) - 1;
  for (int b = 0; b < 4; b++) {
    float ry = (y - y0 - b) * 0.5f, wy = expf(7.f * sqrtf(fmaxf(1.f - ry * ry, 0.f)) - 7.f) * density;
    for (int a = 0; a < 4; a++) {
      float rx = (x - x0 - a) * 0.5f, wxy = wy * expf(7.f * sqrtf(fmaxf(1.f - rx * rx, 0.f)) - 7.f);
      float *to = (float *)&grid[(y0 + b) * n + x0 + a];
      atomicAdd(to, v.x * wxy);
      atomicAdd(to + 1, v.y * wxy);
    }
  }
}

// pressure and speed of sound from a table of states, bicubic in logarithms
__global__ void state_table(const float *__restrict__ density, const float *__restrict__ energy, const float4 *__restrict__ table, float *__restrict__ pressure, float *__restrict__ sound, int n, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float u = (log10f(density[i]) + 0.5f) * 100.f, v = (log10f(energy[i]) + 0.5f) * 100.f;
  int iu = (int)u, iv = (int)v;
  u -= iu; v -= iv;
  float wu[4] = {(1 - u) * (1 - u) * (1 + 2 * u), u * u * (3 - 2 * u), u * (1 - u) * (1 - u), u * u * (u - 1)};
  float wv[4] = {(1 - v) * (1 - v) * (1 + 2 * v), v * v * (3 - 2 * v), v * (1 - v) * (1 - v), v * v * (v - 1)};
  float p = 0, dp = 0;
  for (int b = 0; b < 2; b++)
    for (int a = 0; a < 2; a++) {
      float4 t = table[(iv + b) * columns + iu + a];
      p += wu[a] * (wv[b] * t.x + wv[b + 2] * t.z) + wu[a + 2] * (wv[b] * t.y + wv[b + 2] * t.w);
      dp += t.y * wv[b];
    }
  pressure[i] = exp10f(p);
  sound[i] = sqrtf(fabsf(dp) * exp10f(p) / density[i]);
}
