
__kernel void sweep(__global const uint4 *data, __global uint *never, ulong block) {
  ulong first = get_group_id(0) * block;
  uint4 seen = data[first];
  for (ulong i = first + get_local_id(0); i < first + block; i += get_local_size(0)) seen |= data[i];
  if ((seen.x | seen.y | seen.z | seen.w) == 0xdeadbeefu) never[0] = 1;
}