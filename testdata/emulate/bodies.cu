// Forces of all of n bodies on each of them.

__device__ float3 force(float4 p, float4 q, float3 f) {
  float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, d = x * x + y * y + z * z + 1e-4f, r = rsqrtf(d), s = q.w * r * r * r;
  return make_float3(f.x + s * x, f.y + s * y, f.z + s * z);
}

__global__ void direct(const float4 *__restrict__ p, float4 *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = p[i];
  float3 f = make_float3(0, 0, 0);
  for (int j = 0; j < n; j++) f = force(own, p[j], f);
  a[i] = make_float4(f.x, f.y, f.z, 0);
}

// C bodies for each work-item; blocks read the others by way of shared memory.
template <int C> __global__ void shared(const float4 *__restrict__ p, float4 *a, int n) {
  __shared__ float4 tile[256];
  int w = blockDim.x, t = threadIdx.x, i = blockIdx.x * w * C + t;
  float4 own[C];
  float3 f[C];
#pragma unroll
  for (int c = 0; c < C; c++) own[c] = p[i + c * w], f[c] = make_float3(0, 0, 0);
  for (int j = 0; j < n; j += w) {
    __syncthreads();
    tile[t] = p[j + t];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < w; k++)
#pragma unroll
      for (int c = 0; c < C; c++) f[c] = force(own[c], tile[k], f[c]);
  }
#pragma unroll
  for (int c = 0; c < C; c++) a[i + c * w] = make_float4(f[c].x, f[c].y, f[c].z, 0);
}
