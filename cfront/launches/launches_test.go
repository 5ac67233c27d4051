package launches

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuperf/cfront/cpp"
)

// TestFind reads launches of host code.
func TestFind(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"numbers", `void f() { k<<<16, 256>>>(x, 1024); }`, "k grid 16 block 256 args x=? 1024"},
		{"a variable", `int main() { int n = 1 << 20; k<<<(n + 255) / 256, 256>>>(n, x); }`, "k grid ((n + 255) // 256)=4096 block 256 args n=1048576 x=?"},
		{"through others", `int main() { const int B = 128; int n = 1000; int blocks = (n + B - 1) / B; dim3 grid(blocks), block(B); k<<<grid, block>>>(n); }`, "k grid (((n + 128) - 1) // 128)=8 block 128 args n=1000"},
		{"ceil", `int main() { int n = 1000; k<<<ceil(n / 256.0), 256>>>(n); k<<<(int)ceil((float)n / 128), 128>>>(n); }`, "k grid ((n + 256 - 1) // 256)=4 block 256 args n=1000; k grid ((n + 128 - 1) // 128)=8 block 128 args n=1000"},
		{"a macro", "#define N 4096\n#define T 64\nint main() { k<<<N / T, T>>>(N); }", "k grid (4096 // 64)=64 block 64 args N=4096"},
		{"a function", `int up(int a, int b) { return (a + b - 1) / b; } int main() { int n = 100; k<<<up(n, 32), 32>>>(n); }`, "k grid (((n + 32) - 1) // 32)=4 block 32 args n=100"},
		{"a parameter", `void run(float *x, int m) { dim3 b(16, 16); dim3 g(m / b.x, m / b.y); k<<<g, b>>>(x, m); } int main() { run(p, 256); }`, "k grid (m // 16)=16 (m // 16)=16 block 16 16 args x=?:float * m=256:int"},
		{"parameters", `void run(float *x, int n, int m) { k<<<n, 64>>>(x, n, m); } int main() { int n = 512, m = 256; run(p, n, m); }`, "k grid n=512 block 64 args x=?:float * n=512:int m=256:int"},
		{"from the command line", `int main(int argc, char **argv) { int n = atoi(argv[1]); k<<<n / 64, 64>>>(n); }`, "k grid (n // 64)=? block 64 args n=?"},
		{"a default", `int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 512; k<<<n / 64, 64>>>(n); }`, "k grid (n // 64)=8 block 64 args n=512"},
		{"a default in a branch", `int main(int argc, char **argv) { int n = 512; if (argc > 1) n = atoi(argv[1]); k<<<n / 64, 64>>>(n); }`, "k grid (n // 64)=8 block 64 args n=512"},
		{"another value later", `int main() { int n = 512; k<<<1, n>>>(n); n = 7; }`, "k grid 1 block n=512 args n=512"},
		{"a loop", `int main() { for (int s = 1; s < 64; s *= 2) k<<<4, 64>>>(s); }`, "k grid 4 block 64 args s=1"},
		{"members of dim3", `int main() { dim3 g; g.x = 8; g.y = 4; k<<<g, dim3(32, 8)>>>(); }`, "k grid 8 4 1 block 32 8 args"},
		{"shared memory", `int main() { int t = 128; size_t bytes = 2 * t * sizeof(float); k<<<4, t, bytes>>>(); }`, "k grid 4 block t=128 shared ((2 * t) * 4)=1024 args"},
		{"a template", `int main() { const int T = 16; k<float, T><<<1, T>>>(x); std::k2<std::plus<int>><<<1, 1>>>(); }`, "k<float, 16> grid 1 block 16 args x=?; k2<std::plus < int >> grid 1 block 1 args"},
		{"a template of the host", "template <class F, int N> void run(float *y, int n) { k<F, N><<<n, 64>>>(y, n); }\ntemplate <class F, int N> void run(double *y, int n) { k2<F, N><<<n, 64>>>(y, n); }\n" +
			"template void run<square, 3>(double *, int);\nvoid g() { run<sum, 2>(p, 5); }", "k<sum, 2> grid n=5 block 64 args y=?:float * n=5:int; k2<square, 3> grid n=? block 64 args y=?:double * n=?:int"},
		{"types", `int main() { float *a, *b; unsigned int n = 5; k<<<1, 1>>>(a, b, n, a + 1); }`, "k grid 1 block 1 args a=?:float * b=?:float * n=5:unsigned int (a + 1)=?"},
		{"a structure", `void f(Args *p) { k<<<p->n / 64, 64>>>(p->n); }`, "k grid (p_n // 64)=? block 64 args p_n=?"},
		{"not known", `int main() { k<<<v.size() / 64, 64>>>(v.data()); }`, "k grid ? block 64 args ?"},
		{
			"a call of HIP", `int main() { int n = 1024; hipLaunchKernelGGL((k<float, 64>), dim3(n / 64), dim3(64), 0, 0, x, n); hipLaunchKernelGGL(HIP_KERNEL_NAME(k2<8>), n / 32, 32, 32 * sizeof(float), stream, n); hipLaunchKernel(k3, 2, 3, 0, 0, n); }`,
			"k<float, 64> grid (n // 64)=16 block 64 args x=? n=1024; k2<8> grid (n // 32)=32 block 32 shared 128 args n=1024; k3 grid 2 block 3 args n=1024",
		},
		{"a call with a list", `int main() { int n = 512; void *args[] = {&x, (void *)&n}; cudaLaunchKernel((const void *)k, dim3(n / 64), dim3(64), args, 0, 0); }`, "k grid (n // 64)=8 block 64 args x=? n=512"},
		{"a call of the driver", `int main() { int n = 512; cuModuleGetFunction(&f, module, "k"); void *args[] = {&n}; cuLaunchKernel(f, n / 32, 2, 1, 32, 4, 1, 256, 0, args, 0); }`, "k grid (n // 32)=16 2 1 block 32 4 1 shared 256 args n=512"},
		{"OpenCL in C++", `int main() { int n = 512; cl::Kernel f(program, "k"); f.setArg(1, n); f.setArg(0, x); cl::NDRange all(n, 2); q.enqueueNDRangeKernel(f, cl::NullRange, all, cl::NDRange(32)); }`, "k items n=512 2 block 32 args x=? n=512"},
		{
			"OpenCL in C", `void make() { f = clCreateKernel(p, "k", 0); } int main() { int n = 512; size_t all[2], some = 32; all[0] = n; all[1] = 4; clSetKernelArg(f, 0, sizeof n, (void *)&n); clEnqueueNDRangeKernel(q, f, 2, NULL, all, &some, 0, 0, 0); clEnqueueNDRangeKernel(q, f, 2, NULL, all, NULL, 0, 0, 0); }`,
			"k items n=512 4 block some=32 args n=512; k items n=512 4 block ? args n=512",
		},
		{"calls that say too little", `int main() { hipLaunchKernelGGL(k, 1); hipLaunchKernelGGL(, 1, 2, 3, 4); q.enqueueNDRangeKernel(f, a, b, c); clEnqueueNDRangeKernel(); cuLaunchKernel(f, 1, 2); }`, ""},
		{"shifts", `int main() { std::cout << n << x; a = b << 3; }`, ""},
		{"no end", `int main() { k<<<1, 2`, ""},
	} {
		tokens, err := cpp.Run(context.Background(), cpp.Config{}, "a.cu", c.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range Find(tokens) {
			got = append(got, described(l))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, text, c.want)
		}
	}
}

