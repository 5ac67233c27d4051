// a gas on a lattice of 19 velocities: pull, collide, one time of relaxation
__global__ void lattice19(const float *__restrict__ f, float *__restrict__ g, int nx, int ny, int nz, float omega) {
  const int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
  const int cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
  const int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z, n = nx * ny * nz;
  float v[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int k = 0; k < 19; k++) {
    int xx = (x - cx[k] + nx) % nx, yy = (y - cy[k] + ny) % ny, zz = (z - cz[k] + nz) % nz;
    v[k] = f[(size_t)k * n + (zz * ny + yy) * nx + xx];
    rho += v[k]; ux += cx[k] * v[k]; uy += cy[k] * v[k]; uz += cz[k] * v[k];
  }
  float inv = 1.f / rho;
  ux *= inv; uy *= inv; uz *= inv;
  float u2 = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int k = 0; k < 19; k++) {
    float w = k == 0 ? 1.f / 3 : k < 7 ? 1.f / 18 : 1.f / 36, cu = 3.f * (cx[k] * ux + cy[k] * uy + cz[k] * uz);
    g[(size_t)k * n + (z * ny + y) * nx + x] = v[k] + omega * (w * rho * (1.f + cu + 0.5f * cu * cu - u2) - v[k]);
  }
}

// charges of particles to the eight nodes around each; particles are in order of cells
__global__ void deposit(const float4 *__restrict__ p, float *__restrict__ rho, int n, int side) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 q = p[i];
  int x = (int)q.x, y = (int)q.y, z = (int)q.z;
  float fx = q.x - x, fy = q.y - y, fz = q.z - z;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float w = (k & 1 ? fx : 1.f - fx) * (k & 2 ? fy : 1.f - fy) * (k & 4 ? fz : 1.f - fz);
    atomicAdd(&rho[((z + (k >> 2)) * side + y + (k >> 1 & 1)) * side + x + (k & 1)], w * q.w);
  }
}

// photons through layers of tissue: steps by chance until absorbed
__global__ void photons(float *__restrict__ absorbed, int n, float mua, float mus, float g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = i * 747796405u + 2891336453u;
  float x = 0, y = 0, z = 0, ux = 0, uy = 0, uz = 1, w = 1, mut = mua + mus;
  for (int k = 0; k < 1000; k++) {
    s = s * 1664525u + 1013904223u;
    float step = -__logf(((s >> 8) + 1) * (1.f / 16777217.f)) / mut;
    x += ux * step; y += uy * step; z += uz * step;
    if (z < 0.f) break;
    float dw = w * mua / mut;
    w -= dw;
    int cell = min((int)(sqrtf(x * x + y * y) * 20.f), 63) + 64 * min((int)(z * 20.f), 63);
    atomicAdd(&absorbed[cell], dw);
    s = s * 1664525u + 1013904223u;
    float u = (s >> 8) * (1.f / 16777216.f), t = (1.f - g * g) / (1.f - g + 2.f * g * u), c = (1.f + g * g - t * t) / (2.f * g), sn = sqrtf(fmaxf(0.f, 1.f - c * c)), sp, cp;
    s = s * 1664525u + 1013904223u;
    __sincosf((s >> 8) * (6.2831853f / 16777216.f), &sp, &cp);
    if (fabsf(uz) > 0.9999f) { ux = sn * cp; uy = sn * sp; uz = c * (uz > 0 ? 1.f : -1.f); }
    else {
      float r = sqrtf(1.f - uz * uz), a = sn * (ux * uz * cp - uy * sp) / r + ux * c, b = sn * (uy * uz * cp + ux * sp) / r + uy * c;
      uz = -sn * cp * r + uz * c; ux = a; uy = b;
    }
    if (w < 1e-3f) {
      s = s * 1664525u + 1013904223u;
      if ((s >> 8) > 1677721u) break;
      w *= 10.f;
    }
  }
}

// gravity of bodies in lists of near ones, half a warp for each body
__global__ void near_forces(const float4 *__restrict__ pos, const int *__restrict__ list, float4 *__restrict__ acc, int n, int neighbours) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
  if (i >= n) return;
  float4 me = pos[i];
  float ax = 0, ay = 0, az = 0;
  for (int k = lane; k < neighbours; k += 16) {
    float4 o = pos[list[(size_t)i * neighbours + k]];
    float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r2 = dx * dx + dy * dy + dz * dz + 1e-3f, inv = rsqrtf(r2), f = o.w * inv * inv * inv;
    ax += f * dx; ay += f * dy; az += f * dz;
  }
  for (int o = 8; o; o >>= 1) {
    ax += __shfl_down_sync(~0u, ax, o, 16);
    ay += __shfl_down_sync(~0u, ay, o, 16);
    az += __shfl_down_sync(~0u, az, o, 16);
  }
  if (lane == 0) acc[i] = make_float4(ax, ay, az, 0);
}
