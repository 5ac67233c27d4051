// --local 32 --groups 2
// Data decides where pointers point to, in an expression, by an assignment and in an argument.
__device__ float third(const float *p, int i) { return p[i] / 3; }

__global__ void chosen(float *y, float *a, float *b, const float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = c[i] > 0 ? a : b;
  y[i] = p[i] * 2 + p[i + 1];
  float *q = a;
  if (c[i] > 0.5f)
    q = b;
  q[i] = y[i] + 2;
  for (int j = 0; j < 4; j++)
    y[i] += q[j];
  y[i] += third(c[i] > 0 ? a : b, i);
}
