// The norm of each of m long columns; a work-group has 64 columns.
__kernel void before(__global const float *a, __global float *norm, int m, int rows) {
  int c = get_global_id(0);
  float sum = 0.0f;
  for (int r = 0; r < rows; r++) sum += a[r * m + c] * a[r * m + c];
  norm[c] = sum;
}

__kernel void after(__global const float *a, __global float *part, int m, int rows) {
  int c = get_global_id(0), g = get_global_id(1);
  int each = rows / 64;
  float sum = 0.0f;
  for (int r = 0; r < each; r++) sum += a[(g * each + r) * m + c] * a[(g * each + r) * m + c];
  part[g * m + c] = sum;
}
