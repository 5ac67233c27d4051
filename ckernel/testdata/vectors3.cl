// --local 64 --global n
float3 gamma(float3 v, float g) { return pow(v, (float3)(g)); }
kernel void k(global float4 *y, global const float3 *x, global uchar *o, int n) {
  int i = get_global_id(0);
  float4 a = y[i];
  a.xyz = (a.xyz - 0.5f) * 2.0f + x[i];
  float3 b = (float3)(a.x, a.y, 1.0f);
  b = gamma(b, 2.2f);
  vstore3(convert_uchar3_sat_rte(255.0f * b), i, o);
  a.w = dot(b, a.xyz) + vload3(i, (global const float *) x).z;
  y[i] = a;
}
