package native

import "fmt"

// pairs declares structures, once.
func (g *generator) pairs() {
	g.mark("struct")
	text := "struct pair { float a, b; };\nstruct mixed { int k; double d; float f[2]; struct pair p; char c; };"
	if g.cuda {
		text = "struct pair {\n\tfloat a, b;\n\t__device__ float area() const { return a * b; }\n\t__device__ void grow(float by) { a += by; b *= by; }\n" +
			"\t__device__ pair operator+(const pair &o) const { pair r; r.a = a + o.a; r.b = b + o.b; return r; }\n};\n" +
			"struct mixed { int k; double d; float f[2]; pair p; char c; };\n" +
			"struct box {\n\tfloat v;\n\tint n;\n\t__device__ box(float v, int n) : v(v * 2.0f), n(n) {}\n\t__device__ float operator()(float x) const { return v * x + n; }\n};\n" +
			"template <class F> __device__ float apply(F f, float x) { return f(x) - 1.0f; }"
	}
	g.helper("struct pair", text)
	g.helper("twice", "__device__ float ratio(struct pair p) { return p.a / p.b; }\n__device__ struct pair twice(struct pair p, float by) {\n\tp.a *= by;\n\tp.b += by;\n\treturn p;\n}")
}

// structure uses structures as variables, in memory, by value, by reference, and as objects.
func (g *generator) structure() {
	g.pairs()
	name := g.name("s")
	g.line("struct pair %s;", name)
	switch g.Intn(4) {
	case 0:
		g.line("%s.a = %s;", name, g.value(1))
		g.line("%s.b = %s;", name, g.value(0))
	case 1:
		g.line("%s = %s[%s];", name, g.param("pr"), g.index(1))
	case 2:
		g.line("%s = twice(%s[%s], %s);", name, g.param("pr"), g.index(1), g.value(0))
	default:
		g.line("%s = %s[%s].p;", name, g.param("mx"), g.place())
	}
	for range 1 + g.Intn(2) {
		g.useOf(name)
	}
	if g.cuda && g.in(2) {
		g.objects(name)
	}
}

// useOf uses a structure.
func (g *generator) useOf(name string) {
	switch g.Intn(13) {
	case 0:
		g.line("acc += %[1]s.a * %[1]s.b;", name)
	case 1:
		g.line("%s[%s] = %s;", g.param("pr"), g.place(), name)
	case 2:
		g.line("%s[%s].%s %s %s.b;", g.param("pr"), g.place(), g.pick("a", "b"), g.pick("=", "+=", "*="), name)
	case 3:
		g.line("acc += ratio(%s);", g.pick(name, g.param("pr")+"["+g.index(1)+"]"))
	case 4:
		g.line("%[1]s = twice(%[1]s, %[2]s);", name, g.value(0))
	case 5:
		g.line("%[1]s[%[2]s].f[%[3]s & 1] %[4]s %[5]s.a;", g.param("mx"), g.index(1), g.indices[g.Intn(len(g.indices))], g.pick("=", "+="), name)
	case 6:
		g.line("%[1]s[%[2]s].d += %[1]s[%[3]s].k * %[4]s.a;", g.param("mx"), g.index(1), g.index(0), name)
	case 7:
		g.line("%[1]s[%[2]s] = %[1]s[%[3]s];", g.param(g.pick("pr", "mx")), g.index(1), g.index(0))
	case 8:
		g.line("%s[%s].p = %s;", g.param("mx"), g.index(1), name)
	case 9:
		k := g.name("k")
		g.line("for (int %[1]s = 0; %[1]s < %[2]s; %[1]s++) {", k, g.bound())
		g.line("\t%s.a += %s[%s].b;", name, g.param("pr"), k)
		g.line("\t%s.b *= 0.5f;", name)
		g.line("}")
	case 10:
		g.line("if (%s)", g.onIndices())
		g.line("\t%s.%s = %s;", name, g.pick("a", "b"), g.value(1))
		g.line("acc += %s.a;", name)
	case 11:
		other := g.name("s")
		g.line("struct pair %s[2];", other)
		g.line("%s[%s & 1] = %s;", other, g.indices[g.Intn(len(g.indices))], name)
		g.line("acc += %s[%d].b;", other, g.Intn(2))
	default:
		g.line("acc += %[1]s.b + %[2]s[%[3]s].c;", name, g.param("mx"), g.index(1))
	}
}

