struct Ray { float3 o, d; };
__device__ inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ inline float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__device__ inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// the first of m triangles that each ray meets
__global__ void first_hit(const float *__restrict__ rays, const float *__restrict__ triangles, float *__restrict__ where, int *__restrict__ which, int n, int m) {
  extern __shared__ float tri[];
  for (int e = threadIdx.x; e < 9 * m; e += blockDim.x) tri[e] = triangles[e];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Ray r;
  r.o = make_float3(rays[i], rays[n + i], rays[2 * n + i]);
  r.d = make_float3(rays[3 * n + i], rays[4 * n + i], rays[5 * n + i]);
  float best = 1e30f;
  int hit = -1;
  for (int k = 0; k < m; k++) {
    const float *p = tri + 9 * k;
    float3 a = make_float3(p[0], p[1], p[2]), e1 = make_float3(p[3], p[4], p[5]), e2 = make_float3(p[6], p[7], p[8]);
    float3 h = cross(r.d, e2);
    float det = dot(e1, h);
    float inv = 1.0f / det;
    float3 s = r.o - a;
    float u = dot(s, h) * inv;
    float3 q = cross(s, e1);
    float v = dot(r.d, q) * inv;
    float t = dot(e2, q) * inv;
    bool ok = fabsf(det) > 1e-7f && u >= 0 && v >= 0 && u + v <= 1 && t > 1e-4f && t < best;
    if (ok) {
      best = t;
      hit = k;
    }
  }
  where[i] = best;
  which[i] = hit;
}
