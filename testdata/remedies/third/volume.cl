// Means of the six neighbours in a volume: work-groups of 2 × 16 × 8 cells, which go with axes 0, 1, 2; afterwards of 64 × 4 × 1, launched so.
__kernel void before(__global const float *a, __global float *b, int n) {
  int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = get_global_id(2) + 1;
  int w = n + 2, i = (z * w + y) * w + x;
  b[i] = (a[i - 1] + a[i + 1] + a[i - w] + a[i + w] + a[i - w * w] + a[i + w * w]) * (1.0f / 6.0f); // defect: a or b
}

__kernel void after(__global const float *a, __global float *b, int n) {
  int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = get_global_id(2) + 1;
  int w = n + 2, i = (z * w + y) * w + x;
  b[i] = (a[i - 1] + a[i + 1] + a[i - w] + a[i + w] + a[i - w * w] + a[i + w * w]) * (1.0f / 6.0f);
}
