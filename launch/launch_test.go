package launch

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/device/facts"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
	"gpuperf/kernel/transform"
	"gpuperf/samples"
)

// staticMade returns what Make and transformations made; a test that gets an error stops.
func made(t testing.TB) func(k *kernel.Kernel, err error) *kernel.Kernel {
	return func(k *kernel.Kernel, err error) *kernel.Kernel {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
}

// staticAt derives the features of a program at the given sizes.
func vectorAt(n *linear.Nest, sizes map[string]int64, opt Options) (*Vector, error) {
	p, err := New(n, opt)
	if err != nil {
		return nil, err
	}
	return p.At(sizes)
}

// The examples, lane by lane.
func TestStaticExamples(t *testing.T) {
	for _, test := range []struct {
		file  string
		sizes map[string]int64
	}{
		{"matmul/matmul.star", map[string]int64{"n": 32}},
		{"matmul/matmul_prefetch.star", map[string]int64{"n": 32}},
		{"dg/dg.star", map[string]int64{"nelements": 32}},
		{"stencil/finite_diff.star", map[string]int64{"n": 112}},
		{"stencil/seven_point.star", map[string]int64{"n": 16}},
		{"transpose/transpose.star", map[string]int64{"n": 64}},
		{"matvec/matvec.star", map[string]int64{"n": 128}},
		{"softmax/softmax.star", map[string]int64{"n": 256}},
		{"nbody/nbody.star", map[string]int64{"n": 256}},
	} {
		for i, v := range scriptVariants(t, test.file) {
			if i%2 != 0 && os.Getenv("LONG") == "" {
				continue
			}
			n, err := linear.New(v.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			sizes := map[string]int64{}
			for _, p := range n.Kernel.Params() {
				sizes[p] = test.sizes["n"]
				if size, ok := test.sizes[p]; ok {
					sizes[p] = size
				}
			}
			if err := compareStatic(n, sizes, Options{Borders: true, Device: h200}); err != nil {
				t.Errorf("%s %s: %v", test.file, v.Name, err)
			}
		}
	}
}

func scriptVariants(t testing.TB, file string) []script.Variant {
	text, err := os.ReadFile(filepath.Join("..", "examples", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	variants, err := script.Exec(file, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return variants
}

// TestStaticRandom compares random kernels with runs of them: sizes that do not divide, clamped, mirrored and wrapped
// indices, loops strided by the launch, tiles, triangles, several element types and sizes of sub-groups.
func TestStaticRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
		subject := rapid.SampledFrom([]struct{ domain, text string }{
			{"0<=i,j<n", "z[i,j] = a[min(max(i-1,0),n-1), min(j+1,n-1)] + a[i,max(j-2,0)]"},
			{"0<=i,j<n", "z[i,j] = a[i-1 if i>=1 else -i, j] + a[(i+1)%n, (j+n-1)%n]"},
			{"0<=i,j<n", "z[i,j] = (a[i-1,j] if i>=1 and j<n-1 else 0) + (a[i,j] if i==j or not (j>=2) else a[j,i])"},
			{"0<=i,j<n and 0<=k<n", "z[i,j] = sum(k, a[i,k]*a[k,j])"},
			{"0<=i,j<n and 0<=k<=i", "z[i,j] = sum(k, a[i,k])"},
			{"0<=i,j<n and 2*k<=i+j and 0<=k", "z[i,j] = sum(k, a[k,j])"},
			{"0<=i,j<n and i<=j", "z[j,i] = a[i//3, (i+j)%5]"},
			{"0<=i,j<n and (i+j) mod 2 = 0", "z[i,j] = a[j,i]"},
			{"0<=i,j<n", "z[i,j] = a[i,j] + a[i+1,j] + a[i+2,j+1]"},
			{"1<=i,j<n-1", "z[i,j] = 4*a[i,j] + a[i+1,j] + a[i,j-1]"},
			{"0<=i,j<n", "z[i,j] = 2*a[j,i] {if=i + j < n and not (j == 2 or i >= j)}"},
			{"0<=i,j<n", "z[i,j] = a[j,i] {if=a[i,j] > 0 and j > 1}"},
			{"0<=i,j<n", "z[i,j] = a[2*i if 2*i < n else n-1, j//2 + (i%3)]"},
		}).Draw(t, "kernel")
		dtype := rapid.SampledFrom([]expr.DType{"float32", "float32", "float64", "int8"}).Draw(t, "dtype")
		square := func(name string) *kernel.Array {
			size := &expr.Op{Kind: expr.Add, Args: []expr.Expr{expr.Var{Name: "n"}, expr.Int{Value: 2}}}
			return &kernel.Array{Name: name, DType: dtype, Space: kernel.Global, Shape: []expr.Expr{size, size}}
		}
		inames := "i,j"
		if strings.Contains(subject.domain, "k<") || strings.Contains(subject.domain, "k ") || strings.Contains(subject.domain, "2*k") {
			inames += ",k"
		}
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"{[" + inames + "]: " + subject.domain + "}"}, Instructions: subject.text,
			Args: []*kernel.Array{square("a"), square("z")}, Assumptions: "n >= 3",
		})
		if err != nil {
			t.Fatal(err)
		}
		apply := func(next *kernel.Kernel, err error) {
			if err != nil {
				t.Skip(err)
			}
			k = next
		}
		axes := rapid.Permutation([]int{0, 1}).Draw(t, "axes")
		for axis, iname := range []string{"i", "j"} {
			at := axes[axis]
			switch small("map "+iname, 0, 3) {
			case 0:
			case 1:
				apply(transform.SplitIname(k, iname, int64(small("by", 1, 12)), transform.Split{OuterTag: fmt.Sprintf("g.%d", at), InnerTag: fmt.Sprintf("l.%d", at)}))
			case 2: // the launch strides over the data
				apply(transform.SplitIname(k, iname, int64(small("by", 1, 12)), transform.Split{InnerTag: fmt.Sprintf("l.%d", at)}))
				apply(transform.SplitIname(k, iname+"_outer", int64(small("groups", 1, 3)), transform.Split{InnerTag: fmt.Sprintf("g.%d", at)}))
			case 3: // blocks
				apply(transform.SplitIname(k, iname, int64(small("by", 1, 3)), transform.Split{}))
				apply(transform.SplitIname(k, iname+"_outer", int64(small("items", 1, 8)), transform.Split{OuterTag: fmt.Sprintf("g.%d", at), InnerTag: fmt.Sprintf("l.%d", at)}))
			}
		}
		if strings.Contains(subject.text, "a[i+1,j] + a[i+2") && rapid.Bool().Draw(t, "prefetch") {
			var sweep []string
			for _, iname := range k.Inames() {
				if strings.HasSuffix(iname, "_inner") {
					sweep = append(sweep, iname)
				}
			}
			apply(transform.AddPrefetch(k, "a", sweep, transform.Prefetch{}))
		}
		for _, iname := range k.Inames() {
			if _, tagged := k.Tags[iname]; !tagged && strings.HasSuffix(iname, "_inner") && rapid.Bool().Draw(t, "unroll "+iname) {
				if unrolled, err := transform.TagInames(k, iname+":unr"); err == nil {
					k = unrolled
				}
			}
		}
		n, err := linear.New(k)
		if err != nil {
			t.Skip(err)
		}
		if err := n.Kernel.Launchable(); err != nil {
			t.Skip(err)
		}
		opt := Options{Borders: true, Device: h200, SubgroupSize: rapid.SampledFrom([]int{1, 4, 32}).Draw(t, "sub-group")}
		if err := compareStatic(n, map[string]int64{"n": int64(small("n", 3, 24))}, opt); err != nil {
			t.Fatalf("%v\n%s", err, n)
		}
		if _, err := vectorAt(n, map[string]int64{"n": int64(small("large n", 3, 5000))}, Options{Device: h200, Boxes: 64}); err != nil {
			t.Fatalf("%v\n%s", err, n)
		}
	})
}

