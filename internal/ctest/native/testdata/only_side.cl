// --local 32 --global n
__kernel void only_side(__global double *y, __global const float *x, __global const double *z, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float s = x[i];
  y[i] = (i < n ? s * x[i + 1] : z[i]) + 1.0f;
  y[i] += (i < n ? 1 : s) + 2;
}
