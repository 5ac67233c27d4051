// --local 64 --global n
// Inline assembly that does what C has words for.
__device__ float4 load(const float4 *p) {
  float4 v;
  asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
  return v;
}
__device__ unsigned lane() {
  unsigned r;
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}
__global__ void assembly(float *y, const float4 *x, unsigned *count, const float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = load(x + i);
  float w;
  asm volatile("ld.global.f32 %0, [%1+16];\n" : "=f"(w) : "l"(z + i));
  asm volatile("bar.sync 0;");
  if (lane() < 16) {
    asm volatile("{ st.global.cs.f32 [%0], %1;\n membar.gl; }" ::"l"(y + i), "f"(v.x + w) : "memory");
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(count), "r"(1u));
  }
}
