package interp_test

import (
	"math"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"

	"pgregory.net/rapid"
)

func makeKernel(t testing.TB, spec kernel.Spec, tags string) *kernel.Kernel {
	t.Helper()
	k, err := kernel.Make(spec)
	if err == nil && tags != "" {
		k, err = transform.TagInames(k, tags)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func nestOf(t testing.TB, k *kernel.Kernel) *linear.Nest {
	t.Helper()
	n, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func filled(t expr.DType, n int) *interp.Buffer {
	b := interp.NewBuffer(t, n)
	for i := range n {
		b.Set(i, float64(i+1))
	}
	return b
}

// exchange reverses 8 elements per group through a tile in local memory.
func exchange(t testing.TB) *linear.Nest {
	k := makeKernel(t, kernel.Spec{
		Domains: []string{"{[g,l,m]: 0<=g<n and 0<=l,m<8}"},
		Instructions: `
			<> s[l] = x[g, l]       {id=fill}
			y[g, m] = s[7 - m]      {id=use, dep=fill}`,
		DTypes: map[string]expr.DType{"x": "float32"},
	}, "g:g.0, l:l.0, m:l.0")
	k, err := transform.SetTemporaryAddressSpace(k, []string{"s"}, kernel.Local)
	if err != nil {
		t.Fatal(err)
	}
	return nestOf(t, k)
}

func TestExchange(t *testing.T) {
	y := interp.NewBuffer("float32", 16)
	r, err := interp.Run(exchange(t), map[string]int64{"n": 2}, map[string]*interp.Buffer{"x": filled("float32", 16), "y": y})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		if want := float64(i/8*8 + 8 - i%8); y.At(i) != want {
			t.Errorf("y[%d] is %v, want %v", i, y.At(i), want)
		}
	}
	if r.Runs["use"] != 16 || r.Loads["s"] != 16 || r.Stores["y"] != 16 || r.Barriers != 2 || r.Groups != [3]int64{2, 1, 1} {
		t.Errorf("report %+v", r)
	}
}

// without copies a program without the barriers in it.
func without(body []linear.Node) []linear.Node {
	var out []linear.Node
	for _, n := range body {
		if _, ok := n.(*linear.Barrier); !ok {
			out = append(out, n)
		}
	}
	return out
}

// TestPlantedFaults damages programs, and sees each fault found and named.
func TestPlantedFaults(t *testing.T) {
	n := map[string]int64{"n": 2}
	x := func() map[string]*interp.Buffer {
		return map[string]*interp.Buffer{"x": filled("float32", 16), "y": interp.NewBuffer("float32", 16)}
	}
	lid := polycount.Name("lid(0)")
	for _, c := range []struct {
		name    string
		damage  func(p *linear.Nest)
		sizes   map[string]int64
		buffers map[string]*interp.Buffer
		want    []string
	}{
		{
			"race", func(p *linear.Nest) { p.Body = without(p.Body) }, n, x(),
			[]string{"statement use", "s[7 - m]", "race", "written by work-item (7,0,0)", "group (0,0,0), local (0,0,0)"},
		},
		{"undefined", func(p *linear.Nest) { p.Body = p.Body[1:] }, n, x(), []string{"statement use", "s[7 - m]", "before anything was written"}},
		{
			"undefined argument", func(*linear.Nest) {}, n,
			map[string]*interp.Buffer{"x": interp.NewBuffer("float32", 16), "y": interp.NewBuffer("float32", 16)},
			[]string{"statement fill", "x[g, l]", "before anything was written"},
		},
		{"divergence", func(p *linear.Nest) {
			for i, node := range p.Body {
				if _, ok := node.(*linear.Barrier); ok {
					p.Body[i] = &linear.Guard{Conds: []polycount.Constraint{polycount.GE(polycount.Int(3), lid)}, Body: []linear.Node{node}}
				}
			}
		}, n, x(), []string{"barrier", "not reached by work-item (4,0,0)"}},
		{"out of bounds", func(p *linear.Nest) { p.Local[0] = 9 }, n, x(), []string{"statement fill", "index 8 of axis 1", "out of bounds", "local (8,0,0)"}},
		{"groups", func(p *linear.Nest) { p.Groups[0] = []polycount.Bound{{Num: polycount.Int(2), Den: 1}} }, n, x(), []string{"index 2 of axis 0", "out of bounds"}},
		{"no size", func(*linear.Nest) {}, nil, x(), []string{"parameter n has no value"}},
		{"short buffer", func(*linear.Nest) {}, map[string]int64{"n": 3}, x(), []string{"needs 24 elements"}},
		{"no buffer", func(*linear.Nest) {}, n, nil, []string{"has no buffer"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := exchange(t)
			c.damage(p)
			_, err := interp.Run(p, c.sizes, c.buffers)
			if err == nil {
				t.Fatal("not found")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

func TestRacesBetweenGroups(t *testing.T) {
	k := makeKernel(t, kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i//2] = x[i] {if=x[i]>=0}", DTypes: map[string]expr.DType{"x": "int32"},
	}, "i:g.0")
	_, err := interp.Run(nestOf(t, k), map[string]int64{"n": 4}, map[string]*interp.Buffer{"x": filled("int32", 4), "y": filled("int32", 4)})
	if err == nil || !strings.Contains(err.Error(), "race: element 0 of y is written here and written by group [0 0 0] (group (1,0,0)") {
		t.Error(err)
	}
}

// TestRacesOfReads: what one group alone has read, however often, it may write; what others have read it may not. Which elements these are is data.
func TestRacesOfReads(t *testing.T) {
	k := makeKernel(t, kernel.Spec{
		Domains:      []string{"{[g]: 0<=g<3}"},
		Instructions: "y[g] = x[p[g]] + x[p[g]]  {id=read}\nx[q[g]] = 0  {dep=read, if=q[g]>=0}",
		DTypes:       map[string]expr.DType{"p": "int32", "q": "int32"},
		Args:         []*kernel.Array{{Name: "x", DType: "int32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 3}}}},
	}, "g:g.0")
	k.ExplicitBarriers = true // as the text of others: the groups are not looked at before it runs
	for _, c := range []struct {
		read, written []float64
		race          string
	}{
		{[]float64{0, 1, 2}, []float64{0, 1, 2}, ""},
		{[]float64{2, 1, 0}, []float64{2, 1, 0}, ""},
		{[]float64{0, 1, 2}, []float64{-1, 0, -1}, "written here and read by group [0 0 0]"},
		{[]float64{0, 0, 0}, []float64{-1, -1, 0}, "written here and read by several other groups"},
		{[]float64{0, 0, 1}, []float64{-1, 0, -1}, "written here and read by several other groups"},
		{[]float64{0, 1, 0}, []float64{0, -1, -1}, "read here and written by group [0 0 0]"},
	} {
		buffers := map[string]*interp.Buffer{"x": filled("int32", 3), "y": filled("int32", 3), "p": interp.NewBuffer("int32", 3), "q": interp.NewBuffer("int32", 3)}
		for g := range 3 {
			buffers["p"].Set(g, c.read[g])
			buffers["q"].Set(g, c.written[g])
		}
		_, err := interp.Run(nestOf(t, k), nil, buffers)
		if c.race == "" && err != nil || c.race != "" && (err == nil || !strings.Contains(err.Error(), c.race)) {
			t.Errorf("%v, then %v: %v, want %q", c.read, c.written, err, c.race)
		}
	}
}

func TestAssumptionIsChecked(t *testing.T) {
	k := makeKernel(t, kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i] = 1.0f", Assumptions: "n % 4 = 0",
	}, "")
	_, err := interp.Run(nestOf(t, k), map[string]int64{"n": 3}, map[string]*interp.Buffer{"y": filled("float32", 4)})
	if err == nil || !strings.Contains(err.Error(), "break the assumption") {
		t.Error(err)
	}
}

// TestArithmetic evaluates expressions in x = 5 (int32), f = 0.1f and d = 0.1 and the types that follow from them.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct {
		expr string
		t    expr.DType
		want float64
	}{
		{"(x - 8)//2", "int32", -2},
		{"(x - 8) % 5", "int32", 2},
		{"x/2", "float64", 2.5},
		{"x*1000000000", "int32", 705032704},
		{"cast(int8, 60*x)", "int8", 44},
		{"cast(uint8, 0 - x)", "uint8", 251},
		{"x**3", "int32", 125},
		{"(x << 3) ^ 1", "int32", 41},
		{"~x", "int32", -6},
		{"1 if x > 4 and not x == 5 else 2", "int32", 2},
		{"min(x, 3) + max(x, 9)", "int32", 12},
		{"f + 0.2f", "float32", float64(float32(0.1) + float32(0.2))},
		{"f*d", "float64", float64(float32(0.1)) * 0.1},
		{"f*3 + x", "float32", float64(float32(0.1)*3 + 5)},
		{"fma(f, f, -0.01f)", "float32", float64(float32(math.FMA(float64(float32(0.1)), float64(float32(0.1)), -float64(float32(0.01)))))},
		{"cast(float16, f)", "float16", 0.0999755859375},
		{"cast(float16, 70000*f)", "float16", 7000},
		{"cast(int32, -2.7f)", "int32", -2},
		{"sqrt(2.0f)", "float32", float64(float32(math.Sqrt2))},
		{"f % 0.75f", "float32", float64(float32(0.1))},
		{"isnan(f)*4 + isinf(f)*2 + isfinite(f)", "int32", 1},
		{"isnan(f/0.0f)*4 + isinf(f/0.0f)*2 + isfinite(-f/0.0f)", "int32", 2},
		{"isnan(f/0.0f - f/0.0f)*4 + isinf(f/0.0f - f/0.0f)*2 + isfinite(f/0.0f - f/0.0f)", "int32", 4},
	} {
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"{[i]: 0<=i<1}"}, Instructions: "y[i] = " + c.expr,
			Args:   []*kernel.Array{{Name: "f", DType: "float32", IsValue: true, Space: kernel.Private}, {Name: "d", DType: "float64", IsValue: true, Space: kernel.Private}, {Name: "x", DType: "int32", IsValue: true, Space: kernel.Private}},
			DTypes: map[string]expr.DType{"y": c.t},
		})
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		y := interp.NewBuffer(c.t, 1)
		f, d, x := filled("float32", 1), filled("float64", 1), filled("int32", 1)
		f.Set(0, 0.1)
		d.Set(0, 0.1)
		x.Set(0, 5)
		if _, err := interp.Run(nestOf(t, k), map[string]int64{"x": 5}, map[string]*interp.Buffer{"y": y, "f": f, "d": d, "x": x}); err != nil {
			t.Errorf("%s: %v", c.expr, err)
		} else if y.At(0) != c.want {
			t.Errorf("%s is %v, want %v", c.expr, y.At(0), c.want)
		}
	}
}

// TestHalf: every float16 survives, and what lies between two of them goes to the nearer one.
func TestHalf(t *testing.T) {
	data := make([]byte, 0, 2<<16)
	for h := range 0x7c01 {
		data = append(data, byte(h), byte(h>>8))
	}
	b, err := interp.FromBytes("float16", data)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Bytes(); string(got) != string(data) {
		t.Error("float16 values change when written and read")
	}
	one := interp.NewBuffer("float16", 1)
	for h := range 0x7bff {
		low, high := b.At(h), b.At(h+1)
		if math.IsInf(high, 0) {
			break
		}
		for _, c := range []struct{ v, want float64 }{
			{low + (high-low)*0.49, low}, {low + (high-low)*0.51, high}, {(low + high) / 2, []float64{low, high}[h%2]},
		} {
			if one.Set(0, c.v); one.At(0) != c.want {
				t.Fatalf("%v rounds to %v, want %v", c.v, one.At(0), c.want)
			}
		}
	}
}

// TestBytes: buffers keep the device's representation.
func TestBytes(t *testing.T) {
	types := []expr.DType{"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"}
	rapid.Check(t, func(t *rapid.T) {
		dt := rapid.SampledFrom(types).Draw(t, "type")
		b := interp.NewBuffer(dt, 4)
		for i := range 4 {
			if dt.IsFloat() {
				b.Set(i, rapid.Float64().Draw(t, "v"))
			} else {
				b.SetInt(i, rapid.Int64().Draw(t, "v"))
			}
		}
		back, err := interp.FromBytes(dt, b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if back.At(i) != b.At(i) {
				t.Fatalf("%s: %v became %v", dt, b.At(i), back.At(i))
			}
		}
	})
}

// BenchmarkMatmul64 runs the tiled kernel of section 2.1 at n = 64.
func BenchmarkMatmul64(b *testing.B) {
	k := makeKernel(b, subjects[0].spec, "")
	var err error
	for _, s := range [][3]string{{"i", "g.1", "l.1"}, {"j", "g.0", "l.0"}, {"k", "", ""}} {
		if k, err = transform.SplitIname(k, s[0], 16, transform.Split{OuterTag: s[1], InnerTag: s[2]}); err != nil {
			b.Fatal(err)
		}
	}
	if k, err = transform.AddPrefetch(k, "a", []string{"i_inner", "k_inner"}, transform.Prefetch{}); err == nil {
		k, err = transform.AddPrefetch(k, "b", []string{"k_inner", "j_inner"}, transform.Prefetch{})
	}
	if err != nil {
		b.Fatal(err)
	}
	n := nestOf(b, k)
	buffers := map[string]*interp.Buffer{"a": filled("float32", 4096), "b": filled("float32", 4096), "c": filled("float32", 4096)}
	for b.Loop() {
		if _, err := interp.Run(n, map[string]int64{"n": 64}, buffers); err != nil {
			b.Fatal(err)
		}
	}
}
