__device__ unsigned mixed(unsigned x, unsigned y) { unsigned h = x * 0x9e3779b1u ^ y * 0x85ebca77u; h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; return h; }
__device__ float corner(int x, int y) { return (mixed(x, y) >> 8) * (1.f / 16777216.f); }

// clouds of six octaves of noise
__global__ void clouds(float *__restrict__ out, int w, int h, float scale) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float u = x * scale, v = y * scale, sum = 0, gain = 0.5f;
  for (int o = 0; o < 6; o++) {
    float fx = floorf(u), fy = floorf(v), tx = u - fx, ty = v - fy;
    int ix = (int)fx, iy = (int)fy;
    tx = tx * tx * (3.f - 2.f * tx); ty = ty * ty * (3.f - 2.f * ty);
    float a = corner(ix, iy), b = corner(ix + 1, iy), c = corner(ix, iy + 1), d = corner(ix + 1, iy + 1);
    sum += gain * (a + (b - a) * tx + (c - a) * ty + (a - b - c + d) * tx * ty);
    u *= 2.02f; v *= 2.02f; gain *= 0.5f;
  }
  out[y * w + x] = sum;
}

// a fractal of three dimensions: steps of rays by the distance to it
__global__ void bulb(float *__restrict__ depth, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float dx = (x - 0.5f * w) / w, dy = (y - 0.5f * h) / w, dz = 1.f, n = rsqrtf(dx * dx + dy * dy + 1.f), t = 0;
  dx *= n; dy *= n; dz *= n;
  for (int step = 0; step < 24; step++) {
    float px = t * dx, py = t * dy, pz = t * dz - 2.5f, zx = px, zy = py, zz = pz, dr = 1.f, r = 0;
    for (int i = 0; i < 5; i++) {
      r = sqrtf(zx * zx + zy * zy + zz * zz);
      if (r > 2.f) break;
      float theta = acosf(zz / r) * 8.f, phi = atan2f(zy, zx) * 8.f, zr = powf(r, 8.f);
      dr = powf(r, 7.f) * 8.f * dr + 1.f;
      zx = zr * sinf(theta) * cosf(phi) + px;
      zy = zr * sinf(phi) * sinf(theta) + py;
      zz = zr * cosf(theta) + pz;
    }
    float d = 0.5f * logf(r) * r / dr;
    if (d < 0.002f || t > 5.f) break;
    t += d;
  }
  depth[y * w + x] = t;
}

// paths of light among eight balls, four times reflected
__global__ void paths(const float4 *__restrict__ ball, float *__restrict__ light, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned seed = mixed(x, y);
  float ox = 0, oy = 0, oz = -3, dx = (x - 0.5f * w) / w, dy = (y - 0.5f * h) / w, dz = 1, got = 0, part = 1;
  for (int bounce = 0; bounce < 4; bounce++) {
    float n = rsqrtf(dx * dx + dy * dy + dz * dz), near = 1e20f;
    dx *= n; dy *= n; dz *= n;
    int hit = -1;
    for (int k = 0; k < 8; k++) {
      float4 s = ball[k];
      float cx = s.x * 3.f - 3.f + 0.5f * (k & 3) - ox, cy = s.y * 2.f - 2.f - oy, cz = s.z + 0.3f * k - oz, b = cx * dx + cy * dy + cz * dz;
      float disc = b * b - (cx * cx + cy * cy + cz * cz) + 0.09f * s.w;
      if (disc > 0.f) { float t = b - sqrtf(disc); if (t > 1e-3f && t < near) { near = t; hit = k; } }
    }
    if (hit < 0) { got += part * (0.5f + 0.5f * dy); break; }
    float4 s = ball[hit];
    ox += near * dx; oy += near * dy; oz += near * dz;
    float nx = ox - (s.x * 3.f - 3.f + 0.5f * (hit & 3)), ny = oy - (s.y * 2.f - 2.f), nz = oz - (s.z + 0.3f * hit), inv = rsqrtf(nx * nx + ny * ny + nz * nz);
    nx *= inv; ny *= inv; nz *= inv;
    seed = seed * 1664525u + 1013904223u;
    float a = (seed >> 8) * 3.7450703e-7f;
    seed = seed * 1664525u + 1013904223u;
    float z = (seed >> 8) * 1.1920929e-7f - 1.f, q = sqrtf(fmaxf(1.f - z * z, 0.f));
    dx = nx + q * cosf(a); dy = ny + q * sinf(a); dz = nz + z;
    part *= 0.7f;
  }
  light[y * w + x] = got;
}

