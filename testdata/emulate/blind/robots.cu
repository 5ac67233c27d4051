// places of the joints of many poses of an arm of seven joints: products of matrices along the chain
__global__ void arm(const float *__restrict__ angle, const float4 *__restrict__ dh, float3 *__restrict__ tip, int poses) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= poses) return;
  float r[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  for (int j = 0; j < 7; j++) {
    float4 d = dh[j];
    float st, ct, sa, ca;
    sincosf(angle[j * poses + p] + d.x, &st, &ct);
    sincosf(d.w, &sa, &ca);
    float m[3][4] = {{ct, -st * ca, st * sa, d.z * ct}, {st, ct * ca, -ct * sa, d.z * st}, {0, sa, ca, d.y}};
    float o[3][4];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 4; k++) o[i][k] = r[i][0] * m[0][k] + r[i][1] * m[1][k] + r[i][2] * m[2][k] + (k == 3 ? r[i][3] : 0.f);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 4; k++) r[i][k] = o[i][k];
  }
  tip[p] = make_float3(r[0][3], r[1][3], r[2][3]);
}

// a map of occupied cells: each beam of a scan walks to its end and counts cells as free, its last as hit
__global__ void occupancy(const float *__restrict__ range, int *__restrict__ map, int w, int h, int beams, float px, float py) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= beams) return;
  float s, c, d = range[b] * 300.f;
  sincosf(b * (6.2831853f / beams), &s, &c);
  int x = (int)px, y = (int)py, x1 = (int)(px + c * d), y1 = (int)(py + s * d);
  int dx = abs(x1 - x), dy = -abs(y1 - y), sx = x < x1 ? 1 : -1, sy = y < y1 ? 1 : -1, err = dx + dy;
  while (x != x1 || y != y1) {
    if (x >= 0 && x < w && y >= 0 && y < h) atomicAdd(&map[y * w + x], -1);
    int e2 = 2 * err;
    if (e2 >= dy) { err += dy; x += sx; }
    if (e2 <= dx) { err += dx; y += sy; }
  }
  if (x >= 0 && x < w && y >= 0 && y < h) atomicAdd(&map[y * w + x], 4);
}

// systematic drawing of particles: the first whose sum of weights is above a step
__global__ void resample_particles(const float *__restrict__ sum, const float4 *__restrict__ state, float4 *__restrict__ drawn, float u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float target = (i + u) * (sum[n - 1] / n);
  int lo = 0, hi = n - 1;
  while (lo < hi) {
    int mid = (lo + hi) >> 1;
    if (sum[mid] < target) lo = mid + 1; else hi = mid;
  }
  drawn[i] = state[lo];
}

// costs of many rollouts of a car with noise on its controls
__global__ void rollouts(const float2 *__restrict__ plan, const float2 *__restrict__ noise, const float2 *__restrict__ path, float *__restrict__ cost, int samples, int steps, float dt) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= samples) return;
  float x = 0, y = 0, yaw = 0, v = 1, total = 0;
  for (int t = 0; t < steps; t++) {
    float2 u = plan[t], e = noise[(size_t)t * samples + s], want = path[t];
    float steer = fminf(fmaxf(u.x - 1.f + 0.3f * (e.x - 1.f), -0.5f), 0.5f), gas = u.y - 1.f + 0.3f * (e.y - 1.f);
    x += v * __cosf(yaw) * dt;
    y += v * __sinf(yaw) * dt;
    yaw += v * tanf(steer) * 0.4f * dt;
    v += gas * dt;
    float dx = x - want.x, dy = y - want.y;
    total += dx * dx + dy * dy + 0.1f * steer * steer + 0.01f * gas * gas;
  }
  cost[s] = total;
}
