// Pressure of a gas, with an exponent that is a multiple of a half.
__global__ void before(const float *rho, float *p, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float r = rho[i], sum = 0;
  for (int j = 0; j < 8; j++) {
    sum += k * powf(r, 1.5f);
    r += 0.125f;
  }
  p[i] = sum;
}

__global__ void after(const float *rho, float *p, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float r = rho[i], sum = 0;
  for (int j = 0; j < 8; j++) {
    sum += k * (r * sqrtf(r));
    r += 0.125f;
  }
  p[i] = sum;
}
