// --local 64 --groups g
__kernel void rows(__global float4 *y, __global const float4 *x, __global atomic_int *flags, uint n) {
  __local float4 row[64], column[16];
  event_t e[2];
  e[0] = async_work_group_copy(row, x + get_group_id(0) * 64, 64, 0);
  e[1] = async_work_group_strided_copy(column, x, 16, n, 0);
  wait_group_events(2, e);
  int i = get_local_id(0);
  const uint4 back = (uint4)(3, 2, 1, 0);
  float4 v = row[i];
  v = shuffle(v, back) + shuffle2(v, column[i & 15], (uint4)(0, 4, 1, 13));
  row[i] = v;
  if (atomic_flag_test_and_set(flags)) atomic_flag_clear(flags);
  atomic_store(flags, atomic_load(flags + 1));
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t last = async_work_group_copy(y + get_group_id(0) * 64, row, 64, 0);
  wait_group_events(1, &last);
}
