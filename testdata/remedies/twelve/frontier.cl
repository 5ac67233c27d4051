// A step of a search through a graph whose vertices have 64 edges each: those of a vertex lie in a row; afterwards they are n apart.
__kernel void before(__global const int *edges, __global const int *level, __global int *next, int n) {
  int v = get_global_id(0);
  int found = 0;
  for (int k = 0; k < 64; k++) {
    int u = min(v + edges[v * 64 + k], n - 1); // defect: edges
    if (level[u] > 8) found++;
  }
  next[v] = found;
}

__kernel void after(__global const int *edges, __global const int *level, __global int *next, int n) {
  int v = get_global_id(0);
  int found = 0;
  for (int k = 0; k < 64; k++) {
    int u = min(v + edges[k * n + v], n - 1);
    if (level[u] > 8) found++;
  }
  next[v] = found;
}
