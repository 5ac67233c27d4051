// --local 64 --groups 2
__global__ void down(const float *a, float *b, unsigned n) {
  for (unsigned j = n; j-- > 0;) {
    if (j == 3) continue;
    b[j] = a[threadIdx.x];
  }
  int k = n;
  while (k--) b[k + n] = a[k + threadIdx.x];
  if (k == -1) b[2 * n] = 1.0f;
}
