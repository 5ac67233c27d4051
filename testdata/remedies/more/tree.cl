// A tree of maxima in which the active work-items are far from each other; afterwards they are next to each other.
__kernel void before(__global const float *x, __global float *y) {
  __local float top[256];
  int t = get_local_id(0);
  top[t] = x[get_global_id(0)];
  for (int s = 1; s < 256; s *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t % (2 * s) == 0)
      top[t] = fmax(top[t], top[t + s]); // defect: top or -
  }
  if (t == 0) y[get_group_id(0)] = top[0];
}
__kernel void after(__global const float *x, __global float *y) {
  __local float top[256];
  int t = get_local_id(0);
  top[t] = x[get_global_id(0)];
  for (int s = 128; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < s)
      top[t] = fmax(top[t], top[t + s]);
  }
  if (t == 0) y[get_group_id(0)] = top[0];
}
