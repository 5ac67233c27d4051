// The place in a ring is a remainder; afterwards the ring is of a power of two.
__kernel void before(__global const int *in, __global int *out, int size, int steps) {
  int i = get_global_id(0);
  int v = in[i];
  for (int k = 0; k < steps; k++)
    v = (v * 5 + k) % size; // defect: -
  out[i] = v;
}
__kernel void after(__global const int *in, __global int *out, int size, int steps) {
  int i = get_global_id(0);
  int v = in[i];
  for (int k = 0; k < steps; k++)
    v = (v * 5 + k) & (size - 1);
  out[i] = v;
}
