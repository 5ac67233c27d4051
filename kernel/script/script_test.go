package script_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/script"
)

const matmul = `knl = lp.make_kernel("{[i,j,k]: 0<=i,j,k<n}", "c[i,j] = sum(k, a[i,k]*b[k,j])")
`

func TestVariants(t *testing.T) {
	got, err := script.Exec("k.star", `"""Doc."""
_base = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = 2*x[i]")
second = lp.split_iname(_base, "i", 4)
def double(k):
    return lp.tag_inames(k, {"i_outer": "g.0", "i_inner": "l.0"})
first = double(second)
number = 3
if number > 2:
    second = lp.split_iname(_base, iname="i", n=8, inner_iname="lane")
alias = first
`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range got {
		names = append(names, v.Name+":"+strings.Join(v.Kernel.Inames(), "+"))
	}
	if s := strings.Join(names, " "); s != "second:i_outer+lane first:i_outer+i_inner alias:i_outer+i_inner" {
		t.Errorf("variants are %s", s)
	}
}

func TestModule(t *testing.T) {
	m, err := script.Options{Predeclared: starlark.StringDict{"width": starlark.MakeInt(4)}}.Module(context.Background(), "g.star", `
"""A generator."""
def build(n):
    return lp.split_iname(lp.make_kernel("{[i]: 0<=i<n}", "y[i] = 2*x[i]"), "i", n*width)
`)
	if err != nil {
		t.Fatal(err)
	}
	if m.Doc != "A generator." {
		t.Errorf("doc string is %q", m.Doc)
	}
	v, err := m.Call(context.Background(), "build", []starlark.Tuple{{starlark.String("n"), starlark.MakeInt(2)}})
	if err != nil {
		t.Fatal(err)
	}
	if k := script.Kernel(v); k == nil || strings.Join(k.Inames(), " ") != "i_outer i_inner" {
		t.Errorf("got %v", v)
	}
	_, err = m.Call(context.Background(), "build", []starlark.Tuple{{starlark.String("n"), starlark.String("x")}})
	if err == nil || !strings.Contains(err.Error(), "g.star:4:") {
		t.Errorf("error is %v", err)
	}
	if _, err := m.Call(context.Background(), "absent", nil); err == nil {
		t.Error("a missing function was called")
	}
}

// TestIgnored: what makes no difference here may stand in scripts that are Loopy's.
func TestIgnored(t *testing.T) {
	got, err := script.Exec("k.star", "\ufeff"+`knl = lp.make_kernel("{[i]: 0<=i<n}", "u[i] = x[i]\ny[i] = u[i]",
    [lp.TemporaryVariable("u", lp.auto, shape="n", address_space="auto"), "..."], lang_version=(2018, 2), silenced_warnings=["all"])
knl = lp.split_iname(knl, "i", 16, outer_tag=None, inner_tag="l.0", slabs=(0, 1))
`)
	if err != nil {
		t.Fatal(err)
	}
	if u := got[0].Kernel.Array("u"); u == nil || u.Space != kernel.Auto || u.DType != "" {
		t.Errorf("u is %v", u)
	}
}

// TestArguments: declarations reach the kernel.
func TestArguments(t *testing.T) {
	got, err := script.Exec("k.star", `knl = lp.make_kernel(
    ["{[i]: 0<=i<n}", "{[j]: 0<=j<i}"],
    ["<> t = x[j, i] + s {id=load}", "y[i] = t {inames=i:j}"],
    [
        lp.GlobalArg("x", dtype=lp.float32, shape=("n", "n + 1"), order="F"),
        lp.GlobalArg("y", "float64", "n,", offset=4),
        lp.GlobalArg("z, w", "int8", shape="n"),
        lp.ValueArg("s", "float32"),
        lp.TemporaryVariable("u", "int32", shape=(4, "2*3"), address_space=lp.AddressSpace.LOCAL, dim_tags="N0,N1"),
        "...",
    ],
    assumptions="n >= 2", name="triangle")
`)
	if err != nil {
		t.Fatal(err)
	}
	k := got[0].Kernel
	if k.Name != "triangle" || len(k.Domains) != 2 || k.Assumptions == nil {
		t.Errorf("kernel %s has %d domains and assumptions %v", k.Name, len(k.Domains), k.Assumptions)
	}
	for _, c := range []struct {
		name    string
		dtype   expr.DType
		space   kernel.Space
		strides string
	}{
		{"x", "float32", "global", "1 n"},
		{"y", "float64", "global", "1"},
		{"w", "int8", "global", "1"},
		{"s", "float32", "private", ""},
		{"n", "int32", "private", ""},
		{"u", "int32", "local", "1 4"},
	} {
		a := k.Array(c.name)
		if a == nil {
			t.Errorf("no array %s", c.name)
			continue
		}
		var strides []string
		if a.Shape != nil {
			list, err := a.Strides()
			if err != nil {
				t.Error(err)
			}
			for _, s := range list {
				strides = append(strides, s.String())
			}
		}
		if a.DType != c.dtype || a.Space != c.space || strings.Join(strides, " ") != c.strides {
			t.Errorf("%s is %s in %s with strides %v, want %v", c.name, a.DType, a.Space, strides, c)
		}
	}
	if k.Array("y").Offset == nil || k.Array("y").Offset.String() != "4" {
		t.Errorf("offset of y is %v", k.Array("y").Offset)
	}
}

// TestErrors holds what a user sees for each kind of mistake: the place, and words of the message and the remedy.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"starlark syntax", "knl = lp.make_kernel(\n  \"{[i]: 0<=i<n}\" \"y[i] = 1\"\nx = = 3\n", []string{"k.star:2:29:"}},
		{"undefined name", "knl = make_kernel(1, 2)\n", []string{"k.star:1:7: undefined: make_kernel\n    knl = make_kernel(1, 2)\n          ^"}},
		{"numpy", "t = np.float32\n", []string{"k.star:1:5:", `write element types as strings ("float32")`}},
		{"load", `load("x.star", "y")` + "\n", []string{"k.star:1:1: load is not available"}},
		{"no kernel", "x = 1\n", []string{"k.star: the script defines no kernel"}},
		{"helper only", "_k = lp.make_kernel(\"{[i]: 0<=i<4}\", \"y[i] = 1\")\n", []string{"defines no kernel"}},
		{"unknown function", matmul + `knl = lp.split_inam(knl, "i", 16)`, []string{"k.star:2:", "split_inam", "did you mean .split_iname"}},
		{"unknown iname", matmul + `knl = lp.split_iname(knl, "q", 16)`, []string{"k.star:2:27: split_iname: ", `knl = lp.split_iname(knl, "q", 16)` + "\n                              ^", "i, j, k"}},
		{"unknown iname by keyword", matmul + `knl = lp.split_iname(knl, n=4, iname="q")`, []string{"k.star:2:38: split_iname: "}},
		{"split of a tagged iname", matmul + `knl = lp.tag_inames(knl, "i:g.0")` + "\n" + `knl = lp.split_iname(knl, "i", 16)`, []string{"k.star:3:27: split_iname: ", "tagged"}},
		{"bad tag", matmul + `knl = lp.tag_inames(knl, {"i": "h.0"})`, []string{"k.star:2:26: tag_inames: ", "h.0", "g.0 to g.2"}},
		{"tag without colon", matmul + `knl = lp.tag_inames(knl, "i")`, []string{"k.star:2:26: tag_inames: ", "no colon"}},
		{"missing argument", matmul + `knl = lp.split_iname(knl, "i")`, []string{"k.star:2:7: split_iname: argument n is missing", "usage: lp.split_iname(knl, iname, n, outer_iname=..."}},
		{"too many", matmul + `knl = lp.realize_reduction(knl, 1)`, []string{"takes at most 1 positional arguments, 2 given"}},
		{"unknown keyword", matmul + `knl = lp.split_iname(knl, "i", 16, outer="x")`, []string{"unexpected keyword argument outer"}},
		{"given twice", matmul + `knl = lp.split_iname(knl, "i", 16, iname="x")`, []string{"argument iname is given twice"}},
		{"no kernel given", `knl = lp.split_iname("i", "i", 16)`, []string{"k.star:1:22: split_iname: expected a kernel, found string \"i\""}},
		{"not an integer", matmul + `knl = lp.split_iname(knl, "i", "16")`, []string{"k.star:2:32: split_iname: n must be an integer"}},
		{"bad dtype", matmul + `knl = lp.add_dtypes(knl, {"a": "float31"})`, []string{"k.star:2:26:", `unknown element type "float31" of a`}},
		{"dtype of unknown array", matmul + `knl = lp.add_dtypes(knl, {"q": "float32"})`, []string{"k.star:2:26: add_dtypes: ", "q"}},
		{"unknown parameter", matmul + `knl = lp.fix_parameters(knl, m=3)`, []string{"k.star:2:7: fix_parameters: ", "m"}},
		{"parameter no integer", matmul + `knl = lp.fix_parameters(knl, n="3")`, []string{"k.star:2:32: fix_parameters: n must be an integer"}},
		{"assumption", matmul + `knl = lp.assume(knl, "n >= 1 und n < 3")`, []string{"k.star:2:"}},
		{
			"instruction in a string", "knl = lp.make_kernel(\"{[i]: 0<=i<n}\", \"y[i] = 2*+/x[i]\")\n",
			[]string{"k.star:1:50: make_kernel: ", "\n                                                     ^"},
		},
		{
			"instruction in a long string", "knl = lp.make_kernel(\n    \"{[i]: 0<=i<n}\",\n    \"\"\"\n    <> t = x[i]\n    y[i] = (t\n    \"\"\")\n",
			[]string{"k.star:6:5: make_kernel: expected \")\""},
		},
		{
			"instruction in a list", "knl = lp.make_kernel(\"{[i]: 0<=i<n}\", [\n    \"<> t = x[i]\",\n    \"y[i] = t +\",\n])\n",
			[]string{"k.star:3:16: make_kernel: ", `"y[i] = t +",`},
		},
		{
			"instruction bound to a name", "TEXT = 'y[i] = $x'\nknl = lp.make_kernel(\"{[i]: 0<=i<n}\", TEXT)\n",
			[]string{"k.star:1:16: make_kernel: ", "TEXT = 'y[i] = $x'"},
		},
		{
			"instruction computed", "knl = lp.make_kernel(\"{[i]: 0<=i<n}\", \"y[%s] = $x\" % \"i\")\n",
			[]string{"k.star:1:39: make_kernel: ", "in line 1 of the text:", "y[i] = $x\n           ^"},
		},
		{
			"domain", "knl = lp.make_kernel(\"{[i]: 0<=i<>n}\", \"y[i] = 1\")\n",
			[]string{"k.star:1:34: make_kernel: "},
		},
		{
			"second domain", "knl = lp.make_kernel([\"{[i]: 0<=i<n}\",\n    \"{[i]: 0<=i<m}\"], \"y[i] = 1\")\n",
			[]string{"k.star:2:8: make_kernel: iname i is in two domains"},
		},
		{
			"undeclared", "knl = lp.make_kernel(\"{[i]: 0<=i<n}\", \"y[i] = x[i]\", [lp.GlobalArg(\"y\", shape=\"n\"), lp.ValueArg(\"n\", \"int32\")])\n",
			[]string{"k.star:1:40: make_kernel: x is not declared", `add "..." to the arguments`},
		},
		{
			"argument kinds", "knl = lp.make_kernel(\"{[i]: 0<=i<n}\", \"y[i] = 1\", [3])\n",
			[]string{"k.star:1:51: make_kernel: unexpected int 3"},
		},
		{"local argument", `a = lp.GlobalArg("a", address_space=lp.AddressSpace.LOCAL)`, []string{"k.star:1:37: GlobalArg: ", "lp.TemporaryVariable"}},
		{"two layouts", `a = lp.GlobalArg("a", order="C", dim_tags="N0")`, []string{"dim_tags, order and strides all set the layout"}},
		{"shape", `a = lp.GlobalArg("a", shape="n +")`, []string{"k.star:1:33: GlobalArg: "}},
		{
			"inside a function", "def f(k):\n    return lp.split_iname(k, \"q\", 2)\n" + matmul + "knl = f(knl)\n",
			[]string{"k.star:2:30: split_iname: ", "called from k.star:4:8"},
		},
		{"fail", "fail('no', 'way')\n", []string{"k.star:1:5: fail: no way"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := script.Exec("k.star", c.text)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error\n%v\nlacks\n%s", err, w)
				}
			}
		})
	}
}

