// Records of eight numbers, two of which are used; afterwards an array for each.
struct particle { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void before(struct particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].x += dt * p[i].vx; // defect: p
}
__global__ void after(float *px, const float *__restrict__ pvx, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    px[i] += dt * pvx[i];
}
