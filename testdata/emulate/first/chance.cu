// Sobol's points of four dimensions, in Gray's order
__constant__ unsigned direction[4][32];
__global__ void sobol(float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned g = i ^ (i >> 1), x[4] = {0, 0, 0, 0};
  for (int b = 0; b < 24; b++) {
    unsigned on = 0u - ((g >> b) & 1u);
    for (int d = 0; d < 4; d++) x[d] ^= direction[d][b] & on;
  }
  out[i] = make_float4(x[0] * 2.3283064e-10f, x[1] * 2.3283064e-10f, x[2] * 2.3283064e-10f, x[3] * 2.3283064e-10f);
}
