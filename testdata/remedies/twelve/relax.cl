// Edges of a graph lower the distance of a few centres: each by an atomic minimum; afterwards only if it would be lower.
__kernel void before(__global const int *distance, __global const int *weight, __global int *best, int n) {
  int e = get_global_id(0);
  int far = distance[e] + weight[e];
  atomic_min(&best[e % 64], far); // defect: best
}

__kernel void after(__global const int *distance, __global const int *weight, __global int *best, int n) {
  int e = get_global_id(0);
  int far = distance[e] + weight[e];
  if (far < best[e % 64]) atomic_min(&best[e % 64], far);
}
