typedef unsigned int word;
typedef unsigned long long dword;
#define KERNEL(NAME) extern "C" __global__ void NAME(dword *t, const dword *in, dword *a, int n, int m)
#define LANE (threadIdx.x % 32)
#define WARP ((blockIdx.x * blockDim.x + threadIdx.x) / 32)
#define TELL if (LANE == 0) t[2 * WARP] = t0, t[2 * WARP + 1] = t1;
#define KEEP(VALUE) if ((VALUE) == 0x1234567) t[0] = 1;
__device__ __forceinline__ dword now() {
  dword c;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c) :: "memory");
  return c;
}
