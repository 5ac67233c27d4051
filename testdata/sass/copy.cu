extern "C" __global__ void copy_strided(long n, long stride, const double *x, double *y) {
  long i = (blockIdx.x * (long)blockDim.x + threadIdx.x) * stride;
#pragma unroll 1
  for (int k = 0; k < 4; k++, i += n)
    y[i] = x[i];
}

extern "C" __global__ void copy_bytes(int n, const unsigned char *x, unsigned char *y, const short *s, short *t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] ^ 0x5a;
  t[i] = s[i] + 1;
}