func described(l *Launch) string {
	l.Resolve()
	var b strings.Builder
	b.WriteString(l.Kernel)
	if l.Template != nil {
		fmt.Fprintf(&b, "<%s>", strings.Join(l.Template, ", "))
	}
	one := func(e *Expr) {
		switch n, known := e.Value(); {
		case e == nil:
			b.WriteString(" ?")
		case e.root == nil && e.op == "":
			fmt.Fprintf(&b, " %d", n)
		case e.isConstant() && e.op == "" && e.root.constant && strings.ToUpper(e.root.name) != e.root.name:
			fmt.Fprintf(&b, " %d", n)
		default:
			text := e.String()
			if name, is := e.Name(); is {
				text = name
			}
			value := "?"
			if known {
				value = fmt.Sprint(n)
			}
			fmt.Fprintf(&b, " %s=%s", text, value)
		}
	}
	list := func(name string, all []*Expr) {
		fmt.Fprintf(&b, " %s", name)
		if all == nil {
			b.WriteString(" ?")
		}
		for _, e := range all {
			if name == "block" && e.isConstant() {
				n, _ := e.Value()
				fmt.Fprintf(&b, " %d", n)
				continue
			}
			one(e)
		}
	}
	list(map[bool]string{true: "items", false: "grid"}[l.Items], l.Grid)
	list("block", l.Block)
	if l.Shared != nil {
		list("shared", []*Expr{l.Shared})
	}
	b.WriteString(" args")
	for i := range l.Arguments() {
		one(l.Argument(i))
		if types := l.Types[i]; types != "" && slices.ContainsFunc(l.Types, func(s string) bool { return strings.Contains(s, "*") }) {
			b.WriteString(":" + types)
		}
	}
	return b.String()
}

// TestLinear makes grids linear in sizes.
func TestLinear(t *testing.T) {
	for text, want := range map[string]string{
		"n / 16 * m": "512", "n * m": "8192", "n / m": "(n // 64)", "q * n": "?", "n / q": "?", "n + q": "(n + q)", "n / 16 + m": "((n // 16) + m)",
	} {
		tokens, err := cpp.Run(context.Background(), cpp.Config{}, "a.cu", "void f(int q) { int n = 128; int m = 64; k<<<1, 1>>>("+text+"); }")
		if err != nil {
			t.Fatal(err)
		}
		got := "?"
		if e, ok := Find(tokens)[0].Argument(0).Linear(nil); ok {
			got = e.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
