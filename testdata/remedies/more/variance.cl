#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// Differences are squared and added in float64; afterwards in float32.
__kernel void before(__global const float *x, __global float *y, float mean, int steps) {
  int i = get_global_id(0);
  float v = x[i];
  double sum = 0;
  for (int k = 0; k < steps; k++) {
    v = v * 0.75f + 0.1f;
    sum += (double)(v - mean) * (v - mean); // defect: -
  }
  y[i] = sum;
}
__kernel void after(__global const float *x, __global float *y, float mean, int steps) {
  int i = get_global_id(0);
  float v = x[i];
  float sum = 0;
  for (int k = 0; k < steps; k++) {
    v = v * 0.75f + 0.1f;
    sum += (v - mean) * (v - mean);
  }
  y[i] = sum;
}
