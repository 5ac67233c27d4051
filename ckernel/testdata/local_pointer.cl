// --local 8 --global n --shared part=16
// Pointers to local memory point into the array that they are given, also where they are declared.
__kernel void local_pointer(__global float *y, __global const float *x, int n, __local float *part) {
  __local float t[64];
  int l = get_local_id(0);
  __local float *a = t, *b = t + 32, *c;
  c = part + 8;
  a[l] = x[l];
  b[l] = a[7 - l];
  c[l] = b[l];
  y[get_global_id(0)] = t[l] + part[l];
}
