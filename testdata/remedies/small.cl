// Work-groups of one sub-group.
__kernel void before(__global const float *x, __global float *y, int rounds) {
  int i = get_global_id(0);
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.75f + 0.125f; // defect: -, groups
  y[i] = v;
}

// Of eight.
__kernel void after(__global const float *x, __global float *y, int rounds) {
  int i = get_global_id(0);
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.75f + 0.125f;
  y[i] = v;
}