// objects uses what C++ has of structures.
func (g *generator) objects(name string) {
	g.mark("objects")
	switch g.Intn(8) {
	case 0:
		g.line("acc += %s.area();", g.pick(name, g.param("pr")+"["+g.index(1)+"]"))
	case 1:
		g.line("%s.grow(%s);", g.pick(name, g.param("pr")+"["+g.place()+"]"), g.value(1))
	case 2:
		other := g.name("s")
		g.line("pair %s = %s + %s[%s];", other, name, g.param("pr"), g.index(1))
		g.line("acc += %s.a;", other)
	case 3:
		g.line("%[1]s[%[2]s] = %[1]s[%[3]s] + %[4]s + %[4]s;", g.param("pr"), g.index(1), g.index(0), name)
	case 4:
		g.line("pair &r%[1]s = %[2]s[%[3]s];", name, g.param("pr"), g.place())
		g.line("r%[1]s.a += r%[1]s.b;", name)
	case 5:
		other := g.name("o")
		g.line("box %s(%s, %d);", other, g.value(1), 1+g.Intn(4))
		g.line("acc += %s(%s) + apply(%[1]s, %[3]s.a);", other, g.value(0), name)
	case 6:
		g.line("acc += apply(box(%s.a, 2), %s);", name, g.value(0))
	default:
		g.line("pair *p%[1]s = &%[2]s[%[3]s];", name, g.param("pr"), g.index(1))
		g.line("p%[1]s->b %[2]s p%[1]s->a;", name, g.pick("=", "-="))
		if g.in(2) {
			g.line("p%s++;", name)
			g.line("acc += p%s->a;", name)
		}
	}
}

// castPointer accesses memory by another type.
func (g *generator) castPointer() {
	g.mark("cast of a pointer")
	space := ""
	if !g.cuda {
		space = "__global "
	}
	switch g.Intn(3) {
	case 0:
		g.line("((%sint *) %s)[%s] = %s;", space, g.param("u"), g.index(1), g.index(0))
	case 1:
		name := g.name("c")
		g.line("%sunsigned int *%s = (%[1]sunsigned int *) (%[3]s + %[4]s);", space, name, g.param("d"), g.index(1))
		g.line("acc += %s[%s];", name, g.index(0))
	default:
		g.line("*(%sint *) &%s[%s] += 1;", space, g.param("u"), g.place())
	}
}

