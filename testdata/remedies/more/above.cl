// Each number above a limit is counted by an atomic operation; afterwards a work-item counts 64 first.
__kernel void before(__global const int *x, __global int *count, int limit) {
  int i = get_global_id(0);
  atomic_add(count, x[i] > limit ? 1 : 0); // defect: count
}
__kernel void after(__global const int *x, __global int *count, int limit) {
  int first = get_group_id(0) * 256 * 64 + get_local_id(0);
  int c = 0;
  for (int k = 0; k < 64; k++)
    c += x[first + 256 * k] > limit ? 1 : 0;
  atomic_add(count, c);
}
