// Distances of points to others, in blocks of which all but a few run at once.
__global__ void waves(const float *__restrict__ x, const float *__restrict__ z, float *y, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], least = 1e30f;
  for (int k = 0; k < points; k += 4) {
    float4 p = *(const float4 *)(z + k);
    least = fminf(least, fabsf(v - p.x) * p.y + fabsf(v - p.z) * p.w);
  }
  y[i] = least;
}
