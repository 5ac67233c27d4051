// forces of lists of neighbours: a potential of two powers and a screened charge
__global__ void pair_forces(const float4 *__restrict__ at, float4 *__restrict__ force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = at[i];
  float fx = 0, fy = 0, fz = 0, e = 0;
  for (int k = 0; k < 48; k++) {
    int j = (i + (k - 24) * (k & 1 ? 1 : 61)) & (n - 1);
    if (j == i) continue;
    float4 q = at[j];
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
    if (r2 < 0.9f) {
      float inv = 1.f / r2, inv6 = inv * inv * inv, r = sqrtf(r2);
      float lj = 24.f * inv * inv6 * (2.f * inv6 - 1.f) * 1e-4f;
      float screened = p.w * q.w * erfcf(0.8f * r) / r;
      float f = lj + screened * inv + 0.9f * __expf(-0.64f * r2) * inv;
      fx += f * dx; fy += f * dy; fz += f * dz; e += screened;
    }
  }
  force[i] = make_float4(fx, fy, fz, e);
}

// forces of angles of three atoms, added to those of the atoms
__global__ void angle_forces(const float3 *__restrict__ at, float *__restrict__ force, float k, float rest, int angles) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= angles) return;
  int i = a, j = a + 1, l = a + 2;
  float3 p = at[i], c = at[j], q = at[l];
  float ux = p.x - c.x, uy = p.y - c.y, uz = p.z - c.z, vx = q.x - c.x, vy = q.y - c.y, vz = q.z - c.z;
  float ru = rsqrtf(ux * ux + uy * uy + uz * uz + 1e-6f), rv = rsqrtf(vx * vx + vy * vy + vz * vz + 1e-6f);
  float cosine = fminf(fmaxf((ux * vx + uy * vy + uz * vz) * ru * rv, -0.999f), 0.999f);
  float f = -2.f * k * (acosf(cosine) - rest) / sqrtf(1.f - cosine * cosine);
  float au = f * ru, av = f * rv;
  float fxi = au * (vx * rv - cosine * ux * ru), fyi = au * (vy * rv - cosine * uy * ru), fzi = au * (vz * rv - cosine * uz * ru);
  float fxl = av * (ux * ru - cosine * vx * rv), fyl = av * (uy * ru - cosine * vy * rv), fzl = av * (uz * ru - cosine * vz * rv);
  atomicAdd(&force[3 * i], fxi); atomicAdd(&force[3 * i + 1], fyi); atomicAdd(&force[3 * i + 2], fzi);
  atomicAdd(&force[3 * l], fxl); atomicAdd(&force[3 * l + 1], fyl); atomicAdd(&force[3 * l + 2], fzl);
  atomicAdd(&force[3 * j], -fxi - fxl); atomicAdd(&force[3 * j + 1], -fyi - fyl); atomicAdd(&force[3 * j + 2], -fzi - fzl);
}

// attraction of a nucleus between two Gaussian orbitals: exponents of six primitives each
__global__ void attraction(const double *__restrict__ exponent, const double *__restrict__ weight, const double *__restrict__ centre, double *__restrict__ integral, int shells) {
  int b = blockIdx.x * blockDim.x + threadIdx.x, a = blockIdx.y;
  if (b >= shells) return;
  double ax = centre[3 * a], ay = centre[3 * a + 1], az = centre[3 * a + 2], bx = centre[3 * b], by = centre[3 * b + 1], bz = centre[3 * b + 2];
  double r2 = (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz), sum = 0;
  for (int p = 0; p < 3; p++)
    for (int q = 0; q < 3; q++) {
      double u = exponent[3 * a + p], v = exponent[3 * b + q], s = u + v, g = exp(-u * v / s * r2);
      double px = (u * ax + v * bx) / s, py = (u * ay + v * by) / s, pz = (u * az + v * bz) / s;
      double t = s * (px * px + py * py + pz * pz), root = sqrt(t);
      double f0 = t < 1e-8 ? 1.0 : 0.886226925452758 * erf(root) / root;
      sum += weight[3 * a + p] * weight[3 * b + q] * g * f0 * 6.283185307179586 / s;
    }
  integral[(size_t)a * shells + b] = -sum;
}

// particles put into the cells that they are in, at places that a counter of the cell gives
__global__ void to_cells(const float4 *__restrict__ at, int *__restrict__ count, int *__restrict__ cell, int n, int side) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = at[i];
  int x = min(max((int)((p.x - 0.5f) * side), 0), side - 1), y = min(max((int)((p.y - 0.5f) * side), 0), side - 1), z = min(max((int)((p.z - 0.5f) * side), 0), side - 1);
  int c = (z * side + y) * side + x;
  int place = atomicAdd(&count[c], 1);
  if (place < 64) cell[c * 64 + place] = i;
}
