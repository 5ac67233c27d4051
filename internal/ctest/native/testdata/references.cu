// --local 32 --global n
__device__ void inc(float &a, float b) { a += b; }
__device__ int next(int &k, int by) { k += by; return k; }
__global__ void references(float *y, const float *x, int n) {
  __shared__ float t[33];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto &r = t[threadIdx.x];
  r = x[i];
  r += 1.0f;
  float &s = y[i];
  s = r;
  for (int k = 0; k < n; next(k, 2)) inc(s, x[k]);
}
