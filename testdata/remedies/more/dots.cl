// Products of two vectors by 40 work-groups; afterwards by 1320.
__kernel void before(__global const float *a, __global const float *b, __global float *part, int n) {
  int first = get_global_id(0), step = get_global_size(0);
  float sum = 0;
  for (int i = first; i < n; i += step)
    sum += a[i] * b[i]; // defect: -
  part[first] = sum;
}
__kernel void after(__global const float *a, __global const float *b, __global float *part, int n) {
  int first = get_global_id(0), step = get_global_size(0);
  float sum = 0;
  for (int i = first; i < n; i += step)
    sum += a[i] * b[i];
  part[first] = sum;
}
