// Sums into few words, barriers of the grid, and local memory.
#include <cstdio>
#include <cooperative_groups.h>
__device__ unsigned words[1 << 24];
__device__ unsigned arrived;
__global__ void clear() { for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < (1u << 24); i += gridDim.x * blockDim.x) words[i] = 0; if (!blockIdx.x && !threadIdx.x) arrived = 0; }
// how 0: neighbouring lanes neighbouring words; 1: a permutation within the words; 2: all lanes of a warp the same word; 3: one lane alone
__global__ void sums(unsigned mask, int how, unsigned apart, int each) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; k++) {
    unsigned j = i + k * 1237u * 32u, at;
    if (how == 0) at = j & mask; else if (how == 1) at = (j * 40503u + 12345u) & mask; else if (how == 2) at = (j / 32 * 40503u) & mask; else { if (threadIdx.x & 31) continue; at = (j / 32 * 40503u) & mask; }
    atomicAdd(&words[(size_t)at * apart], 1u);
  }
}
__global__ void floats(unsigned mask, int how, unsigned apart, int each) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; k++) {
    unsigned j = i + k * 1237u * 32u, at;
    if (how == 0) at = j & mask; else if (how == 1) at = (j * 40503u + 12345u) & mask; else at = (j / 32 * 40503u) & mask;
    atomicAdd((float *)&words[(size_t)at * apart], 1.0f);
  }
}
__global__ void barrier(int steps, int work, float *y) {
  float v = threadIdx.x;
  for (int s = 0; s < steps; s++) {
    for (int k = 0; k < work; k++) v = v * 1.5f + 1.f;
    __syncthreads();
    if (threadIdx.x == 0) { __threadfence(); atomicAdd(&arrived, 1u); while (*(volatile unsigned *)&arrived < (s + 1) * gridDim.x) {} __threadfence(); }
    __syncthreads();
  }
  if (v == 12345.f) y[0] = v;
}
template <int N> __global__ void local(unsigned *out, int rounds, int how, unsigned seed) {
  unsigned a[N], i = blockIdx.x * blockDim.x + threadIdx.x, s = i;
  for (int k = 0; k < N; k++) a[(k * seed) % N] = k;
  for (int r = 0; r < rounds; r++) for (int k = 0; k < N; k++) { unsigned at = how == 0 ? k : how == 1 ? (k + threadIdx.x) % N : (k * 7 + threadIdx.x * 13) % N; unsigned v = a[(at * seed) % N]; s += v; if (how == 2) a[at] = s; }
  out[i] = s;
}
template <class F> void time(const char *name, F f) {
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float best = 1e30f, ms;
  for (int t = 0; t < 4; t++) { clear<<<1056, 256>>>(); cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); cudaEventElapsedTime(&ms, a, b); if (t && ms < best) best = ms; }
  printf("%s,%.2f\n", name, best * 1e3f); cudaError_t e = cudaGetLastError(); if (e) printf("# %s\n", cudaGetErrorString(e));
}
int main() {
  unsigned *out; cudaMalloc(&out, 64 << 20); char name[200];
  for (int fl = 0; fl < 2; fl++) for (int how = 0; how < 4; how++) { if (fl && how == 3) continue; for (unsigned n : {1u, 8u, 64u, 256u, 1024u, 4096u, 65536u, 1u << 20, 1u << 23}) for (unsigned apart : {1u, 8u, 32u}) {
    if ((size_t)n * apart > (1u << 24)) continue;
    sprintf(name, "%s,how%d,words%u,apart%u", fl ? "floats" : "sums", how, n, apart);
    time(name, [&] { if (fl) floats<<<4096, 256>>>(n - 1, how, apart, 2); else sums<<<4096, 256>>>(n - 1, how, apart, 2); });
  } }
  for (int g : {1, 8, 32, 66, 132, 264, 528, 1056}) for (int work : {0, 500}) { sprintf(name, "barrier,blocks%d,work%d", g, work); time(name, [&] { barrier<<<g, 256>>>(100, work, (float *)out); }); }
  for (int how = 0; how < 3; how++) for (int b : {132, 528, 1056, 2112, 8448}) {
    sprintf(name, "local,16,how%d,blocks%d", how, b); time(name, [&] { local<16><<<b, 128>>>(out, 16, how, 1); });
    sprintf(name, "local,64,how%d,blocks%d", how, b); time(name, [&] { local<64><<<b, 128>>>(out, 4, how, 1); });
    sprintf(name, "local,160,how%d,blocks%d", how, b); time(name, [&] { local<160><<<b, 128>>>(out, 2, how, 1); });
    sprintf(name, "local,512,how%d,blocks%d", how, b); time(name, [&] { local<512><<<b, 128>>>(out, 1, how, 1); });
  }
}
