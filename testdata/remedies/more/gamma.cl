// Gamma of an image by a polynomial, whose numbers have no f.
__kernel void before(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float v = x[i];
  v = v * (0.0125 + v * (0.682 + v * 0.3051));
  v = v * (0.0125 + v * (0.682 + v * 0.3051));
  y[i] = v;
}

__kernel void after(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float v = x[i];
  v = v * (0.0125f + v * (0.682f + v * 0.3051f));
  v = v * (0.0125f + v * (0.682f + v * 0.3051f));
  y[i] = v;
}
