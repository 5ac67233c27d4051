// Copies that arrive at barriers in local memory; transfer.sass is its machine code, by NVRTC 12.4 for sm_90.
typedef unsigned u32; typedef unsigned long long u64;
extern "C" __global__ void bulk(const float* x, float* o, int n){
 __shared__ alignas(128) float buf[2][256]; __shared__ alignas(8) u64 bar[2];
 u32 b=(u32)__cvta_generic_to_shared(bar), s=(u32)__cvta_generic_to_shared(buf);
 if(threadIdx.x==0){ asm volatile("mbarrier.init.shared.b64 [%0], 1;"::"r"(b)); asm volatile("mbarrier.init.shared.b64 [%0], 1;"::"r"(b+8)); asm volatile("fence.mbarrier_init.release.cluster;"); }
 __syncthreads();
 float sum=0;
 for(int t=0;t<n;t++){ int k=t&1; u32 ph=(t>>1)&1;
  if(threadIdx.x==0){ asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"::"r"(b+8*k),"r"(1024)); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];"::"r"(s+1024*k),"l"(x+256*t),"r"(1024),"r"(b+8*k):"memory"); }
  u32 ok; do { asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0,1,0,p;}":"=r"(ok):"r"(b+8*k),"r"(ph):"memory"); } while(!ok);
  sum+=buf[k][threadIdx.x]; __syncthreads(); }
 o[threadIdx.x]=sum; }
extern "C" __global__ void arrive(const float* x, float* o, int n){
 __shared__ alignas(8) u64 bar; __shared__ float v[256]; u32 b=(u32)__cvta_generic_to_shared(&bar);
 if(threadIdx.x==0) asm volatile("mbarrier.init.shared.b64 [%0], %1;"::"r"(b),"r"(256));
 __syncthreads(); v[threadIdx.x]=x[threadIdx.x]; u64 st; asm volatile("mbarrier.arrive.shared.b64 %0,[%1];":"=l"(st):"r"(b):"memory");
 u32 ok; do { asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0,1,0,p;}":"=r"(ok):"r"(b),"l"(st):"memory"); } while(!ok);
 o[threadIdx.x]=v[255-threadIdx.x]; }
struct alignas(64) Map { char b[128]; };
extern "C" __global__ void tile(const __grid_constant__ Map m, float* o){
 __shared__ alignas(128) float buf[1024]; __shared__ alignas(8) u64 bar; u32 b=(u32)__cvta_generic_to_shared(&bar), s=(u32)__cvta_generic_to_shared(buf);
 if(threadIdx.x==0){ asm volatile("mbarrier.init.shared.b64 [%0], 1;"::"r"(b)); }
 __syncthreads();
 if(threadIdx.x==0){ asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"::"r"(b),"r"(4096)); asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0],[%1,{%2,%3}],[%4];"::"r"(s),"l"(&m),"r"(0),"r"(32),"r"(b):"memory"); }
 u32 ok; do { asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0,1,0,p;}":"=r"(ok):"r"(b),"r"(0):"memory"); } while(!ok);
 o[threadIdx.x]=buf[threadIdx.x]; }
