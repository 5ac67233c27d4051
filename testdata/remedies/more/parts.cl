// The real parts of complex numbers; afterwards they are an array of their own.
__kernel void before(__global const float *z, __global float *re, int n) {
  int i = get_global_id(0);
  re[i] = 2.0f * z[4 * i]; // defect: z
}
__kernel void after(__global const float *z, __global float *re, int n) {
  int i = get_global_id(0);
  re[i] = 2.0f * z[i];
}
