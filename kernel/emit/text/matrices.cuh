#define MULTIPLY(T, F) static inline __device__ void multiply_##T(float &c0, float &c1, float &c2, float &c3, uint4 a, uint b0, uint b1) { asm("mma.sync.aligned.m16n8k16.row.col.f32." F "." F ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1)); }
MULTIPLY(half, "f16")
MULTIPLY(bfloat16, "bf16")
#define MATRICES(NAME, HOW) static inline __device__ uint4 NAME(const void *p) { uint4 m; asm volatile("ldmatrix.sync.aligned.m8n8.x4" HOW ".shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(m.x), "=r"(m.y), "=r"(m.z), "=r"(m.w) : "r"((uint) __cvta_generic_to_shared(p)) : "memory"); return m; }
MATRICES(matrices, "") MATRICES(matrices_across, ".trans")
