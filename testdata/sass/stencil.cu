extern "C" __global__ void stencil(int nx, int ny, int nz, const double *__restrict__ u, double *__restrict__ w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || i >= nx - 1 || j < 1 || j >= ny - 1) return;
  long plane = (long)nx * ny, at = plane + (long)j * nx + i;
  double below = u[at - plane], here = u[at];
#pragma unroll 1
  for (int k = 1; k < nz - 1; k++, at += plane) {
    double above = u[at + plane];
    w[at] = 0.4 * here + 0.1 * (below + above + u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx]);
    below = here;
    here = above;
  }
}
