// Sums are kept in global memory while they grow; afterwards in registers.
__kernel void before(__global const float *x, __global float *mean, __global float *square, int n, int rows) {
  int j = get_global_id(0);
  for (int i = 0; i < rows; i++) {
    float v = x[i * n + j];
    mean[j] += v; // defect: mean or square
    square[j] += v * v;
  }
}
__kernel void after(__global const float *x, __global float *mean, __global float *square, int n, int rows) {
  int j = get_global_id(0);
  float a = mean[j], b = square[j];
  for (int i = 0; i < rows; i++) {
    float v = x[i * n + j];
    a += v;
    b += v * v;
  }
  mean[j] = a;
  square[j] = b;
}
