// A transposition whose stores are a row apart.
__kernel void before(__global const float *restrict x, __global float *restrict y, int n) {
  int i = get_group_id(0) * 32 + get_local_id(0), j = get_group_id(1) * 32 + get_local_id(1);
  for (int k = 0; k < 32; k += 8)
    y[i * n + j + k] = x[(j + k) * n + i]; // defect: y, coalescing
}

// Through a tile in local memory.
__kernel void after(__global const float *restrict x, __global float *restrict y, int n) {
  __local float tile[32][33];
  int tx = get_local_id(0), ty = get_local_id(1), bx = get_group_id(0) * 32, by = get_group_id(1) * 32;
  for (int k = 0; k < 32; k += 8)
    tile[ty + k][tx] = x[(by + ty + k) * n + bx + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 32; k += 8)
    y[(bx + ty + k) * n + by + tx] = tile[tx][ty + k];
}
