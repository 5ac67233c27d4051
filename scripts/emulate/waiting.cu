// What waits in searches and in private memory: loads that follow one another with several sub-groups at the same and at other places, and private memory of
// work-items by how much there is of it. Cycles a turn, or microseconds.
//
//     nvcc -std=c++17 -arch=sm_90 -o waiting waiting.cu
#include "common.h"

// A binary search of sub-groups that ask for the same word, or each lane another: n words, `rounds` searches each.
template <int KIND>
__global__ void searches(const int *a, int *y, long long *t, int n, int rounds) {
  int lo = 0, i = blockIdx.x * blockDim.x + threadIdx.x, w = i / 32;
  unsigned key = KIND == 0 ? w * 40503u : KIND == 1 ? i * 40503u : (w % 64 * 16 + i % 32);
  __syncthreads();
  long long t0 = now();
  for (int r = 0; r < rounds; r++) {
    int at = 0, want = (key + r * 7919u) & (n - 1);
#pragma unroll 1
    for (int s = n >> 1; s; s >>= 1) if (a[at + s] <= want) at += s;
    lo += at;
  }
  long long t1 = now();
  y[i] = lo;
  if (i % 32 == 0) t[2 * w] = t0, t[2 * w + 1] = t1;
}

// Private words of each work-item, N of them, by turns in an order that no compiler knows.
template <int N>
__global__ void priv(float *y, int turns, int step) {
  float m[N];
  for (int k = 0; k < N; k++) m[k] = threadIdx.x + k;
  int at = 0;
  for (int k = 0; k < turns; k++) {
    m[at] = m[at] * 0.5f + 1.f;
    at += step;
    if (at >= N) at -= N;
  }
  float s = 0;
  for (int k = 0; k < N; k++) s += m[(k * step) % N];
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
static cudaEvent_t e0, e1;
template <typename F>
static double us(F f) {
  float best = 1e9, ms;
  for (int r = 0; r < 7; r++) {
    cudaEventRecord(e0); f(); cudaEventRecord(e1); cudaEventSynchronize(e1);
    cudaEventElapsedTime(&ms, e0, e1);
    best = std::min(best, ms);
  }
  CHECK(cudaGetLastError());
  return best * 1e3;
}
template <int N>
static void privates() {
  for (int blocks : {132, 264, 528, 1056, 2112, 4224})
    for (int turns : {N, 8 * N}) printf("private,words%d,blocks%d,items128,turns%d,%.2f\n", N, blocks, turns, us([&] { priv<N><<<blocks, 128>>>((float *)buf, turns, 1); }));
}
int main() {
  prepare();
  cudaEventCreate(&e0), cudaEventCreate(&e1);
  std::vector<int> a(1 << 24);
  for (size_t i = 0; i < a.size(); i++) a[i] = i;
  cudaMemcpy(buf, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  int *y = (int *)(buf + (1 << 26));
  for (int n : {1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 24})
    for (int blocks : {1, SMS, 4 * SMS, 8 * SMS})
      for (int kind : {0, 1, 2}) {
        int rounds = 8, steps = 31 - __builtin_clz(n);
        for (int r = 0; r < 2; r++)
          if (kind == 0) searches<0><<<blocks, 256>>>((int *)buf, y, tt, n, rounds);
          else if (kind == 1) searches<1><<<blocks, 256>>>((int *)buf, y, tt, n, rounds);
          else searches<2><<<blocks, 256>>>((int *)buf, y, tt, n, rounds);
        CHECK(cudaDeviceSynchronize());
        get(blocks * 16);
        double sum = 0;
        for (int w = 0; w < blocks * 8; w++) sum += host[2 * w + 1] - host[2 * w];
        printf("searches,kind%d,n%d,blocks%d,%.2f\n", kind, n, blocks, sum / (blocks * 8) / rounds / steps);
      }
  privates<16>(), privates<40>(), privates<80>(), privates<156>(), privates<320>(), privates<640>();
  printf("# done\n");
  return 0;
}
