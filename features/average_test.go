package features

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

// rows is a product of a sparse matrix in compressed rows and a vector.
func rows(t testing.TB, change func(*kernel.Spec)) *kernel.Kernel {
	t.Helper()
	size := func(e string) []expr.Expr {
		x, err := expr.Parse(e)
		if err != nil {
			t.Fatal(err)
		}
		return []expr.Expr{x}
	}
	spec := kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}", "{[j]: start<=j<stop}"},
		Instructions: `
			<int32> start = p[i]
			<int32> stop = p[i + 1]
			y[i] = sum(j, val[j]*x[col[j]])`,
		Args: []*kernel.Array{
			{Name: "val", DType: "float32", Shape: size("nnz")},
			{Name: "col", DType: "int32", Shape: size("nnz")},
			{Name: "x", DType: "float32", Shape: size("n")},
			{Name: "p", DType: "int32", Shape: size("n + 1")},
			{Name: "nnz", DType: "int32", IsValue: true},
			{Name: "mean", DType: "int32", IsValue: true},
		},
		Assumptions: "n >= 1",
	}
	if change != nil {
		change(&spec)
	}
	k, err := kernel.Make(spec)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestAveragesAreExact: what work-items load in rows of any lengths is what the average length says.
func TestAveragesAreExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 12).Draw(rt, "lengths")
		of := rapid.SampledFrom([]string{"j", "stop - start"}).Draw(rt, "of")
		k := rows(t, nil)
		apply := func(next *kernel.Kernel, err error) {
			if err != nil {
				rt.Fatal(err)
			}
			k = next
		}
		apply(k.AssumeAverage(of, "nnz/n"))
		if rapid.Bool().Draw(rt, "groups") {
			apply(transform.SplitIname(k, "i", 4, transform.Split{OuterTag: "g.0", InnerTag: "l.0"}))
		}
		if rapid.Bool().Draw(rt, "realized") {
			apply(transform.RealizeReduction(k))
		}
		if rapid.Bool().Draw(rt, "pieces") {
			apply(transform.SplitIname(k, "j", 2, transform.Split{}))
		}
		nest, err := linear.New(k)
		if err != nil {
			rt.Fatal(err)
		}
		s, err := Count(k, Options{SubgroupSize: 1})
		if err != nil {
			rt.Fatal(err)
		}
		buffers := map[string]*interp.Buffer{"y": interp.NewBuffer("float32", len(lengths)), "p": interp.NewBuffer("int32", len(lengths)+1)}
		nnz := 0
		for i, n := range lengths {
			nnz += n
			buffers["p"].SetInt(i+1, int64(nnz))
		}
		buffers["p"].SetInt(0, 0)
		for name, n := range map[string]int{"val": nnz, "col": nnz, "x": len(lengths)} {
			dtype := expr.Float32
			if name == "col" {
				dtype = expr.Int32
			}
			buffers[name] = interp.NewBuffer(dtype, n)
			for i := range n {
				buffers[name].Set(i, float64(i%len(lengths)))
			}
		}
		sizes := map[string]int64{"n": int64(len(lengths)), "nnz": int64(nnz), "mean": 0}
		report, err := interp.Run(nest, sizes, buffers)
		if err != nil {
			rt.Fatal(err)
		}
		for _, f := range s.failed {
			if _, isMem := f.key.(Mem); isMem {
				rt.Fatal(f.err)
			}
		}
		loads := map[string]float64{}
		for i, r := range s.Records {
			if m, ok := r.Key.(Mem); ok && m.Direction == Load && m.Granularity == WorkItem || ok && m.Direction == Load && len(m.LStrides) == 0 {
				at := make([]int64, len(s.Params))
				for j, p := range s.Params {
					at[j] = sizes[p]
				}
				loads[m.Variable] += number(s.evals[i], at)
			}
		}
		for _, name := range []string{"p", "val", "col", "x"} {
			if float64(report.Loads[name]) != loads[name] {
				rt.Errorf("%s: %d loads, counted %v", name, report.Loads[name], loads[name])
			}
		}
	})
}

