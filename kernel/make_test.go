package kernel_test

import (
	"strings"
	"testing"

	"gpuperf/internal/lists"
	"gpuperf/kernel"

	"gpuperf/kernel/expr"

	"github.com/google/go-cmp/cmp"
)

// lines are the statements of a kernel, without blanks at their ends.
func lines(k *kernel.Kernel) string {
	var out []string
	for _, s := range k.Statements {
		out = append(out, s.String())
	}
	return strings.Join(out, "\n")
}

func TestMakeStatements(t *testing.T) {
	for _, c := range []struct{ name, domain, text, want string }{
		{
			"inames from use, reduction inames left out", "{[i,j,k]: 0<=i,j,k<n}",
			"c[i,j] = sum(k, a[i,k]*b[k,j])",
			"c[i, j] = sum(k, a[i, k]*b[k, j])  {id=insn, inames=i:j}",
		},
		{
			"a reader is within the inames of its temporary", "{[i]: 0<=i<n}",
			"<> t = x[i]\n<> u = 2*t\n<> v = u*u\ny[i] = v",
			"t = x[i]  {id=insn, inames=i}\nu = 2*t  {id=insn_0, inames=i, dep=insn}\nv = u*u  {id=insn_1, inames=i, dep=insn_0}\n" +
				"y[i] = v  {id=insn_2, inames=i, dep=insn_1}",
		},
		{
			"several writers keep the order of the text", "{[i,r]: 0<=i<n and 0<=r<5}",
			"<float32> s = 0 {id=a}\nfor r\ns = s + x[i] {id=b}\nend\ny[i] = s {id=c}",
			"s = 0  {id=a}\ns = s + x[i]  {id=b, inames=i:r, dep=a}\ny[i] = s  {id=c, inames=i, dep=b}",
		},
		{
			"a temporary with one writer, wherever it stands", "{[i]: 0<=i<n}",
			"y[i] = t {id=use}\n<> t = x[i] {id=def}",
			"y[i] = t  {id=use, inames=i, dep=def}\nt = x[i]  {id=def, inames=i}",
		},
		{
			"an argument read before it is overwritten", "{[i]: 0<=i<n}",
			"y[i] = x[i] {id=old}\nx[i] = 0.0f {id=new}",
			"y[i] = x[i]  {id=old, inames=i}\nx[i] = 0.0f  {id=new, inames=i, dep=old}",
		},
		{
			"explicit dependencies win over the order", "{[i]: 0<=i<n}",
			"y[i] = x[i] {id=late, dep=early}\nx[i] = 0.0f {id=early}",
			"y[i] = x[i]  {id=late, inames=i, dep=early}\nx[i] = 0.0f  {id=early, inames=i}",
		},
		{
			"wildcards, and * for no automatic ones", "{[i]: 0<=i<n}",
			"<> a0 = x[i] {id=init0}\n<> a1 = x[i] {id=init1}\ny[i] = a0 + a1 {id=sum, dep=*init0}\nz[i] = 1.0f {id=z, dep=init*}",
			"a0 = x[i]  {id=init0, inames=i}\na1 = x[i]  {id=init1, inames=i}\ny[i] = a0 + a1  {id=sum, inames=i, dep=init0}\n" +
				"z[i] = 1.0f  {id=z, inames=i, dep=init0:init1}",
		},
		{
			"blocks", "{[i,j]: 0<=i,j<n}",
			"for i\n  if x[i] > 0\n    y[i] = 1.0f\n  elif i > 3\n    y[i] = 2.0f\n  else\n    y[i] = 3.0f\n  end\n  with {tags=t, id_prefix=w}\n    for j\n      z[i] = y[i] {if=j == 0}\n    end\n  end\nend",
			"y[i] = 1.0f  {id=insn, inames=i, if=x[i] > 0}\n" +
				"y[i] = 2.0f  {id=insn_0, inames=i, dep=insn, if=not x[i] > 0:i > 3}\n" +
				"y[i] = 3.0f  {id=insn_1, inames=i, dep=insn_0, if=not x[i] > 0:not i > 3}\n" +
				"z[i] = y[i]  {id=w, inames=i:j, dep=insn_1, tags=t, if=j == 0}",
		},
		{
			"inames given, and added", "{[i,j]: 0<=i,j<n}",
			"y[i] = 1.0f {inames=+j}\nz[i,j] = 1.0f {inames=i:j}",
			"y[i] = 1.0f  {id=insn, inames=i:j}\nz[i, j] = 1.0f  {id=insn_0, inames=i:j}",
		},
		{
			"barriers", "{[i]: 0<=i<n}",
			"for i\n<> t = x[i] {id=a}\n... lbarrier {id=b, dep=a}\ny[i] = t {dep=b}\nend",
			"t = x[i]  {id=a, inames=i}\n... lbarrier  {id=b, inames=i, dep=a}\ny[i] = t  {id=insn, inames=i, dep=a:b}",
		},
		{
			"min of a scalar is an operator", "{[i]: 0<=i<n}",
			"<> t = x[i]\ny[i] = min(t, 2.0f) + max(i, x[i])",
			"t = x[i]  {id=insn, inames=i}\ny[i] = minimum(t, 2.0f) + max(i, x[i])  {id=insn_0, inames=, dep=insn}",
		},
		{"global scalars", "{ : }", "c = a + b\nd = 2*c", "c = a + b  {id=insn}\nd = 2*c  {id=insn_0, dep=insn}"},
		{
			"dependencies through rules", "{[i]: 0<=i<n}",
			"f(j) := t*x[j]\n<> t = 2.0f*i {id=t}\ny[i] = f(i)",
			"t = 2.0f*i  {id=t, inames=i}\ny[i] = f(i)  {id=insn, inames=i, dep=t}",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := kernel.Make(kernel.Spec{Domains: []string{c.domain}, Instructions: c.text})
			if c.name == "min of a scalar is an operator" {
				if err == nil || !strings.Contains(err.Error(), "both reduced over and used outside") {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, lines(k)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if strings.Contains(c.text, "dep=*") {
				return // the printed form does not say that there are no automatic dependencies
			}
			// the statements are text of the language: they make the same kernel again
			var text []string
			for _, r := range k.Rules {
				text = append(text, r.String())
			}
			again, err := kernel.Make(kernel.Spec{
				Domains: []string{c.domain}, Instructions: strings.Join(append(text, lines(k)), "\n"), Args: k.Args, Temps: k.Temps,
			})
			if err != nil {
				t.Fatalf("printed statements: %v", err)
			}
			if d := cmp.Diff(lines(k), lines(again)); d != "" {
				t.Errorf("printed statements make another kernel (-first +second)\n%s", d)
			}
		})
	}
}

func TestMakeArguments(t *testing.T) {
	for _, c := range []struct{ domain, text, want string }{
		{"{[i,j]: 0<=i,j<n}", "a[i,j+1] = b[2*i] + s", "a: global ? [n, n + 1]; b: global ? [2*n - 1]; s: value ?; n: value int32"},
		{"{[i]: 0<=i<n}", "x[i] = u[i+2] + u[i] + u[0]", "x: global ? [n]; u: global ? [n + 2]; n: value int32"},
		{"{[i,j]: 0<=i<n and 0<=j<m}", "x[i] = u[i] + u[j]", "x: global ? [n]; u: global ? [maximum(n, m)]; n: value int32; m: value int32"},
		{"{[i]: 0<=i<n and i<m}", "x[i] = 1", "x: global ? [minimum(m, n)]; n: value int32; m: value int32"},
		{"{[i]: 0<=2*i<n}", "x[i] = 1", "x: global ? [(n + 1) // 2]; n: value int32"},
		{"{[g,l]: 0<=g<ng and 0<=l<256}", "x[256*g+l] = y[0*g]", "x: global ? [256*ng]; y: global ? [1]; ng: value int32"},
		{"{[i]: 0<=i<n}", "x[i] = u[3*i] + u[2*i]", "x: global ? [n]; u: global ? [3*n - 2]; n: value int32"},
		{"{[i]: 0<=i<n and n >= 0}", "x[i] = u[i*(n+1)]", "x: global ? [n]; u: global ? [n*n]; n: value int32"},
		{"{[i]: 0<=i<n}", "x[i] = u[i*i + 2*i]", "x: global ? [n]; u: global ? [n*n]; n: value int32"},
		{"[i]: 0<=i<n", "x[i] = 1", "x: global ? [n]; n: value int32"},
		{"[m] -> {[i]: 0<=i<n and i < m}", "x[i] = 1", "x: global ? [minimum(m, n)]; n: value int32; m: value int32"},
		{"{[i]: 0<=i<n}", "c = x[i] {if=i==0}", "c: global ?; x: global ? [n]; n: value int32"},
		{"{[i]: 0<=i<n}", "a[i % 4] = b[i // 4]", "a: global ? [4]; b: global ? [(n + 3) // 4]; n: value int32"},
	} {
		k, err := kernel.Make(kernel.Spec{Domains: []string{c.domain}, Instructions: c.text})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := strings.Join(lists.Map(k.Args, (*kernel.Array).String), "; "); got != c.want {
			t.Errorf("%s over %s:\n got %s\nwant %s", c.text, c.domain, got, c.want)
		}
	}
}

func TestMakeErrors(t *testing.T) {
	for _, c := range []struct{ domain, text, want string }{
		{"{[i]: 0<=i<n", "a[i] = 1", "domain: 1:"},
		{"{[i]: 0<=i<n; [i]: i = 2*n}", "a[i] = 1", "here are 2"},
		{"{[i]: 0<=i<n}", "a[i] = sum(j, b[j])", `unknown iname "j"`},
		{"{[i]: 0<=i<n}", "for j\na[i] = 1\nend", `2:1: unknown iname "j"`},
		{"{[i]: 0<=i<n}", "a[i] = 1 {dep=x}", `1:15: dependency on unknown statement "x"`},
		{"{[i]: 0<=i<n}", "a[i] = 1 {id=aa}\nb[i] = 1 {id=ab, dep=aa:a, tags=a}", `2:25: dependency on unknown statement "a"`},
		{"{[i]: 0<=i<n}", "a[i] = 1 {id=x}\nb[i] = 1 {id=x}", "used twice"},
		{"{[i]: 0<=i<n}", "a[i] = b[i] + b[i,i]", "different numbers of indices"},
		{"{[i]: 0<=i<n}", "a[i] = b[c[i]]", "declare its shape"},
		{"{[i]: 0<=i<n}", "a[i] = foo(i)", "calls foo, which is neither a rule nor a known function"},
		{"{[i]: 0<=i<n}", "a[i] = sqrt(i, i)", "sqrt takes 1 operand, not 2"},
		{"{[i]: 0<=i<n}", "n = 1", "cannot assign to n"},
		{"{[i]: 0<=i<n}", "i = 1", "cannot assign to i"},
		{"{[i]: 0<=i<n}", "a[i] = n[i]", "cannot be indexed"},
		{"{[i]: 0<=i<n}", "a[i] = b[i]\nc[i] = b", "without an index"},
		{"{[i]: 0<=i<n}", "a[i] = 1 {id=p, dep=q}\nb[i] = 1 {id=q, dep=p}", "in a cycle: p, q, p"},
		{"{[i]: 0<=i<n}", "f(x) := g(x)\ng(x) := f(x)\na[i] = f(i)", "uses itself"},
		{"{[i]: 0<=i<n}", "f(x) := x\na[i] = f(i, i)", "takes 1 arguments"},
		{"{[i]: 0<=i<n}", "if a[i] > 0\na[i] = 1\nend", "which it changes"},
		{"{[i,j]: 0<=i,j<n}", "a[i,j] = 1 {inames=i}", "uses iname j"},
		{"{[i,j]: 0<=i,j<n}", "a[sum(j, j)] = 1", "has a reduction"},
		{"{[i]: 0<=i<9223372036854775807 and i < 9223372036854775807*n}", "a[9223372036854775807*i*4] = 1", ""},
	} {
		_, err := kernel.Make(kernel.Spec{Domains: []string{c.domain}, Instructions: c.text})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s over %s: got %v, want %q", c.text, c.domain, err, c.want)
		}
	}
	for _, c := range []struct {
		spec kernel.Spec
		want string
	}{
		{kernel.Spec{Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "a[i] = b[i]", Complete: true}, "a is not declared"},
		{kernel.Spec{Domains: []string{"{[i]: 0<=i<n}", "{[i]: 0<=i<m}"}, Instructions: "a[i] = 1"}, "iname i is in two domains"},
		{kernel.Spec{Domains: []string{"[j] -> {[i]: 0<=i<j}", "{[j]: 0<=j<m}"}, Instructions: "a[i] = 1"}, "put the domain that defines j first"},
		{kernel.Spec{Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "a[i] = 1", Assumptions: "m > 0"}, "not a parameter"},
		{kernel.Spec{Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "a[i] = 1", Assumptions: "n >"}, "1:4"},
		{kernel.Spec{Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "a[i] = 1", DTypes: map[string]expr.DType{"z": expr.Float32}}, "dtype for z"},
		{kernel.Spec{Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "a[i] = 1", Args: []*kernel.Array{{Name: "i"}}}, "an iname"},
	} {
		_, err := kernel.Make(c.spec)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.spec, err, c.want)
		}
	}
}
