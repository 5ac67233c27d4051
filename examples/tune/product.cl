/* A product of square matrices by tiles of TILE x TILE in local memory; a work-item computes ROWS elements of the result. */
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n) {
  __local float s[TILE][TILE], t[TILE][TILE];
  const int x = get_local_id(0), y = get_local_id(1);
  const int j = get_group_id(0) * TILE + x, i = get_group_id(1) * TILE + y;
  float sum[ROWS];
  for (int r = 0; r < ROWS; r++) sum[r] = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    for (int r = 0; r < ROWS; r++) {
      s[y + r * (TILE / ROWS)][x] = a[(i + r * (TILE / ROWS)) * n + k + x];
      t[y + r * (TILE / ROWS)][x] = b[(k + y + r * (TILE / ROWS)) * n + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int l = 0; l < TILE; l++)
      for (int r = 0; r < ROWS; r++) sum[r] += s[y + r * (TILE / ROWS)][l] * t[l][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int r = 0; r < ROWS; r++) c[(i + r * (TILE / ROWS)) * n + j] = sum[r];
}
