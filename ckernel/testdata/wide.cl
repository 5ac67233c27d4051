// --local 32 --global n
__kernel void wide(ulong high, __global ulong *y) {
  int i = get_global_id(0);
  ulong part = high >> 55;
  y[i] = part & 0x7e00;
  ulong none = part >> 20;
  y[i] += none / 1024;
}
