// The greatest of the W elements that end at each one.
#ifndef W
#define W 16
#endif
extern "C" __global__ void plain(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float *p = in + max(i - W + 1, 0), *last = in + i;
  float m = *p;
  for (++p; p <= last; ++p) m = fmaxf(m, *p);
  out[i] = m;
}

extern "C" __global__ void tiled(const float *in, float *out, int n) {
  __shared__ float s[256 + W - 1];
  int base = blockIdx.x * 256;
  for (int t = threadIdx.x; t < 256 + W - 1; t += 256) {
    int at = base + t - (W - 1);
    s[t] = at >= 0 && at < n ? in[at] : -1e30f;
  }
  __syncthreads();
  float m = s[threadIdx.x];
  int k = 1;
  do {
    m = fmaxf(m, s[threadIdx.x + k]);
  } while (++k < W);
  int i = base + threadIdx.x;
  if (i < n) out[i] = m;
}