// Padded data is accessed as in the middle of the launch: as if the indices were not bounded.
func TestStaticInterior(t *testing.T) {
	for _, test := range []struct{ padded, plain string }{
		{"a[min(max(i-1,0),n-1), min(j+1,n-1)] + a[i,max(j-2,0)]", "around[i+7,j+33] + around[i+8,j+30]"},
		{"a[(i+n-1)%n, (j+1)%n]", "around[i+7,j+33]"},
		{"a[-1-(i-3) if i-3<0 else i-3, 2*n-1-(j+1) if j+1>=n else j+1]", "around[i+5,j+33]"},
		{"(a[i-1,j] if i>=1 else 0) + (a[i,j+1] if j+1<n else a[0,0])", "around[i+7,j+32] + around[i+8,j+33]"},
		{"a[i//4, j%4]", "a[i//4, j%4]"}, // no border
	} {
		parsed := func(text string) expr.Expr {
			e, err := expr.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		vector := func(text string, borders bool) *Vector {
			ok := made(t)
			n := expr.Var{Name: "n"}
			size := []expr.Expr{n, n}
			args := []*kernel.Array{{Name: "z", DType: "float32", Space: kernel.Global, Shape: size}}
			if strings.Contains(text, "around") { // a, with 8 rows and 32 columns around it
				args = append(args, &kernel.Array{
					Name: "around", DType: "float32", Space: kernel.Global, Axes: []kernel.Axis{{Stride: n}, {Stride: expr.Int{Value: 1}}},
					Shape: []expr.Expr{parsed("n + 16"), parsed("n + 64")}, Offset: parsed("-8*n - 32"),
				})
			} else {
				args = append(args, &kernel.Array{Name: "a", DType: "float32", Space: kernel.Global, Shape: size})
			}
			k := ok(kernel.Make(kernel.Spec{
				Domains: []string{"{[i,j]: 0<=i,j<n}"}, Instructions: "z[i,j] = " + text, Assumptions: "n >= 16 and n % 16 = 0", Args: args,
			}))
			k = ok(transform.SplitIname(k, "i", 8, transform.Split{OuterTag: "g.1", InnerTag: "l.1"}))
			k = ok(transform.SplitIname(k, "j", 16, transform.Split{OuterTag: "g.0", InnerTag: "l.0"}))
			nest, err := linear.New(k)
			if err != nil {
				t.Fatal(err)
			}
			v, err := vectorAt(nest, map[string]int64{"n": 1024}, Options{Borders: borders, Device: h200})
			if err != nil {
				t.Fatal(err)
			}
			if !v.Exact {
				t.Errorf("%s: not exact", text)
			}
			return v
		}
		padded, plain := vector(test.padded, false), vector(test.plain, true)
		for i, f := range Features() {
			switch f.Name {
			case "selects", "registers", "adds", "madds", "other_ops", "intensity": // the conditions themselves
				continue
			case "data_bytes", "data_l2", "reuse": // of the larger array
				continue
			}
			if padded.Values[i] != plain.Values[i] {
				t.Errorf("%s: %s is %v, without the border %v", test.padded, f.Name, padded.Values[i], plain.Values[i])
			}
		}
		if f, _ := vector(test.padded, true).Value("sectors_item"); strings.Contains(test.padded, "max(j-2,0)") {
			if g, _ := padded.Value("sectors_item"); f == g {
				t.Errorf("%s: the border makes no difference to the sectors, %v", test.padded, f)
			}
		}
	}
}

// A launch that cannot be divided far enough is represented by some of its points, and says so.
func TestStaticSampled(t *testing.T) {
	ok := made(t)
	k := ok(kernel.Make(kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "z[i] = a[i // 1021, i % 1021]", Assumptions: "n >= 1",
		DTypes: map[string]expr.DType{"a": "float32", "z": "float32"},
	}))
	k = ok(transform.SplitIname(k, "i", 64, transform.Split{OuterTag: "g.0", InnerTag: "l.0"}))
	n, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{"n": 1 << 20}
	exact, err := vectorAt(n, sizes, Options{Borders: true, Device: h200, Boxes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	rough, err := vectorAt(n, sizes, Options{Borders: true, Device: h200, Boxes: 100})
	if err != nil {
		t.Fatal(err)
	}
	if !exact.Exact || rough.Exact {
		t.Fatalf("exact: %v and %v, want true and false", exact.Exact, rough.Exact)
	}
	for i, f := range Features() {
		if e, r := exact.Values[i], rough.Values[i]; !strings.HasPrefix(f.Name, "tile") && math.Abs(e-r) > 0.1*math.Abs(e) {
			t.Errorf("%s is %v from samples, exactly %v", f.Name, r, e)
		}
	}
}

func TestStaticErrors(t *testing.T) {
	ok := made(t)
	k := ok(kernel.Make(kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "z[i] = 1", Assumptions: "n >= 1",
		DTypes: map[string]expr.DType{"z": "float32"},
	}))
	n, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sizes map[string]int64
		opt   Options
		want  string
	}{
		{nil, Options{Device: h200}, "size n has no value"},
		{map[string]int64{"n": 1}, Options{SubgroupSize: -1}, "neither may be negative"},
	} {
		if _, err := vectorAt(n, test.sizes, test.opt); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want an error with %q", err, test.want)
		}
	}
}

