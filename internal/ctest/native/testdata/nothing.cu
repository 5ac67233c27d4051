// --local 32 --groups 2
// A function is called with and without an array, and tells by its pointer.
__device__ void add(float *y, const float *bias, float v, int i) {
  if (bias)
    v += bias[i];
  if (bias != nullptr)
    v *= 2;
  y[i] = v;
}

__global__ void nothing(float *y, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *none = nullptr;
  add(y, 0, 1.0f, i);
  add(y, b, 2.0f, i);
  add(y, none, 3.0f, i);
  const float *p = b + i;
  const float *end = b + i + 4;
  while (p < end)
    y[i] += *p++;
}