func TestCancellation(t *testing.T) {
	const endless = "def f():\n  for i in range(1000000):\n    for j in range(1000000):\n      pass\nf()\n"
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := script.Options{Steps: 1 << 40}.Exec(ctx, "k.star", endless)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	_, err = script.Options{Steps: 1 << 40, Timeout: time.Millisecond}.Exec(context.Background(), "k.star", endless)
	if err == nil || !strings.Contains(err.Error(), "the script takes more than 1ms") {
		t.Errorf("error is %v", err)
	}
}

// TestGuardsChangeNothing: what a script computes is what Starlark computes.
func TestGuardsChangeNothing(t *testing.T) {
	const text = `
def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
x = [fib(i) for i in range(10) if i % 2 == 0 and not i == 4]
y = "%s-%d" % ("a", 3) + "b" * 2 + "{}{k}".format(1, k="z") + ",".join(["p", "q"]).replace("p", "rr")
d = {"a": [1, 2], ("b", 1): 3}
d["a"] += [3]
d["a"][0] -= 5
n = 7
n *= 6
n //= 4
t3 = "ab"
t3 *= 3
p = [2 * (3 * 4), 0 * [1], [1, 2] * 2, 2 * (3,), -1 * "x", "x" * 0, 1.5 * 2, b"x" * 2]
q = ["aXbX".replace("X", "--"), "aXbX".replace("X", "--", 1), getattr("abc", "replace")("b", "c")]
r = [i for i in range(2, 20, 5)] + list(range(3)) + [len(range(5))]
g = [hasattr("x", "replace"), "replace" in dir("x")]
z = [n, d["a"][1:], 5 in [5], 5 not in [5], -n if n > 3 else n, (lambda q, r=2: q * r)(3), n % 4, 2 << 3, 6 | 1]
w = [c for c in "ab".elems()] + sorted(d.keys(), key=str) + [getattr("abc", "upper")(), getattr("abc", "nope", 4)]
(s, t), u = (1, 2), list(zip([1], *[[2], [3]]))
f = "x y".split
v = f(" ")
m = max([3, 9, 2], key=lambda e: -e)
`
	m, err := script.Options{}.Module(context.Background(), "k.star", text)
	if err != nil {
		t.Fatal(err)
	}
	dialect := &syntax.FileOptions{GlobalReassign: true, TopLevelControl: true, Set: true}
	want, err := starlark.ExecFileOptions(dialect, &starlark.Thread{}, "k.star", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range want {
		if got := m.Globals[name]; got == nil || v.Type() != "function" && got.String() != v.String() && v.Type() != "builtin_function_or_method" {
			t.Errorf("%s = %v, want %v", name, got, v)
		}
	}
}

// FuzzExec: no text crashes the interpreter, and every fault names the file.
func FuzzExec(f *testing.F) {
	f.Add(matmul + `knl = lp.split_iname(knl, "i", 16)`)
	f.Add("x = [i for i in range(3)] * 2\nx[0] += 1\n")
	f.Add("knl = lp.make_kernel(['{[i]: 0<=i<n}'], '''for i\n <> t = x[i]\n y[i] = t {dep=*}\nend''', [lp.GlobalArg('y', shape=('n',)), '...'])")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := script.Options{Steps: 1 << 14, Timeout: 5 * time.Second}.Exec(context.Background(), "k.star", text)
		if err != nil && !strings.HasPrefix(err.Error(), "k.star:") {
			t.Errorf("error without its file: %v", err)
		}
		if err != nil && strings.Contains(err.Error(), "internal error") {
			t.Error(err)
		}
	})
}

func BenchmarkExec(b *testing.B) {
	text := matmul + `
knl = lp.split_iname(knl, "i", 16, outer_tag="g.1", inner_tag="l.1")
knl = lp.split_iname(knl, "j", 16, outer_tag="g.0", inner_tag="l.0")
knl = lp.split_iname(knl, "k", 16)
knl = lp.assume(knl, "n >= 1 and n % 16 = 0")
knl = lp.add_prefetch(knl, "a", ["i_inner", "k_inner"])
knl = lp.add_prefetch(knl, "b", ["k_inner", "j_inner"])
`
	for b.Loop() {
		if _, err := script.Exec("k.star", text); err != nil {
			b.Fatal(err)
		}
	}
}
