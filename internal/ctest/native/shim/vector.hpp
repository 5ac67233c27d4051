// Vectors of 2, 3, 4, 8 and 16 numbers: one access each, an operation for each lane.
namespace native {

template <class T, int N> struct Lanes {
	Var<T> lanes[N];
	Var<T> &lane(int i) { return lanes[i]; }
	const Var<T> &lane(int i) const { return lanes[i]; }
};
template <class T> struct Lanes<T, 2> {
	Var<T> x, y;
	Var<T> &lane(int i) { return (&x)[i]; }
	const Var<T> &lane(int i) const { return (&x)[i]; }
};
template <class T> struct Lanes<T, 3> {
	Var<T> x, y, z, behind;
	Var<T> &lane(int i) { return (&x)[i]; }
	const Var<T> &lane(int i) const { return (&x)[i]; }
};
template <class T> struct Lanes<T, 4> {
	Var<T> x, y, z, w;
	Var<T> &lane(int i) { return (&x)[i]; }
	const Var<T> &lane(int i) const { return (&x)[i]; }
};

// VecVal is the value of an expression.
template <class T, int N> struct VecVal {
	T v[N] = {};
	bool data = false;
	Node *n = nullptr;
	Val<T> lane(int i) const { return {v[i], data, n}; }
	template <int... I> auto picked() const { return VecVal<T, sizeof...(I)>{{v[I]...}, data, n}; }
};

template <class T, int N> struct Vec : Lanes<T, N> {
	Vec() = default;
	Vec(const Vec &x) : Lanes<T, N>() { init(x.load()); }
	Vec(const VecVal<T, N> &x) { init(x); }
	void init(const VecVal<T, N> &x) {
		if (is_data<T>(x.data)) work(x.n);
		for (int i = 0; i < N; i++) {
			Var<T> &l = this->lane(i);
			l.v = x.v[i], l.data = x.data, l.set = true;
		}
	}
	// picked are lanes of a vector: .xy. Only these are loaded of one in memory, those that follow each other in one access.
	template <int... I> auto picked() const {
		constexpr int at[] = {I...};
		bool row = sizeof...(I) > 1;
		for (unsigned i = 1; i < sizeof...(I); i++) row = row && at[i] == at[i - 1] + 1;
		Region *r = row ? region_of(this) : nullptr;
		if (r) accessed<T>(r, sizeof...(I), false);
		VecVal<T, sizeof...(I)> out;
		for (unsigned i = 0; i < sizeof...(I); i++) {
			const Var<T> &l = this->lane(at[i]);
			if (r && !l.set) l.v = start<T>(r, &l), l.set = true;
			Val<T> x = r ? Val<T>(l.v, true, nullptr) : l.load();
			out.v[i] = x.v, out.data = out.data || x.data;
		}
		return out;
	}
	VecVal<T, N> load() const {
		VecVal<T, N> out;
		Region *r = region_of(this);
		if (r) accessed<T>(r, N, false);
		out.data = r != nullptr;
		for (int i = 0; i < N; i++) {
			const Var<T> &l = this->lane(i);
			if (r && !l.set) l.v = start<T>(r, &l), l.set = true;
			out.v[i] = l.v;
			out.data = out.data || l.data;
		}
		return out;
	}
	VecVal<T, N> store(const VecVal<T, N> &x) {
		if (Region *r = region_of(this)) {
			accessed<T>(r, N, true);
			work(x.n);
			VecVal<T, N> y = x;
			y.n = nullptr;
			init(y);
		} else init(x);
		VecVal<T, N> out = x;
		out.n = nullptr;
		return out;
	}
	VecVal<T, N> operator=(const Vec &x) { return store(x.load()); }
	VecVal<T, N> operator=(const VecVal<T, N> &x) { return store(x); }
	template <class U> VecVal<T, N> operator+=(const U &x) { return store(*this + x); }
	template <class U> VecVal<T, N> operator-=(const U &x) { return store(*this - x); }
	template <class U> VecVal<T, N> operator*=(const U &x) { return store(*this * x); }
	template <class U> VecVal<T, N> operator/=(const U &x) { return store(*this / x); }
};

template <class T> struct is_vec : std::false_type {};
template <class T, int N> struct is_vec<Vec<T, N>> : std::true_type {};
template <class T, int N> struct is_vec<VecVal<T, N>> : std::true_type {};
template <class T> constexpr bool is_vector = is_vec<std::remove_cvref_t<T>>::value;

template <class T, int N> VecVal<T, N> whole(const Vec<T, N> &x) { return x.load(); }
template <class T, int N> VecVal<T, N> whole(const VecVal<T, N> &x) { return x; }

template <class T, int N> struct value_of<Vec<T, N>> { using type = VecVal<T, N>; };

// splat is a scalar as a vector like one.
template <class T, int N, class U> VecVal<T, N> splat(const U &x) {
	auto v = read(x);
	VecVal<T, N> out;
	for (int i = 0; i < N; i++) out.v[i] = converted<T>(v.v);
	out.data = is_data<number_t<U>>(v.data);
	out.n = v.n;
	return out;
}

template <class T, int N, class F> VecVal<T, N> lanewise(const char *op, const VecVal<T, N> &a, const VecVal<T, N> &b, F f) {
	VecVal<T, N> out;
	for (int i = 0; i < N; i++) out.v[i] = T(f(plain(a.v[i]), plain(b.v[i])));
	out.data = a.data || b.data;
	out.n = operation<T>(op, N, a.n, b.n);
	return out;
}

#define NATIVE_LANES(OP, NAME, VALUE)                                                                                      \
	template <class A, class B> requires(is_vector<A> && is_vector<B>) auto operator OP(const A &a, const B &b) {          \
		auto x = whole(a), y = whole(b);                                                                                   \
		return lanewise(NAME, x, y, [](auto p, auto q) { return VALUE; });                                                 \
	}                                                                                                                      \
	template <class A, class B> requires(is_vector<A> && is_scalar<B>) auto operator OP(const A &a, const B &b) {          \
		auto x = whole(a);                                                                                                 \
		return x OP alike(x, b);                                                                                           \
	}                                                                                                                      \
	template <class A, class B> requires(is_scalar<A> && is_vector<B>) auto operator OP(const A &a, const B &b) {          \
		auto y = whole(b);                                                                                                 \
		return alike(y, a) OP y;                                                                                           \
	}

template <class T, int N, class U> VecVal<T, N> alike(const VecVal<T, N> &, const U &x) { return splat<T, N>(x); }
NATIVE_LANES(+, "add", p + q)
NATIVE_LANES(-, "add", p - q)
NATIVE_LANES(*, "mul", p * q)
NATIVE_LANES(/, "div", quotient(p, q))
NATIVE_LANES(%, "div", remainder(p, q))

template <class A> requires is_vector<A> auto operator-(const A &a) {
	auto x = whole(a);
	for (auto &v : x.v) v = decltype(v + v)(-plain(v));
	return x;
}

// vector makes one of scalars and vectors: (float4)(a, b, c, d).
template <class T, int N> struct Maker {
	VecVal<T, N> out;
	int at = 0;
	template <class U> void add(const U &x) {
		if constexpr (is_vector<U>) {
			auto v = whole(x);
			for (auto l : v.v) out.v[at++] = converted<T>(l);
			out.data = out.data || v.data;
			out.n = node(nullptr, nullptr, 0, out.n, v.n);
		} else {
			auto v = read(x);
			out.v[at++] = converted<T>(v.v);
			out.data = out.data || is_data<number_t<U>>(v.data);
			out.n = node(nullptr, nullptr, 0, out.n, v.n);
		}
	}
};
template <class T, int N, class... X> VecVal<T, N> vector(const X &...x) {
	if constexpr (sizeof...(X) == 1 && (is_scalar<X> && ...)) return splat<T, N>(x...);
	else {
		Maker<T, N> m;
		(m.add(x), ...);
		return m.out;
	}
}

template <class T, int N> VecVal<T, N> arm(const Vec<T, N> &x) { return x.load(); }

// Offset of elements: vload4(i, p), vstore4(v, i, p).
template <int N, class I, class T> VecVal<T, N> vload_of(const I &i, const Var<T> *p) {
	return ((const Vec<T, N> *)(p + long(read(i).v) * N))->load();
}
template <int N, class V, class I, class T> void vstore_of(const V &v, const I &i, Var<T> *p) {
	((Vec<T, N> *)(p + long(read(i).v) * N))->store(whole(v));
}

// The same with numbers of 16 bits in memory: vload_half(i, p), vstore_half4(v, i, p).
template <int N, class I> auto vload_half_of(const I &i, const Var<Half> *p) {
	if constexpr (N == 1) return convert<float>(read(p[long(read(i).v)]));
	else {
		VecVal<Half, N> x = vload_of<N>(i, p);
		VecVal<float, N> out{{}, x.data, x.n};
		for (int l = 0; l < N; l++) out.v[l] = x.v[l].f;
		return out;
	}
}
template <int N, class V, class I> void vstore_half_of(const V &v, const I &i, Var<Half> *p) {
	if constexpr (N == 1) p[long(read(i).v)] = convert<Half>(read(v));
	else {
		auto x = whole(v);
		VecVal<Half, N> out{{}, x.data, x.n};
		for (int l = 0; l < N; l++) out.v[l] = Half(x.v[l]);
		vstore_of<N>(out, i, p);
	}
}

} // namespace native
