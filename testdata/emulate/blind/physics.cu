// the acoustic wave equation of order 8 in space: a queue of nine planes in registers
__global__ void wave25(const float *__restrict__ now, const float *__restrict__ speed, float *__restrict__ next, int n, int depth) {
  __shared__ float tile[16 + 8][32 + 8 + 1];
  const float c[5] = {-2.847222f, 1.6f, -0.2f, 0.02539683f, -0.001785714f};
  int tx = threadIdx.x + 4, ty = threadIdx.y + 4, x = blockIdx.x * 32 + tx, y = blockIdx.y * 16 + ty;
  size_t plane = (size_t)n * n, at = (size_t)y * n + x;
  float back[4], front[4], middle;
#pragma unroll
  for (int k = 0; k < 4; k++) back[3 - k] = now[at + k * plane];
  middle = now[at + 4 * plane];
#pragma unroll
  for (int k = 0; k < 4; k++) front[k] = now[at + (5 + k) * plane];
  for (int z = 4; z < depth - 4; z++) {
    __syncthreads();
    tile[ty][tx] = middle;
    if (threadIdx.y < 4) { tile[threadIdx.y][tx] = now[z * plane + at - 4 * n]; tile[threadIdx.y + 20][tx] = now[z * plane + at + 16 * n]; }
    if (threadIdx.x < 4) { tile[ty][threadIdx.x] = now[z * plane + at - 4]; tile[ty][threadIdx.x + 36] = now[z * plane + at + 32]; }
    __syncthreads();
    float s = 3.f * c[0] * middle;
#pragma unroll
    for (int k = 1; k <= 4; k++) s += c[k] * (tile[ty][tx - k] + tile[ty][tx + k] + tile[ty - k][tx] + tile[ty + k][tx] + back[k - 1] + front[k - 1]);
    next[z * plane + at] = 2.f * middle - next[z * plane + at] + speed[z * plane + at] * s;
    back[3] = back[2]; back[2] = back[1]; back[1] = back[0]; back[0] = middle; middle = front[0];
    front[0] = front[1]; front[1] = front[2]; front[2] = front[3];
    if (z + 5 < depth) front[3] = now[at + (z + 5) * plane];
  }
}

// the fifth-order reconstruction WENO along a line, in double precision
__global__ void weno5(const double *__restrict__ f, double *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
  if (i >= n - 2) return;
  double a = f[i - 2], b = f[i - 1], c = f[i], d = f[i + 1], e = f[i + 2];
  double b0 = 13.0 / 12 * (a - 2 * b + c) * (a - 2 * b + c) + 0.25 * (a - 4 * b + 3 * c) * (a - 4 * b + 3 * c);
  double b1 = 13.0 / 12 * (b - 2 * c + d) * (b - 2 * c + d) + 0.25 * (b - d) * (b - d);
  double b2 = 13.0 / 12 * (c - 2 * d + e) * (c - 2 * d + e) + 0.25 * (3 * c - 4 * d + e) * (3 * c - 4 * d + e);
  double w0 = 0.1 / ((1e-6 + b0) * (1e-6 + b0)), w1 = 0.6 / ((1e-6 + b1) * (1e-6 + b1)), w2 = 0.3 / ((1e-6 + b2) * (1e-6 + b2));
  double q0 = (2 * a - 7 * b + 11 * c) / 6, q1 = (-b + 5 * c + 2 * d) / 6, q2 = (2 * c + 5 * d - e) / 6;
  out[i] = (w0 * q0 + w1 * q1 + w2 * q2) / (w0 + w1 + w2);
}

// fluxes of Euler's equations by the solver HLLC, structure of arrays
__global__ void hllc(const float *__restrict__ rho, const float *__restrict__ u, const float *__restrict__ p, float *__restrict__ f0, float *__restrict__ f1, float *__restrict__ f2, int n, float gamma) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  float rl = rho[i], rr = rho[i + 1], ul = u[i], ur = u[i + 1], pl = p[i], pr = p[i + 1];
  float cl = sqrtf(gamma * pl / rl), cr = sqrtf(gamma * pr / rr);
  float el = pl / (gamma - 1) + 0.5f * rl * ul * ul, er = pr / (gamma - 1) + 0.5f * rr * ur * ur;
  float sl = fminf(ul - cl, ur - cr), sr = fmaxf(ul + cl, ur + cr);
  float sm = (pr - pl + rl * ul * (sl - ul) - rr * ur * (sr - ur)) / (rl * (sl - ul) - rr * (sr - ur));
  float a, b, c;
  if (sl >= 0) { a = rl * ul; b = rl * ul * ul + pl; c = ul * (el + pl); }
  else if (sm >= 0) {
    float k = rl * (sl - ul) / (sl - sm), e = k * (el / rl + (sm - ul) * (sm + pl / (rl * (sl - ul))));
    a = rl * ul + sl * (k - rl); b = rl * ul * ul + pl + sl * (k * sm - rl * ul); c = ul * (el + pl) + sl * (e - el);
  } else if (sr > 0) {
    float k = rr * (sr - ur) / (sr - sm), e = k * (er / rr + (sm - ur) * (sm + pr / (rr * (sr - ur))));
    a = rr * ur + sr * (k - rr); b = rr * ur * ur + pr + sr * (k * sm - rr * ur); c = ur * (er + pr) + sr * (e - er);
  } else { a = rr * ur; b = rr * ur * ur + pr; c = ur * (er + pr); }
  f0[i] = a; f1[i] = b; f2[i] = c;
}

