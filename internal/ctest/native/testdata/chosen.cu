// --local 32 --groups 4
__global__ void chosen(float *y, const float *a, const float *b, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = i < n ? a + i : b + 2 * i;
  const float *q;
  if (i < m)
    q = a;
  else
    q = b;
  q += i;
  for (int j = 0; j < 4; j++) {
    y[i] += p[j] * q[32 * j];
    p += 2;
  }
  y[i] = *p;
}
