// y = a x + y by one work-group
__kernel void saxpy_ref(__global const float *x, __global float *y, float a, int n) {
  for (int i = get_local_id(0); i < n; i += get_local_size(0)) y[i] += a * x[i];
}
