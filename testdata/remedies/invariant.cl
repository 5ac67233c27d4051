// The factor may be changed by the store, for all that the compiler knows.
__kernel void before(__global const float *x, __global const float *scale, __global float *y, int n, int terms) {
  int i = get_global_id(0);
  for (int k = 0; k < terms; k++)
    y[k * n + i] = x[k * n + i] * scale[i]; // defect: scale, reuse
}

// It is loaded once.
__kernel void after(__global const float *x, __global const float *scale, __global float *y, int n, int terms) {
  int i = get_global_id(0);
  float factor = scale[i];
  for (int k = 0; k < terms; k++)
    y[k * n + i] = x[k * n + i] * factor;
}
