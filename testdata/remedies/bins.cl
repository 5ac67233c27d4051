// A histogram of 64 counters in global memory.
__kernel void before(__global const uint *x, __global uint *bins, int n) {
  int i = get_global_id(0);
  if (i < n)
    atomic_inc(&bins[x[i] % 64]); // defect: bins, atomics
}

// Each work-group has its own in local memory.
__kernel void after(__global const uint *x, __global uint *bins, int n) {
  __local uint own[64];
  int t = get_local_id(0), i = get_global_id(0);
  if (t < 64) own[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) atomic_inc(&own[x[i] % 64]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 64) atomic_add(&bins[t], own[t]);
}
