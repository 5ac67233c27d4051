// Functions of the languages: under the names that counts have for them, and atomic updates as a load, the operation and a store.
namespace native {

template <class T> struct lane_of { using type = number_t<T>; };
template <class T, int N> struct lane_of<Vec<T, N>> { using type = T; };
template <class T, int N> struct lane_of<VecVal<T, N>> { using type = T; };

// as is an argument in the type of a function.
template <class T, class X> auto as(const X &x) {
	if constexpr (is_vector<X>) return whole(x);
	else return convert<T>(read(x));
}
template <class T, class... X> Val<T> function(const char *name, T v, const X &...x) {
	Node *n = nullptr;
	((n = node(nullptr, nullptr, 0, n, x.n)), ...);
	return {v, (false || ... || x.data), operation<T>(name, 1, n, nullptr)};
}

template <class... X> struct common_of;
template <class X> struct common_of<X> { using type = number_t<X>; };
template <class X, class... Y> struct common_of<X, Y...> { using type = common_t<number_t<X>, typename common_of<Y...>::type>; };
template <class T> using floating_t = std::conditional_t<is_float<T>, T, float>;

template <class T> T sane(T x) {
	if constexpr (std::is_floating_point_v<T>) return std::isfinite(x) ? x : T(1);
	else return x;
}

// Functions of floating point: their type is that of the arguments.
#define NATIVE_FLOAT1(CALL, NAME, EXPR)                                                                  \
	template <class A> requires is_proxy<A> auto CALL(const A &a) {                                      \
		using T = floating_t<number_t<A>>;                                                               \
		auto x = as<T>(a);                                                                               \
		auto p = plain(x.v);                                                                             \
		return function<T>(NAME, T(sane(EXPR)), x);                                                      \
	}                                                                                                    \
	template <class A> requires is_vector<A> auto CALL(const A &a) {                                     \
		auto x = whole(a);                                                                               \
		return lanewise(NAME, x, x, [](auto p, auto) { return sane(EXPR); });                            \
	}
#define NATIVE_SINGLE1(CALL, NAME, EXPR)                                     \
	template <class A> requires is_scalar<A> auto CALL(const A &a) {         \
		auto x = as<float>(a);                                               \
		float p = x.v;                                                       \
		return function<float>(NAME, float(sane(EXPR)), x);                  \
	}
#define NATIVE_FLOAT2(CALL, NAME, EXPR)                                                                  \
	template <class A, class B> requires((is_proxy<A> || is_proxy<B>) && is_scalar<A> && is_scalar<B>)   \
	auto CALL(const A &a, const B &b) {                                                                  \
		using T = floating_t<common_t<number_t<A>, number_t<B>>>;                                        \
		auto x = as<T>(a);                                                                               \
		auto y = as<T>(b);                                                                               \
		auto p = plain(x.v), q = plain(y.v);                                                             \
		return function<T>(NAME, T(sane(EXPR)), x, y);                                                   \
	}
#define NATIVE_SINGLE2(CALL, NAME, EXPR)                                                   \
	template <class A, class B> requires(is_scalar<A> && is_scalar<B>)                     \
	auto CALL(const A &a, const B &b) {                                                    \
		auto x = as<float>(a);                                                             \
		auto y = as<float>(b);                                                             \
		float p = x.v, q = y.v;                                                            \
		return function<float>(NAME, float(sane(EXPR)), x, y);                             \
	}

#define NATIVE_BOTH1(F, EXPR) NATIVE_FLOAT1(F, "func:" #F, EXPR) NATIVE_SINGLE1(F##f, "func:" #F, EXPR)
NATIVE_BOTH1(sqrt, std::sqrt(std::fabs(p)))
NATIVE_BOTH1(rsqrt, 1 / std::sqrt(std::fabs(p) + 1))
NATIVE_BOTH1(exp, std::exp(p > 8 ? p * 0 + 8 : p))
NATIVE_BOTH1(log, std::log(std::fabs(p) + 1))
NATIVE_BOTH1(sin, std::sin(p))
NATIVE_BOTH1(cos, std::cos(p))
NATIVE_BOTH1(tanh, std::tanh(p))
NATIVE_BOTH1(erf, std::erf(p))
NATIVE_BOTH1(erfc, std::erfc(p))
NATIVE_BOTH1(fabs, std::fabs(p))
NATIVE_BOTH1(floor, std::floor(p))
NATIVE_BOTH1(ceil, std::ceil(p))
NATIVE_SINGLE1(__expf, "func:exp", std::exp(p > 8 ? 8.0f : p))
NATIVE_SINGLE1(__logf, "func:log", std::log(std::fabs(p) + 1))
NATIVE_SINGLE1(__sinf, "func:sin", std::sin(p))
NATIVE_SINGLE1(__cosf, "func:cos", std::cos(p))
NATIVE_FLOAT1(native_exp, "func:exp", std::exp(p > 8 ? p * 0 + 8 : p))
NATIVE_FLOAT1(native_log, "func:log", std::log(std::fabs(p) + 1))
NATIVE_FLOAT1(native_sqrt, "func:sqrt", std::sqrt(std::fabs(p)))
NATIVE_FLOAT1(native_rsqrt, "func:rsqrt", 1 / std::sqrt(std::fabs(p) + 1))
NATIVE_FLOAT2(fmin, "func:fmin", p < q ? p : q)
NATIVE_FLOAT2(fmax, "func:fmax", p > q ? p : q)
NATIVE_SINGLE2(fminf, "func:fmin", p < q ? p : q)
NATIVE_SINGLE2(fmaxf, "func:fmax", p > q ? p : q)
NATIVE_FLOAT2(pow, "pow", std::pow(std::fabs(p) + 1, q > 3 ? 3 : q))
NATIVE_SINGLE2(powf, "pow", std::pow(std::fabs(p) + 1, q > 3 ? 3 : q))
NATIVE_SINGLE2(__fdividef, "div", p / (q == 0 ? 1 : q))
NATIVE_SINGLE2(__fadd_rn, "add", p + q)
NATIVE_SINGLE2(__fmul_rn, "mul", p *q)

// Functions with two results.
template <class A, class T> auto sincos(const A &a, T *c) {
	auto x = as<float>(a);
	*c = function<float>("func:cos", std::cos(x.v), x);
	return function<float>("func:sin", std::sin(x.v), x);
}
template <class A, class S, class C> void sincosf(const A &a, S *s, C *c) { *s = sincos(a, c); }

template <class T, class A, class B, class C> auto fused(const A &a, const B &b, const C &c) {
	auto x = as<T>(a);
	auto y = as<T>(b);
	auto z = as<T>(c);
	return function<T>("func:fma", T(sane(plain(x.v) * plain(y.v) + plain(z.v))), x, y, z);
}
template <class A, class B, class C> requires(is_scalar<A> && is_scalar<B> && is_scalar<C>) auto fmaf(const A &a, const B &b, const C &c) { return fused<float>(a, b, c); }
template <class A, class B, class C> requires(is_scalar<A> && is_scalar<B> && is_scalar<C>) auto fma(const A &a, const B &b, const C &c) {
	return fused<floating_t<typename common_of<A, B, C>::type>>(a, b, c);
}

// Least and greatest of any type.
#define NATIVE_EXTREME(CALL, OP)                                                                         \
	template <class A, class B> requires((is_proxy<A> || is_proxy<B>) && is_scalar<A> && is_scalar<B>)   \
	auto CALL(const A &a, const B &b) {                                                                  \
		using T = std::conditional_t<std::is_same_v<number_t<A>, number_t<B>>, number_of<number_t<A>>, common<number_t<A>, number_t<B>>>::type; \
		auto x = as<T>(a);                                                                               \
		auto y = as<T>(b);                                                                               \
		return function<T>("maxmin", plain(x.v) OP plain(y.v) ? x.v : y.v, x, y);                        \
	}
NATIVE_EXTREME(min, <)
NATIVE_EXTREME(max, >)
template <class A> requires is_proxy<A> auto abs(const A &a) {
	using T = promoted_t<number_t<A>>;
	auto x = as<T>(a);
	return function<T>("func:abs", T(plain(x.v) < 0 ? -plain(x.v) : plain(x.v)), x);
}
template <class X, class A, class B> requires(is_proxy<X> || is_proxy<A> || is_proxy<B>) auto clamp(const X &x, const A &a, const B &b) { return min(max(x, a), b); }

// CUDA's 16 bits.
#define NATIVE_HALF2(CALL, NAME, EXPR)                                                      \
	template <class A, class B> requires(is_scalar<A> && is_scalar<B>)                      \
	auto CALL(const A &a, const B &b) {                                                     \
		auto x = as<Half>(a);                                                               \
		auto y = as<Half>(b);                                                               \
		float p = x.v.f, q = y.v.f;                                                         \
		return function<Half>(NAME, Half(sane(EXPR)), x, y);                                \
	}                                                                                       \
	template <class A, class B> requires(is_vector<A> && is_vector<B>)                      \
	auto CALL##2(const A &a, const B &b) {                                                  \
		auto x = whole(a), y = whole(b);                                                    \
		return lanewise(NAME, x, y, [](auto p, auto q) { return EXPR; });                   \
	}
