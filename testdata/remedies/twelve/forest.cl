// Samples go down a tree of depth 12 by branches in the code, those of a sub-group different ways; the arrays of a node are apart, afterwards one vector.
__kernel void before(__global const int *feature, __global const float *limit, __global const int *left, __global const int *right,
                     __global const float *x, __global float *y, int n, int nodes) {
  int i = get_global_id(0);
  int at = (uint)i * 7919u % (uint)nodes;
  for (int d = 0; d < 12; d++) {
    int f = feature[at]; // defect: feature or limit or left or right
    int next = x[(f & 15) * n + i] < limit[at] ? left[at] : right[at];
    at = (at * 17 + next) % nodes;
  }
  y[i] = limit[at];
}

__kernel void after(__global const int4 *node, __global const float *x, __global float *y, int n, int nodes) {
  int i = get_global_id(0);
  int at = (uint)i * 7919u % (uint)nodes;
  for (int d = 0; d < 12; d++) {
    int4 v = node[at];
    int next = x[(v.x & 15) * n + i] < as_float(v.y) ? v.z : v.w;
    at = (at * 17 + next) % nodes;
  }
  y[i] = as_float(node[at].y);
}
