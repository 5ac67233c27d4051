// A recurrence in each work-item, whose states are exchanged once, at the end.
__kernel void before(__global const float *x, __global float *y, int n, int m) {
  __local float state[256];
  int t = get_local_id(0), i = get_global_id(0);
  state[t] = x[i];
  for (int k = 0; k < m; k++) {
    state[t] = 0.5f * state[t] + 0.25f;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  y[i] = state[t] + state[255 - t];
}

__kernel void after(__global const float *x, __global float *y, int n, int m) {
  __local float state[256];
  int t = get_local_id(0), i = get_global_id(0);
  float s = x[i];
  for (int k = 0; k < m; k++) s = 0.5f * s + 0.25f;
  state[t] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  y[i] = state[t] + state[255 - t];
}
