// Memory: latencies by level, throughput by level, latencies under load. Kernels get the arguments of KERNEL: results, inputs, memory, two numbers.

// ---- chases: place i of the memory holds the address of the place m further on, in a circle of n; places are 128 B apart
KERNEL(link) {
  for (word i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[16ull * i] = (dword)(a + 16ull * (((dword)i + m) % n));
}
// What lies behind the circle takes the place of the circle in the caches.
KERNEL(sweep) {
  dword sum = 0;
  for (word i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[16ull * (n + i)];
  KEEP(sum)
}
// The clocks are those of the second time.
#define CHASE(NAME, LOAD)                                     \
  KERNEL(NAME) {                                              \
    dword p = (dword)a;                                       \
    _Pragma("unroll 1") for (int w = 0; w < 2; w++) {         \
      dword t0 = now();                                       \
      _Pragma("unroll 1") for (int i = 0; i < 128; i++) {     \
        _Pragma("unroll") for (int k = 0; k < 16; k++)        \
          asm volatile(LOAD " %0, [%0];" : "+l"(p)::"memory"); \
      }                                                       \
      dword t1 = now();                                       \
      TELL                                                    \
    }                                                         \
    KEEP(p)                                                   \
  }
CHASE(chase_l1, "ld.global.u64")
CHASE(chase_l2, "ld.global.cg.u64")

// ---- under load: each warp goes at random through n places of 32 B, a power of two
KERNEL(walk) {
  word v = WARP * 2654435761u;
  const word *x = (const word *)a + LANE % 8;
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < 64; i++) {
    word y;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(y) : "l"(x + 8ull * (v & (n - 1))) : "memory");
    v = (v + y) * 1664525u + 1013904223u;
    v ^= v >> 15;
  }
  dword t1 = now();
  TELL
  KEEP(v)
}

KERNEL(walk_apart) {  // each work-item
  word v = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < 64; i++) {
    word y;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(y) : "l"((const word *)a + 8ull * (v & (n - 1))) : "memory");
    v = (v + y) * 1664525u + 1013904223u;
    v ^= v >> 15;
  }
  dword t1 = now();
  TELL
  KEEP(v)
}

// ---- throughput: eight independent instructions in the body of a loop. Each block has n bytes of its own, a power of two.
#define MOVE(NAME, EACH, TEXT)                                                                                       \
  KERNEL(NAME) {                                                                                                     \
    char *base = (char *)a + (dword)blockIdx.x * n;                                                                  \
    word at = threadIdx.x * EACH, x = 1;                                                                             \
    __syncthreads();                                                                                                 \
    dword t0 = now();                                                                                                \
    _Pragma("unroll 1") for (int i = 0; i < m; i++) {                                                                \
      word v[8][4];                                                                                                  \
      _Pragma("unroll") for (int k = 0; k < 8; k++) {                                                                \
        char *p = base + (at & (n - 1));                                                                             \
        at += blockDim.x * EACH;                                                                                     \
        TEXT                                                                                                         \
      }                                                                                                              \
      _Pragma("unroll") for (int k = 0; k < 8; k++) x ^= v[k][0] ^ v[k][1] ^ v[k][2] ^ v[k][3];                      \
    }                                                                                                                \
    dword t1 = now();                                                                                                \
    TELL                                                                                                             \
    KEEP(x)                                                                                                          \
  }
#define NONE v[k][0] = v[k][1] = v[k][2] = v[k][3] = 0;
#define LOAD(HOW) \
  asm volatile("ld." HOW ".v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[k][0]), "=r"(v[k][1]), "=r"(v[k][2]), "=r"(v[k][3]) : "l"(p) : "memory");
MOVE(load_l1, 16, LOAD("global"))
MOVE(load_l2, 16, LOAD("global.cg"))
MOVE(store_l2, 16, asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(x) : "memory"); NONE)
MOVE(store_lines, 128, asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); NONE)
MOVE(store_sectors, 32, asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); NONE)
MOVE(store_words, 4, asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); NONE)
MOVE(fetch_lines, 4, NONE asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v[k][0]) : "l"(p), "r"(x) : "memory");)
MOVE(fetch_apart, 128, NONE asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v[k][0]) : "l"(p), "r"(x) : "memory");)
MOVE(add_apart, 128, asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); NONE)
MOVE(add_lines, 4, asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); NONE)
KERNEL(add_one) {
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < m; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a), "r"(n) : "memory");
  }
  dword t1 = now();
  TELL
}

// ---- DRAM: streams of so many MB, and sectors at random
KERNEL(read_dram) {
  dword sum = 0;
  const ulonglong2 *p = (const ulonglong2 *)a;
  dword all = (dword)n << 16, step = (dword)gridDim.x * blockDim.x;
  for (dword i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += 4 * step) {
    ulonglong2 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = p[i + k * step];
#pragma unroll
    for (int k = 0; k < 4; k++) sum ^= v[k].x ^ v[k].y;
  }
  KEEP(sum)
}
KERNEL(write_dram) {
  ulonglong2 *p = (ulonglong2 *)a;
  dword all = (dword)n << 16, step = (dword)gridDim.x * blockDim.x;
  for (dword i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += 4 * step) {
#pragma unroll
    for (int k = 0; k < 4; k++) p[i + k * step] = make_ulonglong2(i, m);
  }
}
KERNEL(read_pages) {  // m sectors of each work-item, of n places of 1 KB, a power of two
  word v = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  dword sum = 0;
  for (int i = 0; i < m; i += 8) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      v = v * 1664525u + 1013904223u;
      sum += a[128ull * ((v >> 4) & (n - 1))];
    }
  }
  KEEP(sum)
}
