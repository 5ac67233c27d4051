// --local 32 --groups g --assume g>0
// Addresses in integers: of shared memory for instructions of PTX, passed to functions and returned, moved by bytes; of global memory, for what is aligned.
__device__ unsigned place(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void row(unsigned &a, unsigned &b, unsigned &c, unsigned &d, unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
}
__global__ void k(const short *x, unsigned *y, float *z) {
  __shared__ short t[32 * 8];
  __shared__ float u[32];
  int i = threadIdx.x;
  unsigned to = place(t);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to + i * 16), "l"(x + (32 * blockIdx.x + i) * 8));
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;\n");
  __syncthreads();
  unsigned a, b, c, d;
  row(a, b, c, d, place(&t[i % 32 * 8]));
  unsigned at = (unsigned)__cvta_generic_to_shared(u);
  at += i * sizeof(float);
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(1.5f));
  uintptr_t g = reinterpret_cast<uintptr_t>(z) + i * sizeof(float);
  if ((reinterpret_cast<uintptr_t>(y) & 15) == 0) y[32 * blockIdx.x + i] = a + b + c + d;
  if ((uintptr_t)(y + 1) % 16 == 0) y[0] = 0;
  *reinterpret_cast<float *>(g) = 2;
}
