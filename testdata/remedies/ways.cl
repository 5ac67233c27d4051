// Each of four neighbours goes another way.
__kernel void before(__global const float *x, __global float *y, int rounds) {
  int i = get_global_id(0), way = i % 4;
  float v = x[i];
  if (way == 0)
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f; // defect: -, divergence
  else if (way == 1)
    for (int r = 0; r < rounds; r++) v = fmin(v * 1.5f, 2.0f - v);
  else if (way == 2)
    for (int r = 0; r < rounds; r++) v = v * v - 0.5f;
  else
    for (int r = 0; r < rounds; r++) v = fabs(v - 0.25f) * 1.25f;
  y[i] = v;
}

// Sub-groups do.
__kernel void after(__global const float *x, __global float *y, int rounds) {
  int i = get_global_id(0), way = i / 32 % 4;
  float v = x[i];
  if (way == 0)
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
  else if (way == 1)
    for (int r = 0; r < rounds; r++) v = fmin(v * 1.5f, 2.0f - v);
  else if (way == 2)
    for (int r = 0; r < rounds; r++) v = v * v - 0.5f;
  else
    for (int r = 0; r < rounds; r++) v = fabs(v - 0.25f) * 1.25f;
  y[i] = v;
}
