// --local 64 --groups 2
__global__ void arms(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; j++)
    switch (j % 4) {
    case 0:
      b[i] = a[i] * 2.0f;
      break;
    case 1: case 3: {
      b[i] += a[j];
      break;
    }
    default:
      if (i < j) b[j] = a[i] + a[j];
    }
}
