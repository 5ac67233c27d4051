// --local 128 --groups n//128
// A shift has the type of what is shifted, whatever the count has.
__device__ unsigned rotate(unsigned x, int n) { return (x << n) | (x >> (32 - n)); }

__global__ void rotated(unsigned *y, long long *z, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = rotate(y[i], 7) ^ y[i] << s;
  z[i] = z[i] >> s;
}