// TestAverages: counts with averages, and what they are refused for.
func TestAverages(t *testing.T) {
	split := func(iname string, n int64, tags ...string) func(*kernel.Kernel) (*kernel.Kernel, error) {
		return func(k *kernel.Kernel) (*kernel.Kernel, error) {
			opt := transform.Split{}
			if len(tags) == 2 {
				opt.OuterTag, opt.InnerTag = tags[0], tags[1]
			}
			return transform.SplitIname(k, iname, n, opt)
		}
	}
	assume := func(text string) func(*kernel.Kernel) (*kernel.Kernel, error) {
		return func(k *kernel.Kernel) (*kernel.Kernel, error) { return k.Assume(text) }
	}
	average := func(of, value string) func(*kernel.Kernel) (*kernel.Kernel, error) {
		return func(k *kernel.Kernel) (*kernel.Kernel, error) { return k.AssumeAverage(of, value) }
	}
	realize := func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.RealizeReduction(k) }
	nested := func(s *kernel.Spec) {
		s.Domains = append(s.Domains, "{[l]: 0<=l<m}")
		s.Instructions = "<int32> start = p[i]\n<int32> stop = p[i + 1]\n<int32> m = p[i] + 2\ny[i] = sum((j, l), val[j]*x[l])"
	}
	rowsOnly := func(s *kernel.Spec) {
		s.Domains[1] = "{[j]: 0<=j<stop}"
		s.Instructions = "<int32> stop = p[i]\ny[i] = sum(j, val[j])"
	}
	lanes := func(s *kernel.Spec) {
		s.Instructions = "<int32> start = p[i]\n<int32> stop = p[i + 1]\nz[j] = 2*val[j] + 1"
		s.Args = append(s.Args, &kernel.Array{Name: "z", DType: "float32", Shape: s.Args[0].Shape})
	}
	inner := func(s *kernel.Spec) {
		s.Domains = append(s.Domains, "{[l]: 0<=l<m}")
		s.Instructions = "<int32> start = p[i]\n<int32> stop = p[i + 1]\n<int32> m = col[j]\ny[i] = sum((j, l), val[j]*x[l])"
	}
	barrier := func(s *kernel.Spec) {
		s.Instructions = "<int32> start = p[0]\n<int32> stop = p[1]\n" +
			"for j\ntile[i] = val[j] {id=fill}\n<float32> v = tile[n - 1 - i] {id=use, dep=fill}\ny[i] = v {dep=use}\nend"
		s.Temps = []*kernel.Array{{Name: "tile", DType: "float32", Shape: []expr.Expr{expr.Int{Value: 8}}, Space: kernel.Local}}
	}
	const (
		val  = "f_mem_access_global_float32_load_lstrides:{0:0}" // val is at stride 0 where rows run one after the other
		madd = "f_op_float32_madd"
		mul  = "f_op_float32_mul"
	)
	for _, c := range []struct {
		name    string
		change  func(*kernel.Spec)
		steps   []func(*kernel.Kernel) (*kernel.Kernel, error)
		feature string
		want    string // a value at n=256, nnz=1000, mean=7, or a part of an error
	}{
		{"sequential", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){average("j", "nnz/n")}, madd, "1000"},
		{"a constant", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){average("j", "3")}, madd, "768"},
		{"a fraction", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){average("j", "3.5")}, madd, "896"},
		{"a sum", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){average("j", "nnz/n + 2*mean - 1/2")}, madd, "4456"},
		{"a parameter", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){average("j", "mean")}, madd, "1792"},
		{"of the negative", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){average("1 + stop - start", "mean")}, madd, "not linear"},
		{"a fixed size", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){
			average("j", "nnz/n"),
			func(k *kernel.Kernel) (*kernel.Kernel, error) {
				return transform.FixParameters(k, map[string]int64{"n": 256})
			},
		}, madd, "1000"},
		{"groups that divide", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){split("i", 64, "g.0", "l.0"), assume("n % 64 = 0"), average("j", "nnz/n")}, madd, "125/4"},
		{"groups that may not divide", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){split("i", 64, "g.0", "l.0"), average("j", "nnz/n")}, madd, `assume a condition by which n divides it`},
		{"groups that may not divide, a parameter", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){split("i", 64, "g.0", "l.0"), average("j", "mean")}, madd, "56"},
		{"no average", nil, nil, madd, `the iterations of loop j depend on start and stop, which the kernel reads: state how many there are on average, as in lp.assume_average(knl, "j", "nnz/n")`},
		{"no average, other records", nil, nil, "f_mem_access_global_int32_load_lstrides:{0:0}", "start and stop"},
		{"no average, nothing in the loop", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){split("i", 64, "g.0", "l.0")}, "f_mem_access_global_float32_store", "256"},
		{"another average", nested, []func(*kernel.Kernel) (*kernel.Kernel, error){average("m", "mean")}, madd, "start and stop"},
		{"an average of a product", nested, []func(*kernel.Kernel) (*kernel.Kernel, error){average("m", "mean"), average("j", "mean")}, madd, "not linear in m and stop - start"},
		{"a loop within a row", inner, []func(*kernel.Kernel) (*kernel.Kernel, error){average("m", "mean"), average("j", "nnz/n")}, madd, "7000"},
		{"a loop within a row, its bounds", inner, []func(*kernel.Kernel) (*kernel.Kernel, error){average("m", "mean"), average("j", "nnz/n")}, "f_mem_access_global_int32_load", "1512"},
		{"a loop within a row, the outer average alone", inner, []func(*kernel.Kernel) (*kernel.Kernel, error){average("j", "nnz/n")}, madd, "not linear in stop - start"},
		{"rows in pieces", nil, []func(*kernel.Kernel) (*kernel.Kernel, error){split("i", 64, "g.0", "l.0"), realize, split("j", 4), average("stop - start", "mean")}, madd, "56"},
		{"lanes along rows", lanes, []func(*kernel.Kernel) (*kernel.Kernel, error){split("j", 4, "for", "l.0"), average("stop - start", "mean")}, madd, "not linear in stop - start"},
		{"lanes along rows, each by itself", lanes, []func(*kernel.Kernel) (*kernel.Kernel, error){
			split("j", 4, "for", "l.0"), average("stop - start", "mean"),
		}, "f_mem_access_global_float32_load", "1792"},
		{"from 0", rowsOnly, []func(*kernel.Kernel) (*kernel.Kernel, error){average("stop", "mean")}, "f_op_float32_add", "1792"},
		{"loads of the row", rowsOnly, []func(*kernel.Kernel) (*kernel.Kernel, error){average("stop", "mean")}, val, "1792"},
		{"barriers", barrier, []func(*kernel.Kernel) (*kernel.Kernel, error){
			func(k *kernel.Kernel) (*kernel.Kernel, error) {
				return transform.FixParameters(k, map[string]int64{"n": 8})
			},
			func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.TagInames(k, "i:l.0") }, average("j", "mean"),
		}, "f_sync_barrier_local", "14"},
		{"barriers in rows", func(s *kernel.Spec) {
			barrier(s)
			s.Instructions = strings.NewReplacer("p[0]", "p[i]", "p[1]", "p[i + 1]").Replace(s.Instructions)
		}, []func(*kernel.Kernel) (*kernel.Kernel, error){
			func(k *kernel.Kernel) (*kernel.Kernel, error) {
				return transform.FixParameters(k, map[string]int64{"n": 8})
			},
			func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.TagInames(k, "i:l.0") }, average("j", "mean"),
		}, "f_sync_barrier_local", "loop j needs a barrier in it, and its bound st"},
	} {
		k := rows(t, c.change)
		var err error
		for _, s := range c.steps {
			if err == nil {
				k, err = s(k)
			}
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s, err := Count(k, Options{})
		got := ""
		if err == nil {
			var id ID
			if id, err = ParseID(c.feature); err != nil {
				t.Fatal(err)
			}
			var v float64
			if v, err = s.Value(id, map[string]int64{"n": 256, "nnz": 1000, "mean": 7}); err == nil {
				got = new(big.Rat).SetFloat64(v).RatString()
			}
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want && !(err != nil && strings.Contains(got, c.want)) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestDataDependentPlaces: in rows of their own, neighbouring work-items are at places that only memory knows.
func TestDataDependentPlaces(t *testing.T) {
	k := rows(t, nil)
	for _, s := range []func() (*kernel.Kernel, error){
		func() (*kernel.Kernel, error) {
			return transform.SplitIname(k, "i", 64, transform.Split{OuterTag: "g.0", InnerTag: "l.0"})
		},
		func() (*kernel.Kernel, error) { return k.AssumeAverage("j", "mean") },
	} {
		var err error
		if k, err = s(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Count(k, Options{Footprint: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Records {
		m, ok := r.Key.(Mem)
		if !ok {
			continue
		}
		want, granularity := "?", WorkItem
		if m.Variable == "p" || m.Variable == "y" {
			want = "1"
		}
		if m.LStrides.Along(0) != want || m.Granularity != granularity {
			t.Errorf("%s: want stride %s", m, want)
		}
	}
	for _, feature := range []string{
		"f_mem_lines_global_float32_load", "f_mem_sectors_global_float32_load", "f_mem_footprint_global_float32_load",
		"f_mem_access_global_float32_load_lstrides:{0:1}", "f_mem_access_global_float32_load_afr:1",
	} {
		id, err := ParseID(feature)
		if err != nil {
			t.Errorf("%s: %v", feature, err)
			continue
		}
		if v, err := s.Value(id, map[string]int64{"n": 256, "nnz": 1000, "mean": 7}); err == nil {
			t.Errorf("%s is %v, though it depends on data", feature, v)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct{ v, want string }{{"3", "3"}, {"-12", "-12"}, {"1125/4", "281.25"}, {"1/3", "0.333333"}, {"-7/2", "-3.5"}} {
		v, _ := new(big.Rat).SetString(c.v)
		if got := decimal(v); got != c.want {
			t.Errorf("%s is written %s, want %s", c.v, got, c.want)
		}
	}
}
