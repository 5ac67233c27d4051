// --local 64 --global n
// Memory by several types: vectors, bytes, and numbers of twice the size.
__global__ void casts(unsigned *y, const float *x, double *d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = reinterpret_cast<const float4 *>(x)[i];
  uchar4 *p = (uchar4 *)y;
  p[i].y = 255 * v.x;
  *(long long *)&d[i] = i;
  d[i] += 1;
}