// charged particles pushed by Boris's rotation, fields from the cell's eight corners
__global__ void boris(float *__restrict__ x, float *__restrict__ v, const float4 *__restrict__ e, const float4 *__restrict__ b, int n, int cells, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float px = x[i], py = x[n + i], pz = x[2 * n + i], vx = v[i], vy = v[n + i], vz = v[2 * n + i];
  float sx = px * cells, sy = py * cells, sz = pz * cells;
  int cx = min(max((int)sx, 0), cells - 2), cy = min(max((int)sy, 0), cells - 2), cz = min(max((int)sz, 0), cells - 2);
  float ax = sx - cx, ay = sy - cy, az = sz - cz, ex = 0, ey = 0, ez = 0, bx = 0, by = 0, bz = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    int at = ((cz + (k >> 2)) * cells + cy + (k >> 1 & 1)) * cells + cx + (k & 1);
    float w = (k & 1 ? ax : 1 - ax) * (k & 2 ? ay : 1 - ay) * (k & 4 ? az : 1 - az);
    float4 p = e[at], q = b[at];
    ex += w * p.x; ey += w * p.y; ez += w * p.z; bx += w * q.x; by += w * q.y; bz += w * q.z;
  }
  float h = 0.5f * dt;
  vx += h * ex; vy += h * ey; vz += h * ez;
  float tx = h * bx, ty = h * by, tz = h * bz, s = 2.f / (1.f + tx * tx + ty * ty + tz * tz);
  float ux = vx + vy * tz - vz * ty, uy = vy + vz * tx - vx * tz, uz = vz + vx * ty - vy * tx;
  vx += s * (uy * tz - uz * ty); vy += s * (uz * tx - ux * tz); vz += s * (ux * ty - uy * tx);
  vx += h * ex; vy += h * ey; vz += h * ez;
  x[i] = px + dt * vx; x[n + i] = py + dt * vy; x[2 * n + i] = pz + dt * vz;
  v[i] = vx; v[n + i] = vy; v[2 * n + i] = vz;
}

// Kalman's filter of four states and two measurements, a filter by each work-item, several steps
__global__ void kalman(float *__restrict__ state, float *__restrict__ covariance, const float2 *__restrict__ seen, int n, int steps, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s[4], p[4][4];
#pragma unroll
  for (int k = 0; k < 4; k++) s[k] = state[k * n + i];
#pragma unroll
  for (int k = 0; k < 16; k++) p[k / 4][k % 4] = covariance[k * n + i];
  for (int t = 0; t < steps; t++) {
    float2 z = seen[(size_t)t * n + i];
    s[0] += dt * s[2]; s[1] += dt * s[3];
#pragma unroll
    for (int k = 0; k < 4; k++) { p[0][k] += dt * p[2][k]; p[1][k] += dt * p[3][k]; }
#pragma unroll
    for (int k = 0; k < 4; k++) { p[k][0] += dt * p[k][2]; p[k][1] += dt * p[k][3]; p[k][k] += 0.01f; }
    float a = p[0][0] + 0.5f, b = p[0][1], c = p[1][0], d = p[1][1] + 0.5f, det = 1.f / (a * d - b * c);
    float rx = z.x - s[0], ry = z.y - s[1], gain[4][2], old[2][4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      gain[k][0] = (p[k][0] * d - p[k][1] * c) * det;
      gain[k][1] = (p[k][1] * a - p[k][0] * b) * det;
      old[0][k] = p[0][k]; old[1][k] = p[1][k];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      s[k] += gain[k][0] * rx + gain[k][1] * ry;
#pragma unroll
      for (int j = 0; j < 4; j++) p[k][j] -= gain[k][0] * old[0][j] + gain[k][1] * old[1][j];
    }
  }
#pragma unroll
  for (int k = 0; k < 4; k++) state[k * n + i] = s[k];
#pragma unroll
  for (int k = 0; k < 16; k++) covariance[k * n + i] = p[k / 4][k % 4];
}

// tridiagonal systems of 512 unknowns by parallel cyclic reduction, one by each work-group
__global__ void pcr(const float *__restrict__ lower, const float *__restrict__ diagonal, const float *__restrict__ upper, const float *__restrict__ right, float *__restrict__ x) {
  __shared__ float a[512], b[512], c[512], d[512];
  int t = threadIdx.x;
  size_t at = (size_t)blockIdx.x * 512 + t;
  a[t] = t ? lower[at] : 0; b[t] = diagonal[at] + 4.f; c[t] = t < 511 ? upper[at] : 0; d[t] = right[at];
  __syncthreads();
  for (int step = 1; step < 512; step *= 2) {
    int l = max(t - step, 0), r = min(t + step, 511);
    float k1 = t >= step ? a[t] / b[l] : 0, k2 = t + step < 512 ? c[t] / b[r] : 0;
    float na = -k1 * a[l], nb = b[t] - k1 * c[l] - k2 * a[r], nc = -k2 * c[r], nd = d[t] - k1 * d[l] - k2 * d[r];
    __syncthreads();
    a[t] = na; b[t] = nb; c[t] = nc; d[t] = nd;
    __syncthreads();
  }
  x[at] = d[t] / b[t];
}
