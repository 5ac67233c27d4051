// Axis 0 of the launch goes along z, which is the outermost axis of the field.
__kernel void before(__global const float *restrict p, __global float *restrict q, int nx, int ny, int nz) {
  int z = get_global_id(0), y = get_global_id(1);
  for (int x = 0; x < nx; x++)
    q[(z * ny + y) * nx + x] = 0.25f * p[(z * ny + y) * nx + x]; // defect: p or q, coalescing
}

// It goes along x.
__kernel void after(__global const float *restrict p, __global float *restrict q, int nx, int ny, int nz) {
  int x = get_global_id(0), y = get_global_id(1);
  for (int z = 0; z < nz; z++)
    q[(z * ny + y) * nx + x] = 0.25f * p[(z * ny + y) * nx + x];
}
