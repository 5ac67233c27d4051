// --local 32 --global n
__kernel void lanes(__global uint4 *x, __global const int4 *y, __global int4 *z, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  uint4 v = x[i] % x[i + 1];
  v = v % 7u;
  v /= 3u;
  x[i] = v;
  z[i] = y[i] / y[i + 1];
}
