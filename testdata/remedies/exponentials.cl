// Exponentials of float64 for a result of float32.
__kernel void before(__global const float *x, __global float *y, int rounds) {
  int i = get_global_id(0);
  float v = x[i];
  double sum = 0;
  for (int r = 0; r < rounds; r++)
    sum += exp2((double)(v * r)); // defect: -, float64
  y[i] = sum;
}

// Of float32.
__kernel void after(__global const float *x, __global float *y, int rounds) {
  int i = get_global_id(0);
  float v = x[i];
  float sum = 0;
  for (int r = 0; r < rounds; r++)
    sum += exp2((v * r));
  y[i] = sum;
}
