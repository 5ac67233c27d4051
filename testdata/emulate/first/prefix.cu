// Inclusive prefix sums of blocks by shuffles, and the sums of blocks
__device__ int warp_scan(int x) {
  int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d <<= 1) {
    int y = __shfl_up_sync(0xffffffffu, x, d);
    if (lane >= d) x += y;
  }
  return x;
}
extern "C" __global__ void scan_blocks(const int *in, int *out, int *sums, int n) {
  __shared__ int part[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  int x = i < n ? in[i] : 0;
  x = warp_scan(x);
  if (lane == 31) part[warp] = x;
  __syncthreads();
  if (warp == 0) {
    int p = lane < blockDim.x / 32 ? part[lane] : 0;
    part[lane] = warp_scan(p);
  }
  __syncthreads();
  if (warp > 0) x += part[warp - 1];
  if (i < n) out[i] = x;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = x;
}
// four elements a thread
extern "C" __global__ void scan4(const int4 *in, int4 *out, int n4) {
  __shared__ int part[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  int4 v = in[i];
  v.y += v.x; v.z += v.y; v.w += v.z;
  int x = warp_scan(v.w), before = x - v.w;
  if ((threadIdx.x & 31) == 31) part[threadIdx.x >> 5] = x;
  __syncthreads();
  int w = threadIdx.x >> 5;
  while (w--) before += part[w];
  v.x += before; v.y += before; v.z += before; v.w += before;
  out[i] = v;
}