var h200, _ = facts.Named("NVIDIA H200")

// Lines, sectors and banks are those of the devices that have data sheets; features are defined by them.
func TestFeaturesSuitDevices(t *testing.T) {
	for key, want := range map[facts.Key]int64{facts.LineBytes: LineBytes, facts.SectorBytes: SectorBytes, facts.Banks: banks, facts.BankBytes: bankBytes} {
		if got := h200.Int(key); got != want {
			t.Errorf("%s is %d, features count by %d", key, got, want)
		}
	}
}

// What is not known of a device is not in its vectors, and asking for it is an error that names the fact.
func TestUnknownDevice(t *testing.T) {
	pocl := facts.Of(samples.Fingerprint{
		Name: "a processor", Type: "cpu", Platform: "Portable Computing Language", ComputeUnits: 2, LocalMem: 1 << 20, MaxWorkGroup: 4096,
	})
	n, err := linear.New(scriptVariants(t, "matmul/matmul.star")[0].Kernel)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		device   *facts.Device
		has      []string
		waves    float64
		lacks    []string
		mistaken string
	}{
		{"H200", h200, []string{"adds", "occupancy", "waves", "data_l2", "tile_l1"}, 64.0 * 64 / (8 * 132), nil, ""},
		{"none", nil, []string{"adds"}, 0, []string{"occupancy", "waves", "data_l2", "tile_l1", "groups_resident"}, "no device is named"},
		{"PoCL", pocl, []string{"adds", "occupancy", "waves"}, 64 * 64 / 2, []string{"data_l2", "tile_l1"}, ""},
		{"a new GPU", facts.Of(samples.Fingerprint{Name: "X1", Type: "gpu", ComputeUnits: 7}), nil, 0, []string{"waves"}, `sub_partitions, local_unit of device "X1": not known`},
	} {
		v, err := vectorAt(n, map[string]int64{"n": 1024}, Options{Device: test.device})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range test.has {
			if _, ok := v.Value(name); !ok {
				t.Errorf("%s: %s is not known", test.name, name)
			}
		}
		for _, name := range test.lacks {
			if x, ok := v.Value(name); ok {
				t.Errorf("%s: %s is said to be %g", test.name, name, x)
			}
		}
		if waves, _ := v.Value("waves"); math.Abs(waves-test.waves) > 1e-9*test.waves {
			t.Errorf("%s: %g waves, want %g", test.name, waves, test.waves)
		}
		_, err = v.Totals([]string{"f_static_load_rounds"})
		if unknown := (*facts.Unknown)(nil); (err != nil) != (test.mistaken != "") || err != nil && (!errors.As(err, &unknown) || !strings.Contains(err.Error(), test.mistaken)) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.mistaken)
		}
	}
}

