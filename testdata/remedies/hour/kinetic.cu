// Kinetic energy of bodies: structures of eight floats, of which four are needed.
struct Body { float x, y, z, charge, vx, vy, vz, mass; };
__global__ void before(const Body *body, float *energy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float vx = body[i].vx, vy = body[i].vy, vz = body[i].vz;
    energy[i] = 0.5f * body[i].mass * (vx * vx + vy * vy + vz * vz);
  }
}
__global__ void after(const float *vx, const float *vy, const float *vz, const float *mass, float *energy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) energy[i] = 0.5f * mass[i] * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
}
