// Numbers that count: Var<T> is a variable or an element of memory, Val<T> the value of an expression.
namespace native {

template <class T> struct Var;

template <class T> struct Val {
	T v{};
	bool data = false; // it depends on memory
	Node *n = nullptr; // operations that made it
	Val() = default;
	constexpr Val(T v, bool data, Node *n) : v(v), data(data), n(n) {}
	constexpr explicit Val(T v) : v(v) {}
	Val(const Val &) = default;
	Val &operator=(const Val &) = default;
	template <class U> requires(!std::is_same_v<T, U>) explicit Val(const Val<U> &x);
	template <class U> explicit Val(const Var<U> &x);
	template <class U> requires(is_number<U> && !std::is_same_v<T, U>) explicit Val(U x);
	explicit operator bool() const;
	// Subscripts, cases, extents: what they compute is no work.
	operator long() const requires std::is_integral_v<T> { return long(v); }
};

template <class T> struct is_val : std::false_type {};
template <class T> struct is_val<Val<T>> : std::true_type {};
template <class T> struct is_var : std::false_type {};
template <class T> struct is_var<Var<T>> : std::true_type {};
template <class T> constexpr bool is_proxy = is_val<std::remove_cvref_t<T>>::value || is_var<std::remove_cvref_t<T>>::value;
template <class T> constexpr bool is_scalar = is_proxy<T> || is_number<std::remove_cvref_t<T>>;

template <class T> struct number_of { using type = T; };
template <class T> struct number_of<Val<T>> { using type = T; };
template <class T> struct number_of<Var<T>> { using type = T; };
template <class T> using number_t = typename number_of<std::remove_cvref_t<T>>::type;

// What C computes in.
template <class A, class B> struct common {
	using type = decltype(std::declval<A>() + std::declval<B>());
};
template <> struct common<Half, Half> { using type = Half; };
template <class B> requires std::is_floating_point_v<B> struct common<Half, B> { using type = B; };
template <class A> requires std::is_floating_point_v<A> struct common<A, Half> { using type = A; };
template <class B> requires std::is_integral_v<B> struct common<Half, B> { using type = Half; };
template <class A> requires std::is_integral_v<A> struct common<A, Half> { using type = Half; };
template <class A, class B> using common_t = typename common<A, B>::type;
template <class T> using promoted_t = typename common<T, std::conditional_t<std::is_same_v<T, Half>, Half, int>>::type;

// A conversion, defined where C leaves it open.
template <class T, class U> T converted(U x) {
	if constexpr (std::is_same_v<T, U>) return x;
	else if constexpr (std::is_same_v<T, bool>) return x != U(0);
	else if constexpr (std::is_same_v<T, Half>) return Half(float(x));
	else if constexpr (std::is_same_v<U, Half>) return converted<T>(x.f);
	else if constexpr (std::is_floating_point_v<U> && std::is_integral_v<T>) {
		if (!(x > U(-9e18) && x < U(9e18))) return T(0);
		return T((long)x);
	} else return T(x);
}
inline bool operator!=(Half a, Half b) { return a.f != b.f; }

template <class T> constexpr bool is_data(bool data) { return data || is_float<T>; }

// settle makes operations work where their value is assigned: of a number in floating point, or of one that depends on memory.
template <class U> void settle(const Val<U> &x, bool always) {
	if (always || is_data<U>(x.data)) work(x.n);
}

template <class T> struct Var {
	mutable T v;
	mutable bool data, set;

	Var() : v(), data(false), set(true) {}
	Var(const Var &x) { init(x.load(), false); }
	Var(T x) : v(x), data(false), set(true) {}
	template <class U> requires(!std::is_same_v<T, U>) Var(const Var<U> &x) { init(x.load(), false); }
	template <class U> Var(const Val<U> &x) { init(x, false); }
	template <class U> requires(is_number<U> && !std::is_same_v<T, U>) Var(U x) : v(converted<T>(x)), data(false), set(true) {}

	template <class U> void init(const Val<U> &x, bool memory) {
		settle(x, memory || is_float<T>);
		v = converted<T>(x.v);
		data = is_data<U>(x.data);
		set = true;
	}
	Val<T> load() const {
		if (Region *r = region_of(this)) {
			accessed<T>(r, 1, false);
			if (!set) v = start<T>(r, this), set = true;
			return {v, true, nullptr};
		}
		return {v, data, nullptr};
	}
	// store assigns. The value of an assignment is what was assigned, which is not loaded again.
	template <class U> Val<T> store(const Val<U> &x) {
		Region *r = region_of(this);
		if (r) accessed<T>(r, 1, true);
		init(x, r != nullptr);
		return {v, data || r, nullptr};
	}
	Val<T> operator=(const Var &x) { return store(x.load()); }
	template <class U> requires is_scalar<U> Val<T> operator=(const U &x);
	explicit operator bool() const { return bool(load()); }
	operator long() const requires std::is_integral_v<T> { return long(load().v); }

	template <class U> Val<T> operator+=(const U &x) { return store(*this + x); }
	template <class U> Val<T> operator-=(const U &x) { return store(*this - x); }
	template <class U> Val<T> operator*=(const U &x) { return store(*this * x); }
	template <class U> Val<T> operator/=(const U &x) { return store(*this / x); }
	template <class U> Val<T> operator%=(const U &x) { return store(*this % x); }
	template <class U> Val<T> operator<<=(const U &x) { return store(*this << x); }
	template <class U> Val<T> operator>>=(const U &x) { return store(*this >> x); }
	template <class U> Val<T> operator&=(const U &x) { return store(*this & x); }
	template <class U> Val<T> operator|=(const U &x) { return store(*this | x); }
	template <class U> Val<T> operator^=(const U &x) { return store(*this ^ x); }
	Val<T> operator++() { return store(*this + 1); }
	Val<T> operator--() { return store(*this - 1); }
	Val<T> operator++(int) {
		Val<T> old = load();
		store(old + 1);
		return old;
	}
	Val<T> operator--(int) {
		Val<T> old = load();
		store(old - 1);
		return old;
	}
};

template <class T> Val<T> read(const Var<T> &x) { return x.load(); }
template <class T> Val<T> read(const Val<T> &x) { return x; }
template <class T> requires is_number<T> Val<T> read(T x) { return Val<T>(x); }

template <class T> template <class U> requires is_scalar<U> Val<T> Var<T>::operator=(const U &x) { return store(read(x)); }

template <class T, class U> Val<T> convert(const Val<U> &x) { return {converted<T>(x.v), is_data<U>(x.data), x.n}; }
template <class T> template <class U> requires(!std::is_same_v<T, U>) Val<T>::Val(const Val<U> &x) : Val(convert<T>(x)) {}
template <class T> template <class U> Val<T>::Val(const Var<U> &x) : Val(convert<T>(x.load())) {}
template <class T> template <class U> requires(is_number<U> && !std::is_same_v<T, U>) Val<T>::Val(U x) : v(converted<T>(x)) {}

template <class T> Val<T>::operator bool() const {
	settle(*this, false);
	return holds(is_data<T>(data), converted<bool>(v));
}

// plain is the number in which a machine computes: that of 16 bits in one of 32.
template <class T> auto plain(T x) {
	if constexpr (std::is_same_v<T, Half>) return x.f;
	else return x;
}

#define NATIVE_ARITHMETIC(OP, NAME, GUARD)                                                                              \
	template <class A, class B> requires((is_proxy<A> || is_proxy<B>) && is_scalar<A> && is_scalar<B>)                  \
	auto operator OP(const A &a, const B &b) {                                                                          \
		using T = common_t<number_t<A>, number_t<B>>;                                                                   \
		auto x = read(a);                                                                                               \
		auto y = read(b);                                                                                               \
		auto p = plain(converted<T>(x.v)), q = plain(converted<T>(y.v));                                                \
		return Val<T>{GUARD, is_data<number_t<A>>(x.data) || is_data<number_t<B>>(y.data), operation<T>(NAME, 1, x.n, y.n)}; \
	}

template <class P> P quotient(P p, P q) {
	if constexpr (std::is_integral_v<P>) return q == 0 ? P(0) : std::is_signed_v<P> && q == P(-1) ? P(0) - p : p / q;
	else return p / q;
}
template <class P> P remainder(P p, P q) { return q == 0 || std::is_signed_v<P> && q == P(-1) ? P(0) : p % q; }

NATIVE_ARITHMETIC(+, "add", T(p + q))
NATIVE_ARITHMETIC(-, "add", T(p - q))
NATIVE_ARITHMETIC(*, "mul", T(p *q))
NATIVE_ARITHMETIC(/, "div", T(quotient(p, q)))
NATIVE_ARITHMETIC(%, "div", T(remainder(p, q)))
NATIVE_ARITHMETIC(&, "bw", T(p &q))
NATIVE_ARITHMETIC(|, "bw", T(p | q))
NATIVE_ARITHMETIC(^, "bw", T(p ^ q))

#define NATIVE_SHIFT(OP)                                                                                          \
	template <class A, class B> requires((is_proxy<A> || is_proxy<B>) && is_scalar<A> && is_scalar<B>)            \
	auto operator OP(const A &a, const B &b) {                                                                    \
		using T = promoted_t<number_t<A>>;                                                                        \
		auto x = read(a);                                                                                         \
		auto y = read(b);                                                                                         \
		return Val<T>{T(T(x.v) OP(int(y.v) & int(sizeof(T) * 8 - 1))), x.data || y.data, operation<T>("shift", 1, x.n, y.n)}; \
	}
NATIVE_SHIFT(<<)
NATIVE_SHIFT(>>)

#define NATIVE_COMPARISON(OP)                                                                                            \
	template <class A, class B> requires((is_proxy<A> || is_proxy<B>) && is_scalar<A> && is_scalar<B>)                   \
	Val<bool> operator OP(const A &a, const B &b) {                                                                      \
		using T = common_t<number_t<A>, number_t<B>>;                                                                    \
		auto x = read(a);                                                                                                \
		auto y = read(b);                                                                                                \
		return {plain(converted<T>(x.v)) OP plain(converted<T>(y.v)),                                                    \
				is_data<number_t<A>>(x.data) || is_data<number_t<B>>(y.data), node(nullptr, nullptr, 0, x.n, y.n)};      \
	}
NATIVE_COMPARISON(<)
NATIVE_COMPARISON(<=)
NATIVE_COMPARISON(>)
NATIVE_COMPARISON(>=)
NATIVE_COMPARISON(==)
NATIVE_COMPARISON(!=)

template <class A> requires is_proxy<A> auto operator-(const A &a) {
	auto x = read(a);
	using T = promoted_t<number_t<A>>;
	return Val<T>{T(-plain(converted<T>(x.v))), x.data, x.n};
}
template <class A> requires is_proxy<A> auto operator+(const A &a) { return convert<promoted_t<number_t<A>>>(read(a)); }
template <class A> requires is_proxy<A> auto operator~(const A &a) {
	auto x = read(a);
	using T = promoted_t<number_t<A>>;
	return Val<T>{T(~T(x.v)), x.data, operation<T>("bw", 1, x.n, nullptr)};
}
template <class A> requires is_proxy<A> Val<bool> operator!(const A &a) {
	auto x = read(a);
	return {!converted<bool>(x.v), is_data<number_t<A>>(x.data), x.n};
}

// The type of a cast: the value of a variable's type.
template <class T> struct value_of { using type = T; };
template <class T> struct value_of<Var<T>> { using type = Val<T>; };
template <class T> using value_t = typename value_of<T>::type;

template <class T> Val<T> literal(T x) { return Val<T>(x); }

// arm is the value of one side of a select.
template <class T> requires is_scalar<T> auto arm(const T &x) { return read(x); }
template <class T> requires(!is_scalar<T>) T arm(const T &x) { return x; }

struct Condition { bool is, data; };
inline Condition condition(bool x) { return {x, false}; }
template <class T> Condition condition(const Val<T> &x) { return {bool(x), is_data<T>(x.data)}; }
template <class T> Condition condition(const Var<T> &x) { return condition(x.load()); }

// select evaluates the arm that is taken.
template <class F, class G> auto select(Condition c, F then, G other) {
	using A = decltype(then());
	using B = decltype(other());
	if constexpr (is_val<A>::value && is_val<B>::value) {
		using P = number_t<A>;
		using Q = number_t<B>;
		using T = typename std::conditional_t<std::is_same_v<P, Q>, number_of<P>, common<P, Q>>::type;
		Val<T> v = c.is ? convert<T>(then()) : convert<T>(other());
		v.data = v.data || c.data;
		return v;
	} else {
		return c.is ? then() : other();
	}
}

// Heads of loops: opened() before, closed(x) after.
inline void opened() { now.free++; }
inline void closed() { now.free--; }
template <class T> requires is_scalar<T> auto closed(const T &x) {
	auto v = read(x);
	now.free--;
	v.n = nullptr;
	return v;
}
template <class T> requires(!is_scalar<T>) T closed(T x) {
	now.free--;
	return x;
}
inline bool closed_test(bool x) {
	now.free--;
	return x;
}

// auto x = variable |= e makes a variable.
struct Variable {};
inline Variable variable;
template <class T> Var<T> operator|=(Variable, const Val<T> &x) { return Var<T>(x); }
template <class T> Var<T> operator|=(Variable, const Var<T> &x) { return Var<T>(x); }
template <class T> requires is_number<T> Var<T> operator|=(Variable, T x) { return Var<T>(x); }
template <class T> requires(!is_scalar<T>) T operator|=(Variable, const T &x) { return x; }

} // namespace native