// blur by depth: each pixel gathers from a disc as large as it is out of focus
__global__ void focus_blur(const float *__restrict__ depth, const float4 *__restrict__ colour, float4 *__restrict__ out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float blur = fminf(fabsf(depth[y * w + x] - 1.f) * 10.f, 4.f);
  int r = (int)ceilf(blur);
  float sum = 0;
  float4 c = make_float4(0, 0, 0, 0);
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++) {
      if (i * i + j * j > r * r) continue;
      int px = min(max(x + i, 0), w - 1), py = min(max(y + j, 0), h - 1);
      float4 q = colour[py * w + px];
      float wt = depth[py * w + px] > 0.8f ? 1.f : 0.3f;
      c.x += wt * q.x; c.y += wt * q.y; c.z += wt * q.z; sum += wt;
    }
  out[y * w + x] = make_float4(c.x / sum, c.y / sum, c.z / sum, 1.f);
}

// light through smoke: rays march through a grid of densities
__global__ void smoke(const float *__restrict__ density, float *__restrict__ out, int n, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float through = 1.f, light = 0.f, px = x * (float)(n - 2) / w, py = y * (float)(n - 2) / w;
  for (int s = 0; s < 64; s++) {
    float pz = s * (float)(n - 2) / 64.f;
    int ix = (int)px, iy = (int)py, iz = (int)pz;
    float fx = px - ix, fy = py - iy, fz = pz - iz;
    const float *d = density + (iz * n + iy) * n + ix;
    float a = d[0] + (d[1] - d[0]) * fx, b = d[n] + (d[n + 1] - d[n]) * fx, c = d[n * n] + (d[n * n + 1] - d[n * n]) * fx, e = d[n * n + n] + (d[n * n + n + 1] - d[n * n + n]) * fx;
    float v = (a + (b - a) * fy) * (1.f - fz) + (c + (e - c) * fy) * fz;
    float pass = __expf(-0.02f * v);
    light += through * (1.f - pass) * (0.3f + 0.01f * s);
    through *= pass;
    if (through < 0.01f) break;
  }
  out[y * w + x] = light;
}

// thin edges: gradients by direction, those that are no maximum across it taken away
__global__ void thin_edges(const float *__restrict__ in, unsigned char *__restrict__ edge, int w, int h, float low, float high) {
  __shared__ float s[20][36], m[18][34];
  int bx = blockIdx.x * 32, by = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
  for (int k = t; k < 20 * 36; k += 512) {
    int x = min(max(bx + k % 36 - 2, 0), w - 1), y = min(max(by + k / 36 - 2, 0), h - 1);
    s[k / 36][k % 36] = in[y * w + x];
  }
  __syncthreads();
  for (int k = t; k < 18 * 34; k += 512) {
    int x = k % 34, y = k / 34;
    float gx = s[y][x + 2] - s[y][x] + 2.f * (s[y + 1][x + 2] - s[y + 1][x]) + s[y + 2][x + 2] - s[y + 2][x];
    float gy = s[y + 2][x] - s[y][x] + 2.f * (s[y + 2][x + 1] - s[y][x + 1]) + s[y + 2][x + 2] - s[y][x + 2];
    m[y][x] = hypotf(gx, gy);
  }
  __syncthreads();
  int x = threadIdx.x + 1, y = threadIdx.y + 1;
  float gx = s[y][x + 2] - s[y][x] + 2.f * (s[y + 1][x + 2] - s[y + 1][x]) + s[y + 2][x + 2] - s[y + 2][x];
  float gy = s[y + 2][x] - s[y][x] + 2.f * (s[y + 2][x + 1] - s[y][x + 1]) + s[y + 2][x + 2] - s[y][x + 2];
  float turn = atan2f(gy, gx) * 1.27323954f, v = m[y][x], a, b;
  int side = (int)rintf(turn) & 3;
  if (side == 0) { a = m[y][x - 1]; b = m[y][x + 1]; }
  else if (side == 1) { a = m[y - 1][x - 1]; b = m[y + 1][x + 1]; }
  else if (side == 2) { a = m[y - 1][x]; b = m[y + 1][x]; }
  else { a = m[y - 1][x + 1]; b = m[y + 1][x - 1]; }
  unsigned char r = 0;
  if (v >= a && v >= b) r = v > high ? 255 : v > low ? 128 : 0;
  edge[(by + threadIdx.y) * w + bx + threadIdx.x] = r;
}