NATIVE_HALF2(__hadd, "add", p + q)
NATIVE_HALF2(__hsub, "add", p - q)
NATIVE_HALF2(__hmul, "mul", p *q)
NATIVE_HALF2(__hdiv, "div", p / (q == 0 ? 1 : q))
template <class A, class B, class C> requires(is_scalar<A> && is_scalar<B> && is_scalar<C>) auto __hfma(const A &a, const B &b, const C &c) { return fused<Half>(a, b, c); }
template <class A> auto __float2half(const A &a) { return convert<Half>(read(a)); }
template <class A> auto __half2float(const A &a) { return convert<float>(read(a)); }
template <class A> auto __int2float_rn(const A &a) { return convert<float>(read(a)); }
template <class A> auto __float2int_rn(const A &a) { return convert<int>(read(a)); }

template <class T> auto __ldg(const Var<T> *p) { return p->load(); }
template <class T, int N> auto __ldg(const Vec<T, N> *p) { return p->load(); }

// Exchanges within a sub-group: each work-item gets its own value back.
#define NATIVE_SHUFFLE(CALL, NAME)                                                                          \
	template <class M, class V, class L> auto CALL(const M &, const V &v, const L &l, int = 32) {           \
		auto x = read(v);                                                                                   \
		auto out = function("func:" NAME, x.v, x);                                                          \
		out.data = true;                                                                                    \
		return out;                                                                                         \
	}
