// --local 32 --groups 2
// Addresses that are compared, of arguments that may be left out, and inline assembly that accesses no memory.
__global__ void k(float *y, const float *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = w + i;
  float v = w != nullptr ? w[i] : 1.0f;
  if (p < w + 40) v += 2.0f;
  asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(v) : "f"(y[i]), "f"(2.0f));
  y[i] = v;
}
