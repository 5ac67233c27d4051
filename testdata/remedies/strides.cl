// Every eighth element of local memory.
__kernel void before(__global const float *x, __global float *y, int rounds) {
  __local float s[256 * 8];
  int t = get_local_id(0), i = get_global_id(0);
  for (int k = 0; k < 8; k++)
    s[k * 256 + t] = x[i] + k;
  barrier(CLK_LOCAL_MEM_FENCE);
  float v = 0;
  for (int r = 0; r < rounds; r++)
    v = v * 0.5f + s[t * 8 + r % 8]; // defect: s, banks
  y[i] = v;
}

// Elements side by side.
__kernel void after(__global const float *x, __global float *y, int rounds) {
  __local float s[256 * 8];
  int t = get_local_id(0), i = get_global_id(0);
  for (int k = 0; k < 8; k++)
    s[k * 256 + t] = x[i] + k;
  barrier(CLK_LOCAL_MEM_FENCE);
  float v = 0;
  for (int r = 0; r < rounds; r++)
    v = v * 0.5f + s[r % 8 * 256 + t];
  y[i] = v;
}
