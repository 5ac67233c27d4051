// Code that is longer than the caches of instructions.

// U different steps in a row.
template <int U> __global__ void unrolled(const float *__restrict__ x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i], b = a + 1;
#pragma unroll 1
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int u = 0; u < U; u++) a = a * 1.0009765625f + (b + u), b = b * 0.5f + a * (1.0f / (u + 2));
  y[i] = a + b;
}

// The warps of a block run different parts.
template <int P> __device__ float part(float v) {
#pragma unroll
  for (int u = 0; u < 256; u++) v = v * (1 + 1.0f / (u + 3 + P)) + u;
  return v;
}
__global__ void parts(const float *__restrict__ x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
#pragma unroll 1
  for (int r = 0; r < rounds; r++) switch ((threadIdx.x / 32 + r) % 8) {
    case 0: v = part<0>(v); break;
    case 1: v = part<1>(v); break;
    case 2: v = part<2>(v); break;
    case 3: v = part<3>(v); break;
    case 4: v = part<4>(v); break;
    case 5: v = part<5>(v); break;
    case 6: v = part<6>(v); break;
    default: v = part<7>(v); break;
    }
  y[i] = v;
}
