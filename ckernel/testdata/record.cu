// --local 32 --groups n
// Arrays of structures of several types, by reference and by value, with padding.
struct particle {
  double mass;
  float3 at;
  int kind;
  char used;
  __device__ float square() const { return at.x * at.x + at.y * at.y + at.z * at.z; }
};
__device__ particle moved(particle p, const float3 &by) {
  p.at.x += by.x;
  p.at.z += by.z;
  return p;
}
__global__ void move(particle *p, const float3 *by, float *energy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (p[i].used && p[i].kind > 2) {
    particle q = moved(p[i], by[i]);
    energy[i] = q.mass * q.square();
    p[i] = q;
    p[i].kind++;
  }
}
