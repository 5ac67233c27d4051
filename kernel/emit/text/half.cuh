struct half {
    ushort bits;
    half() = default;
    template<typename T> __device__ explicit half(T x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"((float) x)); }
    __device__ explicit half(double x) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x)); }
    template<typename T> __device__ half &operator=(T x) { return *this = half(x); }
    __device__ operator float() const { float x; asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits)); return x; }
};
#define HALF_OPERATOR(OP, NAME) static inline __device__ half operator OP(half a, half b) { asm(NAME ".f16 %0, %0, %1;" : "+h"(a.bits) : "h"(b.bits)); return a; }
HALF_OPERATOR(+, "add") HALF_OPERATOR(-, "sub") HALF_OPERATOR(*, "mul")
static inline __device__ half operator /(half a, half b) { return half((float) a / (float) b); }
static inline __device__ half operator -(half a) { a.bits ^= 0x8000; return a; }
static inline __device__ half fma(half a, half b, half c) { asm("fma.rn.f16 %0, %0, %1, %2;" : "+h"(a.bits) : "h"(b.bits), "h"(c.bits)); return a; }
#define HALF_FUNCTION1(F) static inline __device__ half F(half a) { return half(F((float) a)); }
#define HALF_FUNCTION2(F) static inline __device__ half F(half a, half b) { return half(F((float) a, (float) b)); }
