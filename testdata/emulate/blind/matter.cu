#include <stdint.h>
// particles to a grid of two dimensions, quadratic splines, as the material point method does it
__global__ void to_grid(const float2 *__restrict__ place, const float2 *__restrict__ speed, const float4 *__restrict__ affine, float *__restrict__ grid, int n, int w, float mass) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 x = place[i], v = speed[i];
  float4 c = affine[i];
  int bx = (int)(x.x - 0.5f), by = (int)(x.y - 0.5f);
  float fx = x.x - bx, fy = x.y - by;
  float wx[3] = {0.5f * (1.5f - fx) * (1.5f - fx), 0.75f - (fx - 1) * (fx - 1), 0.5f * (fx - 0.5f) * (fx - 0.5f)};
  float wy[3] = {0.5f * (1.5f - fy) * (1.5f - fy), 0.75f - (fy - 1) * (fy - 1), 0.5f * (fy - 0.5f) * (fy - 0.5f)};
#pragma unroll
  for (int a = 0; a < 3; a++)
#pragma unroll
    for (int b = 0; b < 3; b++) {
      float dx = a - fx, dy = b - fy, m = wx[a] * wy[b] * mass;
      float *g = grid + 3 * ((by + b) * w + bx + a);
      atomicAdd(g, m * (v.x + c.x * dx + c.y * dy));
      atomicAdd(g + 1, m * (v.y + c.z * dx + c.w * dy));
      atomicAdd(g + 2, m);
    }
}

// Robertson's three reactions in each cell by steps of Rosenbrock's method of second order, in double precision
__global__ void reactions(double *__restrict__ y, double dt, int steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = y[i], b = y[n + i], c = y[2 * n + i];
  const double g = 1.7071067811865475;
  for (int s = 0; s < steps; s++) {
    double gd = g * dt, j00 = 1 + gd * 0.04, j01 = -gd * 1e4 * c, j02 = -gd * 1e4 * b, j10 = -gd * 0.04, j11 = 1 + gd * (1e4 * c + 6e7 * b), j12 = gd * 1e4 * b;
    double j21 = -gd * 6e7 * b, det = j00 * j11 - j00 * j21 * j12 - j01 * j10 + j02 * j10 * j21, inv = 1.0 / det;
    double r1 = 3e7 * b * b, r2 = 1e4 * b * c, f0 = -0.04 * a + r2, f1 = 0.04 * a - r2 - r1, f2 = r1;
    double k0 = ((j11 - j12 * j21) * f0 - (j01 - j02 * j21) * f1 + (j01 * j12 - j02 * j11) * f2) * inv;
    double k1 = (-j10 * f0 + j00 * f1 - (j00 * j12 - j02 * j10) * f2) * inv, k2 = f2 - j21 * k1;
    double a1 = a + dt * k0, b1 = b + dt * k1, c1 = c + dt * k2, q1 = 3e7 * b1 * b1, q2 = 1e4 * b1 * c1;
    f0 = -0.04 * a1 + q2 - 2 * k0; f1 = 0.04 * a1 - q2 - q1 - 2 * k1; f2 = q1 - 2 * k2;
    double l0 = ((j11 - j12 * j21) * f0 - (j01 - j02 * j21) * f1 + (j01 * j12 - j02 * j11) * f2) * inv;
    double l1 = (-j10 * f0 + j00 * f1 - (j00 * j12 - j02 * j10) * f2) * inv, l2 = f2 - j21 * l1;
    a += dt * (1.5 * k0 + 0.5 * l0); b += dt * (1.5 * k1 + 0.5 * l1); c += dt * (1.5 * k2 + 0.5 * l2);
  }
  y[i] = a; y[n + i] = b; y[2 * n + i] = c;
}
