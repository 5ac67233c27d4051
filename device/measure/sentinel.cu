
extern "C" __global__ void sentinel(const float4 *x, float4 *y) {
  size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x;
  float4 a = x[i], s = a;
  for (int k = 0; k < 256; k++) s = make_float4(s.x * 0.5f + a.x, s.y * 0.5f + a.y, s.z * 0.5f + a.z, s.w * 0.5f + a.w);
  y[i] = s;
}