// specialized uses templates that have specializations.
func (g *generator) specialized() {
	g.mark("specializations")
	g.helper("scaled", "template <class T, int N> __device__ T scaled(T x);\ntemplate <class T, int N> __device__ T scaled(T x) { return x * T(N); }\n"+
		"template <> __device__ float scaled<float, 3>(float x) { return x + x + x; }\n"+
		"template <class T> struct kind { static constexpr int n = 2; };\ntemplate <> struct kind<double> { static constexpr int n = 3; };")
	switch g.Intn(7) {
	case 6:
		g.pack()
	case 0:
		if g.in(2) {
			g.mark("functions as arguments of templates")
			g.helper("both", "template <int N> __device__ float times(float x) { return x * N; }\n__device__ float next_to(float x) { return x + 1; }\n"+
				"template <class T, T (*f)(T)> __device__ T both(T x) { return f(f(x)); }")
			g.line("acc += both<float, %s>(%s);", g.pick("times<3>", "times<2>", "next_to"), g.value(1))
			return
		}
		g.line("acc += scaled<float, %d>(%s);", 2+g.Intn(3), g.value(1))
	case 1:
		g.mark("conditions on the types of a template")
		g.helper("cast", "template <class T, class U> __device__ typename std::enable_if<!std::is_same<T, U>::value, T>::type cast(U v) { return static_cast<T>(v) * 2; }\n"+
			"template <class T, class U> __device__ std::enable_if_t<std::is_same_v<T, U>, T> cast(U v) { return v; }\n"+
			"template <int N, std::enable_if_t<(N > 2), int> = 0> __device__ float grown(float x) { return x + x + x; }\n"+
			"template <int N, typename = std::enable_if_t<(N <= 2)>, int = 0> __device__ float grown(float x) { return x * x; }")
		g.line("acc += cast<float, int>(%s) + cast<float, float>(%s) + grown<%d>(%s);", g.index(0), g.value(0), 1+g.Intn(4), g.value(0))
	case 2, 3:
		g.mark("templates of records as arguments of templates")
		g.helper("folded", "template <class T> struct plus_of { __device__ T operator()(T a, T b) const { return a + b; } static constexpr int first = 0; };\n"+
			"template <class T> struct times_of { __device__ T operator()(T a, T b) const { return a * b; } static constexpr int first = 1; };\n"+
			"template <class T, template <class> class Op, int N> __device__ T folded(const T *a) {\n\tT s = Op<T>::first;\n\tfor (int k = 0; k < N; k++)\n\t\ts = Op<T>()(s, a[k]);\n\treturn s;\n}\n"+
			"template <class T, class F> __device__ T with(T a, T b, F op) { return op(a, op(b, a)); }")
		if g.real == "float" && g.in(2) {
			g.line("acc += folded<float, %s, %d>(%s + %s);", g.pick("plus_of", "times_of"), 1+g.Intn(4), g.param("x"), g.index(0))
			return
		}
		g.line("acc += with<float>(%s, %s, %s<float>());", g.value(0), g.value(0), g.pick("plus_of", "times_of"))
	case 4:
		k := g.name("k")
		g.line("for (int %[1]s = 0; %[1]s < kind<%[2]s>::n; %[1]s++)", k, g.pick("float", "double"))
		g.line("\tacc += %s[%s + %s];", g.param("x"), k, g.index(0))
	default:
		g.line("%s[%s] = scaled<double, %d>(%s);", g.param("w"), g.index(1), 3+g.Intn(2), fmt.Sprintf("%s[%s]", g.param("w"), g.index(0)))
	}
}

// pack uses templates with any number of arguments.
func (g *generator) pack() {
	g.mark("packs of templates")
	g.helper("most_of", "template <class T> __device__ T most_of(T x) { return x; }\n"+
		"template <class T, class... Rest> __device__ T most_of(T x, Rest... rest) { return fmaxf(x * sizeof...(Rest), most_of(rest...)); }\n"+
		"template <class... Ts> __device__ float joined(Ts... xs) { return (1.0f - ... - xs); }\n"+
		"template <int... Is> __device__ float picked(const float *a) { return (a[Is] * ...); }\n"+
		"template <class F, class... Ts> __device__ void hand(F f, Ts &&... xs) { (f(xs), ...); }")
	values := ""
	for i := range 1 + g.Intn(4) {
		if i > 0 {
			values += ", "
		}
		values += "(float) (" + g.value(0) + ")"
	}
	switch g.Intn(4) {
	case 0:
		g.line("acc += most_of<float>(%s);", values)
	case 1:
		g.line("acc += joined(%s);", values)
	case 2:
		if g.real == "float" {
			g.line("acc += picked<%s>(%s + %s);", g.pick("0", "1, 2", "2, 0, 1"), g.param("x"), g.index(0))
		}
	default:
		g.line("hand([&](float v) { acc += v * 2.0f; }, %s);", values)
	}
}