// The cost of a vector: preparing a linearized program, and evaluating it at a size.
func BenchmarkStatic(b *testing.B) {
	sizes := map[string]int64{"n": 4096, "nelements": 65536, "m": 4096}
	for _, file := range []string{"matmul/matmul.star", "matmul/matmul_prefetch.star", "dg/dg.star", "stencil/finite_diff.star"} {
		for _, v := range scriptVariants(b, file) {
			if strings.HasPrefix(v.Name, "finite") {
				sizes["n"] = 224 * 18
			} else {
				sizes["n"] = 4096
			}
			name := filepath.Base(file) + "/" + v.Name
			b.Run(name+"/linearize", func(b *testing.B) {
				for b.Loop() {
					if _, err := linear.New(v.Kernel); err != nil {
						b.Fatal(err)
					}
				}
			})
			n, err := linear.New(v.Kernel)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name+"/prepare", func(b *testing.B) {
				for b.Loop() {
					if _, err := New(n, Options{Device: h200}); err != nil {
						b.Fatal(err)
					}
				}
			})
			p, err := New(n, Options{Device: h200})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name+"/at", func(b *testing.B) {
				for b.Loop() {
					if _, err := p.At(sizes); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A vector is one access, of all its bytes.
func TestStaticVectors(t *testing.T) {
	ok := made(t)
	k := ok(kernel.Make(kernel.Spec{
		Domains: []string{"{[g,l]: 0<=g<n and 0<=l<32}"}, Assumptions: "n >= 1",
		Instructions: "y[128*g + 4*l; 4] = x[128*g + 4*l; 4]*2",
		DTypes:       map[string]expr.DType{"x": "float32", "y": "float32"},
	}))
	n, err := linear.New(ok(transform.TagInames(k, "g:g.0, l:l.0")))
	if err != nil {
		t.Fatal(err)
	}
	v, err := vectorAt(n, map[string]int64{"n": 8}, Options{Device: h200})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"global_loads": 1, "global_stores": 1, "cache_lines": 4, "sectors": 16, "coalesced": 1, "access_bytes": 16, "muls": 4,
		"tile_bytes": 2 * 512, "sector_use": 1,
	} {
		if got, _ := v.Value(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// A loop that memory bounds runs as often as the kernel says it does on average.
func TestStaticAverage(t *testing.T) {
	n, err := linear.New(scriptVariants(t, "spmv/spmv.star")[0].Kernel)
	if err != nil {
		t.Fatal(err)
	}
	v, err := vectorAt(n, map[string]int64{"n": 1024, "nnz": 16 * 1024}, Options{Device: h200})
	if err != nil {
		t.Fatal(err)
	}
	if v.Exact {
		t.Error("an average is exact")
	}
	for name, want := range map[string]float64{"loop_bodies": 16, "global_loads": 2 + 3*16, "global_stores": 1, "gathers": 16, "madds": 16} {
		if got, _ := v.Value(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// Kernels in sequence do what each does.
func TestStaticSequence(t *testing.T) {
	var list []*Program
	for _, file := range []string{"matmul/matmul.star", "transpose/transpose.star"} {
		n, err := linear.New(scriptVariants(t, file)[0].Kernel)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(n, Options{Device: h200})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	sizes := map[string]int64{"n": 256}
	value := func(v *Vector, err error) func(string) float64 {
		if err != nil {
			t.Fatal(err)
		}
		return func(name string) float64 {
			x, ok := v.Value(name)
			if !ok {
				t.Fatalf("no feature %s", name)
			}
			return x
		}
	}
	a, b, both := value(list[0].At(sizes)), value(list[1].At(sizes)), value(Sequence(list, sizes))
	share := b("global_size_0") * b("global_size_1") / (a("global_size_0") * a("global_size_1"))
	for _, name := range []string{"global_loads", "global_stores", "sectors_item", "statements", "madds"} {
		if got, want := both(name), a(name)+share*b(name); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if both("launches") != 2 || both("local_size_0") != a("local_size_0") {
		t.Errorf("%v launches, groups of %v", both("launches"), both("local_size_0"))
	}
	if one := value(Sequence(list[:1], sizes)); one("reuse") != a("reuse") {
		t.Error("a sequence of one kernel is not that kernel")
	}
	if _, err := Sequence(nil, sizes); err == nil {
		t.Error("nothing has features")
	}
}
