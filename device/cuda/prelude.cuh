
#define __kernel extern "C" __global__
#define __global
typedef unsigned int uint;
typedef unsigned long long ulong;
typedef unsigned char uchar;
typedef unsigned short ushort;
#define get_group_id(N) blockIdx.x
#define get_local_id(N) threadIdx.x
#define get_local_size(N) blockDim.x
#define get_global_id(N) (blockIdx.x * (ulong) blockDim.x + threadIdx.x)
#define get_global_size(N) (gridDim.x * (ulong) blockDim.x)
struct half { unsigned short bits; };
inline __device__ float vload_half(ulong i, const half *p) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(p[i].bits));
  return f;
}
#define atomic_add atomicAdd
#define atomic_min atomicMin
inline __device__ uint4 operator|(uint4 a, uint4 b) { return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w); }
inline __device__ void operator|=(uint4 &a, uint4 b) { a = a | b; }
