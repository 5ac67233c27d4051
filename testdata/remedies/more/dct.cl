// Each work-item has a row of 64 numbers in local memory; afterwards rows are 65 apart.
__kernel void before(__global const float *x, __global float *y, int rounds) {
  __local float block[64 * 64];
  int t = get_local_id(0), g = get_group_id(0);
  for (int k = 0; k < 64; k++) block[k * 64 + t] = x[(g * 64 + k) * 64 + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int r = 0; r < rounds; r++)
    for (int k = 0; k < 64; k++)
      sum += block[t * 64 + k] * (k + r); // defect: block
  y[g * 64 + t] = sum;
}
__kernel void after(__global const float *x, __global float *y, int rounds) {
  __local float block[64 * 65];
  int t = get_local_id(0), g = get_group_id(0);
  for (int k = 0; k < 64; k++) block[k * 65 + t] = x[(g * 64 + k) * 64 + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int r = 0; r < rounds; r++)
    for (int k = 0; k < 64; k++)
      sum += block[t * 65 + k] * (k + r);
  y[g * 64 + t] = sum;
}
