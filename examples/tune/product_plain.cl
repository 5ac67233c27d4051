__kernel void plain(__global const float *a, __global const float *b, __global float *c, int n) {
  const int j = get_global_id(0), i = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}
