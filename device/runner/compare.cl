%s
__kernel void compare(__global const STORED *got, __global const STORED *want, ulong n, T tolerance, T least, __global uint *wrong) {
  uint count = 0;
  uint first = 0xffffffffu;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    T g = LOAD(got, i), w = LOAD(want, i);
    if (%s) {
      if (count == 0) first = (uint)(i >> 8);
      count++;
    }
  }
  if (count > 0) {
    atomic_add(wrong, count);
    atomic_min(wrong + 1, first);
  }
}