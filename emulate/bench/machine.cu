// What a multiprocessor does beside operations and global memory: shared memory, constants, barriers, queues, code, blocks.

// ---- chains through memory of the multiprocessor; lanes are m bytes apart
__device__ __forceinline__ word place(const void *p) { return (word)__cvta_generic_to_shared(p); }
#define INSIDE(NAME, TEXT)                                                                    \
  KERNEL(NAME) {                                                                              \
    __shared__ __align__(16) word s[8192];                                                    \
    for (word i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = place(&s[i]);                \
    __syncthreads();                                                                          \
    word x = place(s) + LANE * m;                                                             \
    dword t0 = now();                                                                         \
    _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                         \
      _Pragma("unroll") for (int k = 0; k < 16; k++) asm volatile(TEXT : "+r"(x)::"memory");  \
    }                                                                                         \
    dword t1 = now();                                                                         \
    TELL                                                                                      \
    KEEP(x)                                                                                   \
  }
INSIDE(shared_load, "ld.shared.u32 %0, [%0];")
INSIDE(shared_add, "atom.shared.add.u32 %0, [%0], 0;")
INSIDE(shared_swap, "atom.shared.cas.b32 %0, [%0], 1, 2;")
KERNEL(global_add) {
  dword p = (dword)(a + 16 * LANE);
  *(volatile dword *)p = p;
  __syncthreads();
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) asm volatile("atom.global.add.u64 %0, [%0], 0;" : "+l"(p)::"memory");
  }
  dword t1 = now();
  TELL
  KEEP(p)
}
__constant__ word table[1024];
KERNEL(constants) {
  word x = m;
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) x = table[x];
  }
  dword t1 = now();
  TELL
  KEEP(x)
}

// ---- barriers of a block
KERNEL(barriers) {
  __syncthreads();
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) asm volatile("bar.sync 0;" ::: "memory");
  }
  dword t1 = now();
  TELL
}

// ---- tensor instructions
KERNEL(tensor) {
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  word x = m;
  __syncthreads();
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                   : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                   : "r"(x));
  }
  dword t1 = now();
  TELL
  KEEP(c0 + c1 + c2 + c3)
}

// ---- code: each pass of a warp through so many instructions
#define CODE(NAME, LENGTH)                                                                               \
  KERNEL(NAME) {                                                                                         \
    float x = threadIdx.x, y = x, z = x, v = x, f = n;                                                   \
    _Pragma("unroll 1") for (int i = 0; i < 3; i++) {                                                    \
      __syncthreads();                                                                                   \
      dword t0 = now();                                                                                  \
      _Pragma("unroll") for (int k = 0; k < LENGTH / 4; k++)                                             \
        asm volatile("fma.rn.f32 %0,%0,%4,%4; fma.rn.f32 %1,%1,%4,%4; fma.rn.f32 %2,%2,%4,%4; fma.rn.f32 %3,%3,%4,%4;" \
                     : "+f"(x), "+f"(y), "+f"(z), "+f"(v) : "f"(f));                                     \
      dword t1 = now();                                                                                  \
      if (LANE == 0) t[2 * (i * (blockDim.x / 32) + threadIdx.x / 32)] = t0, t[2 * (i * (blockDim.x / 32) + threadIdx.x / 32) + 1] = t1; \
    }                                                                                                    \
    KEEP(x + y + z + v)                                                                                  \
  }
CODE(code_256, 256)
CODE(code_1024, 1024)
CODE(code_4096, 4096)
CODE(code_8192, 8192)

// ---- blocks: where and when each begins and ends
KERNEL(blocks) {
  dword t0 = now();
  word where;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(where));
  while (now() - t0 < n)
    ;
  if (LANE == 0) t[3 * WARP] = where, t[3 * WARP + 1] = t0, t[3 * WARP + 2] = now();
}
KERNEL(empty) {}
