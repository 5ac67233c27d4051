// exchanges of two edges in a round trip: the best gain of each first city
__global__ void two_opt(const float2 *__restrict__ city, float *__restrict__ gain, int *__restrict__ with, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 2) return;
  float2 a = city[i], b = city[i + 1];
  float ab = hypotf(a.x - b.x, a.y - b.y), best = 0;
  int at = -1;
  for (int j = i + 2; j < n - 1; j++) {
    float2 c = city[j], d = city[j + 1];
    float g = ab + sqrtf((c.x - d.x) * (c.x - d.x) + (c.y - d.y) * (c.y - d.y)) - sqrtf((a.x - c.x) * (a.x - c.x) + (a.y - c.y) * (a.y - c.y)) - sqrtf((b.x - d.x) * (b.x - d.x) + (b.y - d.y) * (b.y - d.y));
    if (g > best) { best = g; at = j; }
  }
  gain[i] = best;
  with[i] = at;
}

// an American option by a tree of prices in shared memory, a block for each
__global__ void american(const float4 *__restrict__ option, float *__restrict__ value, int steps) {
  extern __shared__ float v[];
  float4 o = option[blockIdx.x];
  float dt = o.z / steps, up = expf(0.3f * o.w * sqrtf(dt)), down = 1.f / up, r = expf(0.02f * dt), p = (r - down) / (up - down), inv = 1.f / r;
  float lu = __logf(up);
  for (int i = threadIdx.x; i <= steps; i += blockDim.x) v[i] = fmaxf(o.y - o.x * __expf(lu * (2 * i - steps)), 0.f);
  __syncthreads();
  for (int t = steps - 1; t >= 0; t--) {
    for (int base = 0; base <= t; base += blockDim.x) {
      int i = base + threadIdx.x;
      float hold = 0;
      if (i <= t) hold = inv * (p * v[i + 1] + (1.f - p) * v[i]);
      __syncthreads();
      if (i <= t) v[i] = fmaxf(hold, o.y - o.x * __expf(lu * (2 * i - t)));
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) value[blockIdx.x] = v[0];
}

// lists of eight fragments of each pixel put in order by depth and blended
__global__ void blend8(const float *__restrict__ depth, const uchar4 *__restrict__ colour, float4 *__restrict__ out, int pixels) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pixels) return;
  float d[8];
  uchar4 c[8];
  for (int k = 0; k < 8; k++) {
    float z = depth[k * pixels + p];
    uchar4 q = colour[k * pixels + p];
    int at = k;
    while (at > 0 && d[at - 1] < z) { d[at] = d[at - 1]; c[at] = c[at - 1]; at--; }
    d[at] = z;
    c[at] = q;
  }
  float r = 0, g = 0, b = 0, a = 0;
  for (int k = 0; k < 8; k++) {
    float w = c[k].w * (1.f / 32);
    r += w * (c[k].x - r); g += w * (c[k].y - g); b += w * (c[k].z - b); a += w * (1.f - a);
  }
  out[p] = make_float4(r, g, b, a);
}

// lights of each tile of 16 by 16 pixels: spheres against its depths, kept in a list of the block
__global__ void cull_lights(const float *__restrict__ depth, const float4 *__restrict__ light, int *__restrict__ list, int *__restrict__ count, int w, int lights) {
  __shared__ unsigned least, most;
  __shared__ int kept, mine[256];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, t = threadIdx.y * 16 + threadIdx.x, tile = blockIdx.y * gridDim.x + blockIdx.x;
  if (t == 0) { least = 0x7f7fffff; most = 0; kept = 0; }
  __syncthreads();
  unsigned z = __float_as_uint(depth[y * w + x]);
  atomicMin(&least, z);
  atomicMax(&most, z);
  __syncthreads();
  float near = __uint_as_float(least), far = __uint_as_float(most), cx = (blockIdx.x * 16 + 8) / (float)w, cy = (blockIdx.y * 16 + 8) / (float)w;
  for (int i = t; i < lights; i += 256) {
    float4 l = light[i];
    float dx = l.x - 0.5f - cx, dy = l.y - 0.5f - cy, r = 0.05f * l.w;
    if (dx * dx + dy * dy < r * r && l.z + r > near && l.z - r < far) {
      int at = atomicAdd(&kept, 1);
      if (at < 256) mine[at] = i;
    }
  }
  __syncthreads();
  if (t == 0) count[tile] = kept;
  for (int i = t; i < min(kept, 256); i += 256) list[tile * 256 + i] = mine[i];
}
