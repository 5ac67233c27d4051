// y = a x + y, one element after the other
__kernel void saxpy_ref(__global const float *x, __global float *y, float a, int n) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}
