template<typename T, int N> struct __align__(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) vec {
    T s[N];
    __device__ vec() {}
    __device__ vec(T x) { for (int i = 0; i < N; i++) s[i] = x; }
    template<typename U> __device__ explicit vec(const vec<U, N> &v) { for (int i = 0; i < N; i++) s[i] = (T) v.s[i]; }
};
#define VEC_OPERATOR(OP) \
template<typename T, int N> __device__ vec<T, N> operator OP(const vec<T, N> &a, const vec<T, N> &b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = a.s[i] OP b.s[i]; return r; } \
template<typename T, int N> __device__ vec<T, N> operator OP(const vec<T, N> &a, T b) { return a OP vec<T, N>(b); } \
template<typename T, int N> __device__ vec<T, N> operator OP(T a, const vec<T, N> &b) { return vec<T, N>(a) OP b; }
VEC_OPERATOR(+) VEC_OPERATOR(-) VEC_OPERATOR(*) VEC_OPERATOR(/)
template<typename T, int N> __device__ vec<T, N> operator -(const vec<T, N> &a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = -a.s[i]; return r; }
#define VEC_FUNCTION1(F) template<typename T, int N> __device__ vec<T, N> F(const vec<T, N> &a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = F(a.s[i]); return r; }
#define VEC_FUNCTION2(F) template<typename T, int N> __device__ vec<T, N> F(const vec<T, N> &a, const vec<T, N> &b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = F(a.s[i], b.s[i]); return r; }
template<typename T, int N> __device__ vec<T, N> fma(const vec<T, N> &a, const vec<T, N> &b, const vec<T, N> &c) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = fma(a.s[i], b.s[i], c.s[i]); return r; }
template<int N, typename T> __device__ vec<T, N> vload(const T *p) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = p[i]; return r; }
template<int BYTES> struct vword { typedef uint4 type; };
template<> struct vword<2> { typedef ushort type; };
template<> struct vword<4> { typedef uint type; };
template<> struct vword<8> { typedef uint2 type; };
template<typename T, int N> __device__ vec<T, N> vwide(const vec<T, N> *p) { typedef typename vword<sizeof(vec<T, N>)>::type W; vec<T, N> r; for (int i = 0; i < sizeof(r) / sizeof(W); i++) ((W *) &r)[i] = ((const W *) p)[i]; return r; }
template<int N, typename T> __device__ void vstore(const vec<T, N> &v, T *p) { for (int i = 0; i < N; i++) p[i] = v.s[i]; }
