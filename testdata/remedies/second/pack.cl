// Packs large numbers, each of which asks one counter for its place; afterwards a work-group asks once.
__kernel void before(__global const float *x, __global float *out, __global int *count) {
  int i = get_global_id(0);
  if (x[i] > 1.0f) {
    int at = atomic_inc(&count[0]); // defect: count
    out[at & 16777215] = x[i];
  }
}

__kernel void after(__global const float *x, __global float *out, __global int *count) {
  __local int n, from;
  int i = get_global_id(0);
  if (get_local_id(0) == 0) n = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int at = 0;
  if (x[i] > 1.0f) at = atomic_inc(&n);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) from = atomic_add(&count[0], n);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x[i] > 1.0f) out[(from + at) & 16777215] = x[i];
}
