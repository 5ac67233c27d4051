struct bfloat16 {
    ushort bits;
    bfloat16() = default;
    template<typename T> __device__ explicit bfloat16(T x) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"((float) x)); }
    template<typename T> __device__ bfloat16 &operator=(T x) { return *this = bfloat16(x); }
    __device__ operator float() const { return __int_as_float((uint) bits << 16); }
};
