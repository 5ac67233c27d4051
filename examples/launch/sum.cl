// sum: each work-group adds up a part of x.
__kernel void sum(__global const float *x, __global float *sums, __local float *tile, int n) {
  int l = get_local_id(0);
  float s = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) s += x[i];
  tile[l] = s;
  for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < width) tile[l] += tile[l + width];
  }
  if (l == 0) sums[get_group_id(0)] = tile[0];
}

// sum_ref: one work-item adds up all of x.
__kernel void sum_ref(__global const float *x, __global float *total, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  *total = s;
}
