
__kernel void sentinel(__global const float4 *x, __global float4 *y) {
  size_t i = get_global_id(0);
  float4 a = x[i], s = a;
  for (int k = 0; k < 256; k++) s = s * 0.5f + a;
  y[i] = s;
}
