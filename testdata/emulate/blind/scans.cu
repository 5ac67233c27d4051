// a slice of a computed tomography from its projections: parallel beams, linear between detectors
__global__ void backproject(const float *__restrict__ sino, const float2 *__restrict__ direction, float *__restrict__ image, int views, int bins, int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size) return;
  float px = x - 0.5f * size, py = y - 0.5f * size, s = 0;
  for (int v = 0; v < views; v++) {
    float2 d = direction[v];
    float t = px * d.x + py * d.y + 0.5f * bins;
    int b = (int)floorf(t);
    if (b >= 0 && b < bins - 1) {
      float w = t - b;
      s += (1 - w) * sino[v * bins + b] + w * sino[v * bins + b + 1];
    }
  }
  image[y * size + x] = s;
}

// denoising by patches of 3 by 3 that are alike, within 7 by 7
__global__ void nonlocal(const float *__restrict__ in, float *__restrict__ out, int w, int h, float inv) {
  __shared__ float t[24][40];
  int bx = blockIdx.x * 32 - 4, by = blockIdx.y * 16 - 4;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 24 * 40; k += 512) {
    int x = min(max(bx + k % 40, 0), w - 1), y = min(max(by + k / 40, 0), h - 1);
    t[k / 40][k % 40] = in[y * w + x];
  }
  __syncthreads();
  int cx = threadIdx.x + 4, cy = threadIdx.y + 4;
  float sum = 0, norm = 0;
  for (int dy = -3; dy <= 3; dy++)
    for (int dx = -3; dx <= 3; dx++) {
      float d2 = 0;
#pragma unroll
      for (int py = -1; py <= 1; py++)
#pragma unroll
        for (int px = -1; px <= 1; px++) {
          float d = t[cy + py][cx + px] - t[cy + dy + py][cx + dx + px];
          d2 += d * d;
        }
      float e = __expf(-d2 * inv);
      sum += e * t[cy + dy][cx + dx];
      norm += e;
    }
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = sum / norm;
}

// one line of sight through a volume of voxels, cell by cell, as Amanatides and Woo go
__global__ void line_integral(const float *__restrict__ volume, const float *__restrict__ ray, float *__restrict__ out, int n, int rays) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rays) return;
  float ox = 0.01f, oy = ray[4 * i], oz = ray[4 * i + 1], dx = 1.f, dy = ray[4 * i + 2], dz = ray[4 * i + 3];
  int x = (int)ox, y = (int)oy, z = (int)oz, sy = dy > 0 ? 1 : -1, sz = dz > 0 ? 1 : -1;
  float ty = fabsf(1.f / dy), tz = fabsf(1.f / dz);
  float mx = (x + 1 - ox) / dx, my = (dy > 0 ? y + 1 - oy : oy - y) * ty, mz = (dz > 0 ? z + 1 - oz : oz - z) * tz;
  float t = 0, s = 0;
  while (x < n && (unsigned)y < (unsigned)n && (unsigned)z < (unsigned)n) {
    float v = volume[((size_t)z * n + y) * n + x], next = fminf(mx, fminf(my, mz));
    s += v * (next - t);
    t = next;
    if (mx <= my && mx <= mz) { x++; mx += 1.f; }
    else if (my <= mz) { y += sy; my += ty; }
    else { z += sz; mz += tz; }
  }
  out[i] = s;
}
