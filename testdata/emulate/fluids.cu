// Steps of fluids and of heat.

// Nineteen directions in three dimensions, cells as structures, periodic.
__constant__ signed char ex[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__constant__ signed char ey[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__constant__ signed char ez[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
template <bool APART> __global__ void nineteen(const float *__restrict__ in, float *__restrict__ out, int side, float omega) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y, z = blockIdx.z, cells = side * side * side;
  float f[19], rho = 0, u = 0, v = 0, w = 0;
#pragma unroll
  for (int k = 0; k < 19; k++) {
    int from = ((z - ez[k] & side - 1) * side + (y - ey[k] & side - 1)) * side + (x - ex[k] & side - 1);
    f[k] = APART ? in[(size_t)k * cells + from] : in[(size_t)from * 19 + k];
    rho += f[k], u += ex[k] * f[k], v += ey[k] * f[k], w += ez[k] * f[k];
  }
  float r = 1 / rho, usq = 1.5f * (u * u + v * v + w * w) * r * r;
  int here = (z * side + y) * side + x;
#pragma unroll
  for (int k = 0; k < 19; k++) {
    float c = 3 * (ex[k] * u + ey[k] * v + ez[k] * w) * r, weight = k == 0 ? 1 / 3.f : k < 7 ? 1 / 18.f : 1 / 36.f;
    float to = f[k] + omega * (weight * rho * (1 + c + 0.5f * c * c - usq) - f[k]);
    if (APART) out[(size_t)k * cells + here] = to;
    else out[(size_t)here * 19 + k] = to;
  }
}

// Euler's equations on cells with four faces each, by lists of neighbours.
__global__ void flux(const int *__restrict__ neighbour, const float *__restrict__ face, const float *__restrict__ state, float *__restrict__ out, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  float density = state[i], mx = state[i + n], my = state[i + 2 * n], mz = state[i + 3 * n], energy = state[i + 4 * n];
  float pressure = 0.4f * (energy - 0.5f * (mx * mx + my * my + mz * mz) / density), speed = sqrtf(1.4f * fabsf(pressure) / density);
  float fd = 0, fx = 0, fy = 0, fz = 0, fe = 0;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    int at = (i + (neighbour[i + j * n] >> 2 & 2047) - 1024) & (n - 1);
    float nx = face[i + 3 * j * n], ny = face[i + (3 * j + 1) * n], nz = face[i + (3 * j + 2) * n], length = sqrtf(nx * nx + ny * ny + nz * nz);
    float d = state[at], x = state[at + n], y = state[at + 2 * n], z = state[at + 3 * n], e = state[at + 4 * n];
    float p = 0.4f * (e - 0.5f * (x * x + y * y + z * z) / d), c = sqrtf(1.4f * fabsf(p) / d), factor = -length * 0.25f * (speed + c + fabsf(x / d) + fabsf(mx / density));
    fd += factor * (density - d) + 0.5f * (nx * (x + mx) + ny * (y + my) + nz * (z + mz));
    fx += factor * (mx - x) + 0.5f * nx * (p + pressure), fy += factor * (my - y) + 0.5f * ny * (p + pressure), fz += factor * (mz - z) + 0.5f * nz * (p + pressure);
    fe += factor * (energy - e) + 0.5f * (nx + ny + nz) * (p + pressure) * (e + energy);
  }
  out[i] = fd, out[i + n] = fx, out[i + 2 * n] = fy, out[i + 3 * n] = fz, out[i + 4 * n] = fe;
}

// What moves is looked for where it was: linear interpolation in three dimensions.
__global__ void advect(const float *__restrict__ in, const float4 *__restrict__ velocity, float *__restrict__ out, int side, float dt) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  size_t at = ((size_t)z * side + y) * side + x;
  float4 v = velocity[at];
  float px = fminf(fmaxf(x - dt * v.x, 0.f), side - 1.001f), py = fminf(fmaxf(y - dt * v.y, 0.f), side - 1.001f), pz = fminf(fmaxf(z - dt * v.z, 0.f), side - 1.001f);
  int i = (int)px, j = (int)py, k = (int)pz;
  float a = px - i, b = py - j, c = pz - k, s = 0;
  for (int d = 0; d < 8; d++)
    s += in[((size_t)(k + d / 4) * side + j + d / 2 % 2) * side + i + d % 2] * (d & 1 ? a : 1 - a) * (d & 2 ? b : 1 - b) * (d & 4 ? c : 1 - c);
  out[at] = s;
}

// Heat in layers: each thread goes up through them, and keeps the ones above and below.
__global__ void layers(const float *__restrict__ power, const float *__restrict__ in, float *__restrict__ out, int w, int h, int deep, float ce, float cn, float ct, float cc, float step) {
  int i = blockDim.x * blockIdx.x + threadIdx.x, j = blockDim.y * blockIdx.y + threadIdx.y, c = i + j * w, plane = w * h;
  int west = i == 0 ? c : c - 1, east = i == w - 1 ? c : c + 1, north = j == 0 ? c : c - w, south = j == h - 1 ? c : c + w;
  float below = in[c], here = below, above = in[c + plane];
  out[c] = cc * here + cn * in[south] + cn * in[north] + ce * in[east] + ce * in[west] + ct * above + ct * below + step * power[c] + ct * 80.f;
  for (int k = 1; k < deep - 1; k++) {
    c += plane, west += plane, east += plane, north += plane, south += plane;
    below = here, here = above, above = in[c + plane];
    out[c] = cc * here + cn * in[south] + cn * in[north] + ce * in[east] + ce * in[west] + ct * above + ct * below + step * power[c] + ct * 80.f;
  }
}

// Several steps of heat in a tile that shrinks, in shared memory.
#define EDGE 16
__global__ void pyramid(int steps, const float *power, const float *from, float *to, int columns, int rows, float cap, float rx, float ry, float rz) {
  __shared__ float here[EDGE][EDGE], source[EDGE][EDGE], next[EDGE][EDGE];
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int small = EDGE - steps * 2, y = small * by - steps + ty, x = small * bx - steps + tx, at = columns * y + x;
  bool inside = y >= 0 && y < rows && x >= 0 && x < columns, done = false;
  if (inside) here[ty][tx] = from[at], source[ty][tx] = power[at];
  __syncthreads();
  for (int i = 0; i < steps; i++) {
    done = false;
    if (tx >= i + 1 && tx <= EDGE - i - 2 && ty >= i + 1 && ty <= EDGE - i - 2 && inside) {
      done = true;
      next[ty][tx] = here[ty][tx] + cap * (source[ty][tx] + (here[ty + 1][tx] + here[ty - 1][tx] - 2.0f * here[ty][tx]) * ry + (here[ty][tx + 1] + here[ty][tx - 1] - 2.0f * here[ty][tx]) * rx + (80.0f - here[ty][tx]) * rz);
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (done) here[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (done) to[at] = next[ty][tx];
}

// Electric and magnetic fields, three components of each.
__global__ void magnetic(const float *__restrict__ fx, const float *__restrict__ fy, const float *__restrict__ fz, float *hx, float *hy, float *hz, int w, int h, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= w - 1 || j >= h - 1) return;
  for (int k = 0; k < d - 1; k++) {
    int at = (k * h + j) * w + i;
    float x = fx[at], y = fy[at], z = fz[at];
    hx[at] += 0.5f * (fy[at + w * h] - y - fz[at + w] + z);
    hy[at] += 0.5f * (fz[at + 1] - z - fx[at + w * h] + x);
    hz[at] += 0.5f * (fx[at + w] - x - fy[at + 1] + y);
  }
}
