// Sorts of the keys of each block.

__global__ void bitonic(unsigned *x) {
  extern __shared__ unsigned s[];
  int t = threadIdx.x, n = 2 * blockDim.x;
  x += blockIdx.x * n;
  for (int i = t; i < n; i += blockDim.x) s[i] = x[i] * 2654435761u ^ i * 40503u;
  for (int k = 2; k <= n; k *= 2)
    for (int d = k / 2; d; d /= 2) {
      __syncthreads();
      int a = 2 * t - (t & (d - 1)), b = a + d;
      unsigned u = s[a], v = s[b];
      if ((u > v) == ((a & k) == 0)) s[a] = v, s[b] = u;
    }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) x[i] = s[i];
}

__global__ void oddeven(unsigned *x) {
  __shared__ unsigned s[256];
  int t = threadIdx.x;
  x += blockIdx.x * 256;
  s[t] = x[t] * 2654435761u ^ t * 40503u, s[t + 128] = x[t + 128] * 2654435761u ^ t * 40503u;
  for (int r = 0; r < 256; r++) {
    __syncthreads();
    int a = 2 * t + r % 2;
    if (a < 255) {
      unsigned u = s[a], v = s[a + 1];
      s[a] = min(u, v), s[a + 1] = max(u, v);
    }
  }
  __syncthreads();
  x[t] = s[t], x[t + 128] = s[t + 128];
}

// One key for each lane, by shuffles.
__global__ void warpwise(unsigned *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned v = x[i] * 2654435761u ^ i * 40503u;
#pragma unroll
  for (int k = 2; k <= 32; k *= 2)
#pragma unroll
    for (int d = k / 2; d; d /= 2) {
      unsigned u = __shfl_xor_sync(~0u, v, d);
      bool low = !(lane & d) == !(lane & k);
      v = low ? min(u, v) : max(u, v);
    }
  x[i] = v;
}

// By digits of four bits: ballots count equal digits of a warp.
__global__ void radix(unsigned *x, int bits) {
  __shared__ unsigned s[256];
  __shared__ int count[16][8], base[16];
  int t = threadIdx.x, w = t / 32, lane = t % 32;
  unsigned v = x[blockIdx.x * 256 + t] * 2654435761u ^ t * 40503u;
  for (int shift = 0; shift < bits; shift += 4) {
    unsigned digit = v >> shift & 15, same = ~0u;
#pragma unroll
    for (int b = 0; b < 4; b++) {
      unsigned vote = __ballot_sync(~0u, digit >> b & 1);
      same &= digit >> b & 1 ? vote : ~vote;
    }
    int before = __popc(same & ((1u << lane) - 1));
    if (lane < 16) count[lane][w] = 0;
    __syncwarp();
    if (before == 0) count[digit][w] = __popc(same);
    __syncthreads();
    if (t < 16) {
      int sum = 0;
      for (int q = 0; q < 8; q++) {
        int c = count[t][q];
        count[t][q] = sum, sum += c;
      }
      int all = sum;
      for (int d = 1; d < 16; d *= 2) {
        int u = __shfl_up_sync(0xffffu, sum, d);
        if (t >= d) sum += u;
      }
      base[t] = sum - all;
    }
    __syncthreads();
    s[base[digit] + count[digit][w] + before] = v;
    __syncthreads();
    v = s[t];
  }
  x[blockIdx.x * 256 + t] = v;
}
