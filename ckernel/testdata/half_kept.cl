// --local 32 --global n
__kernel void half_kept(__global half *y, __global const half *x, int n) {
  int i = get_global_id(0);
  vstore_half(vload_half(i, x) * 2.0f, i, y);
  float4 v = vload_half4(i, x);
  vstore_half4_rte(v * v.x, i, y);
}