NATIVE_SHUFFLE(__shfl_sync, "shfl")
NATIVE_SHUFFLE(__shfl_down_sync, "shfl_down")
NATIVE_SHUFFLE(__shfl_up_sync, "shfl_up")
NATIVE_SHUFFLE(__shfl_xor_sync, "shfl_xor")

// Atomic updates.
template <class T, class F> Val<T> update(Var<T> *p, const char *op, Node *n, F f) {
	Val<T> old = p->load();
	work(n);
	if (op) work(operation<T>(op, 1, nullptr, nullptr));
	p->store(Val<T>(f(old.v)));
	old.data = true;
	return old;
}
#define NATIVE_ATOMIC(CALL, OP, EXPR)                                                     \
	template <class T, class U> requires is_scalar<U> Val<T> CALL(Var<T> *at, const U &x) { \
		auto v = as<T>(x);                                                                \
		auto q = plain(v.v);                                                              \
		return update(at, OP, v.n, [&](T old) {                                           \
			auto p = plain(old);                                                          \
			(void)p, (void)q;                                                             \
			return T(EXPR);                                                               \
		});                                                                               \
	}
#define NATIVE_ATOMICS(CUDA, CL, OP, EXPR) NATIVE_ATOMIC(CUDA, OP, EXPR) NATIVE_ATOMIC(CL, OP, EXPR)
NATIVE_ATOMICS(atomicAdd, atomic_add, "add", p + q)
NATIVE_ATOMICS(atomicSub, atomic_sub, "add", p - q)
NATIVE_ATOMICS(atomicMin, atomic_min, "maxmin", p < q ? p : q)
NATIVE_ATOMICS(atomicMax, atomic_max, "maxmin", p > q ? p : q)
NATIVE_ATOMICS(atomicExch, atomic_xchg, nullptr, q)
NATIVE_ATOMICS(atomicAnd, atomic_and, "bw", p &q)
NATIVE_ATOMICS(atomicOr, atomic_or, "bw", p | q)
NATIVE_ATOMICS(atomicXor, atomic_xor, "bw", p ^ q)
template <class T> Val<T> atomic_inc(Var<T> *at) { return atomic_add(at, T(1)); }
template <class T> Val<T> atomic_dec(Var<T> *at) { return atomic_sub(at, T(1)); }
template <class T, class A, class B> Val<T> atomicCAS(Var<T> *at, const A &a, const B &b) {
	auto x = as<T>(a);
	auto y = as<T>(b);
	return update(at, nullptr, node(nullptr, nullptr, 0, x.n, y.n), [&](T old) { return old == x.v ? y.v : old; });
}
template <class T, class A, class B> Val<T> atomic_cmpxchg(Var<T> *at, const A &a, const B &b) { return atomicCAS(at, a, b); }

// OpenCL C.
template <class T, class A> auto convert_to(const A &a) {
	if constexpr (is_vector<A>) {
		auto x = whole(a);
		VecVal<T, sizeof(x.v) / sizeof(x.v[0])> out;
		for (unsigned i = 0; i < sizeof(x.v) / sizeof(x.v[0]); i++) out.v[i] = converted<T>(x.v[i]);
		out.data = x.data, out.n = x.n;
		return out;
	} else return convert<T>(read(a));
}
template <class A, class B> requires(is_vector<A> && is_vector<B>) auto dot(const A &a, const B &b) {
	auto x = whole(a), y = whole(b);
	constexpr int n = sizeof(x.v) / sizeof(x.v[0]);
	using T = std::remove_cvref_t<decltype(x.v[0])>;
	T v = x.v[0] * y.v[0];
	for (int i = 1; i < n; i++) v = v + x.v[i] * y.v[i];
	Node *all = operation<T>("mul", n, x.n, y.n);
	return Val<T>{v, x.data || y.data, operation<T>("add", n - 1, all, nullptr)};
}
template <class A, class B, class C> auto mad(const A &a, const B &b, const C &c) { return fma(a, b, c); }

} // namespace native
