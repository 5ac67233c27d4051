// Updates: arrays that a launch changes in place, each element by the work-item that has loaded it, and butterflies of four elements so far apart. perf measures them by launch
// files of 256 work-items: testdata/h200/measurement/updates.csv.gz has microseconds between events, where `copied` tells whether the array is restored before each trial.
extern "C" __global__ void update_none(float4 *x, const float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = x[i];
  x[i] = make_float4(v.x + 1, v.y + 2, v.z + 3, v.w + 4);
}
extern "C" __global__ void update_shared(float4 *x, const float *sum, int n) {
  __shared__ float s;
  if (threadIdx.x == 0) s = sum[blockIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = x[i];
  x[i] = make_float4(v.x + s, v.y + s, v.z + s, v.w + s);
}
extern "C" __global__ void radix_in(float *x, int n, int h) {
  int k = blockIdx.x * blockDim.x + threadIdx.x, low = k & (h - 1), i = (k - low) * 4 + low;
  float a = x[i], b = x[i + h], c = x[i + 2 * h], d = x[i + 3 * h], e = a + c, f = a - c, g = b + d, j = b - d;
  x[i] = e + g, x[i + h] = e - g, x[i + 2 * h] = f + j, x[i + 3 * h] = f - j;
}
