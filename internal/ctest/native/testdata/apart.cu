// --local 32 --groups 2
// Addresses are subtracted, of a pointer that moves by data and of one that does not.
__global__ void apart(int *size, float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float *p = y + i * 4;
  float *start = p;
  for (int j = 0; j < 4; j++)
    if (x[j] > 0)
      *p++ = x[j];
  const float *q = x + i;
  size[i] = p - start;
  size[i + 1] = q - x;
}
