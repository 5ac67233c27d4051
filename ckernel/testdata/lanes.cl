// --local 64 --global n --assume n>0
// A choice for each lane of a vector, between numbers.
__kernel void k(__global uint4 *y, __global const uint4 *x, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint4 c = x[i];
  y[i] = c + ((c >= 3u) ? 1u : 0u);
}
