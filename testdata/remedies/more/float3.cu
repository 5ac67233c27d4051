struct Vertex { float3 position, normal, tangent; };

__global__ void before(const Vertex *v, float3 *out, float a, float b, float c, float e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 p = v[i].position;
  float d = a * p.x + b * p.y + c * p.z + e;
  out[i] = make_float3(p.x - d * a, p.y - d * b, p.z - d * c);
}

__global__ void after(const float *x, const float *y, const float *z, float *ox, float *oy, float *oz, float a, float b, float c, float e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float px = x[i], py = y[i], pz = z[i];
  float d = a * px + b * py + c * pz + e;
  ox[i] = px - d * a;
  oy[i] = py - d * b;
  oz[i] = pz - d * c;
}
