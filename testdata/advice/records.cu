// The lengths of vectors that are records of eight numbers, of which three are needed.
struct Record { float x, y, z, mass, u, v, w, age; };
__global__ void records(const Record *__restrict__ p, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z);
}
