// A large table at places that data decides. WHERE 0: constant memory, 1: global memory.
#ifndef WHERE
#define WHERE 0
#endif
__constant__ float big[12288];
__device__ float big_global[12288];
extern "C" __global__ void const_table(const float *in, float *out, int n, int hops) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned at = (unsigned)(in[i] * 8191.0f);
  float s = 0.f;
  for (int k = 0; k < hops; k++) {
#if WHERE == 0
    float v = big[at];
#else
    float v = big_global[at];
#endif
    s += v;
    at = (at * 5u + (unsigned)(v * 1000.0f)) % 12288u;
  }
  out[i] = s;
}
