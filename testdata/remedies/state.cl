// The state is kept in global memory, as w may be a part of y for all that the compiler knows.
__kernel void before(__global const float *w, __global float *y, int n, int terms) {
  int i = get_global_id(0);
  for (int k = 0; k < terms; k++)
    y[i] = y[i] * 0.5f + w[k]; // defect: y, reuse
}

// In a register.
__kernel void after(__global const float *w, __global float *y, int n, int terms) {
  int i = get_global_id(0);
  float v = y[i];
  for (int k = 0; k < terms; k++)
    v = v * 0.5f + w[k];
  y[i] = v;
}
