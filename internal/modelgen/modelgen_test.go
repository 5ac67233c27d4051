package modelgen

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/golden"
	"gpuperf/internal/microbench"
	"gpuperf/kernel"
	"gpuperf/kernel/script"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// h200 is what the driver and the data sheet say of the device that the examples are made for.
var h200 = facts.Of(samples.Fingerprint{Name: "NVIDIA H200", ComputeUnits: 132, GlobalMem: 150109880320})

// fast is a device of 132 multiprocessors that does so many multiply-adds, and moves so many bytes, in a second.
func fast(rate, bandwidth float64) *facts.Device {
	d := facts.Of(samples.Fingerprint{Name: "fast", ComputeUnits: 132, ClockMHz: 1000})
	return d.With(facts.Float32MaddsPerClock, rate/132/1e9, "test").With(facts.LocalBytesPerClock, rate/132/1e9, "test").
		With(facts.MemoryBandwidth, bandwidth, "test")
}

// examples are the kernels whose model files stand in testdata.
var examples = []struct {
	name, script string
	kernels      []string // none: all
	sizes        []map[string]int64
	form         models.Form
}{
	{"matmul", "matmul/matmul.star", nil, sizesOf("n", 2048, 4096, 8192), models.LinearForm},
	{"matmul_prefetch", "matmul/matmul_prefetch.star", nil, sizesOf("n", 2048, 4096, 8192), models.OverlapForm},
	{"dg", "dg/dg.star", nil, sizesOf("nelements", 65536, 262144), models.LinearForm},
	{"finite_diff", "stencil/finite_diff.star", nil, sizesOf("n", 8064, 24192), models.PNormForm},
	{"seven_point", "stencil/seven_point.star", nil, sizesOf("n", 128, 256, 512), models.PNormForm},
	{"transpose", "transpose/transpose.star", nil, sizesOf("n", 2048, 4096, 8192, 16384), models.PNormForm},
	{"matvec", "matvec/matvec.star", nil, sizesOf("n", 4096, 8192, 16384, 32768), models.PNormForm},
	{"nbody", "nbody/nbody.star", nil, sizesOf("n", 16384, 32768, 65536, 131072), models.PNormForm},
	{"softmax", "softmax/softmax.star", nil, []map[string]int64{{"n": 16384, "m": 1024}, {"n": 65536, "m": 1024}, {"n": 16384, "m": 4096}}, models.PNormForm},
}

func sizesOf(name string, values ...int64) []map[string]int64 {
	var out []map[string]int64
	for _, v := range values {
		out = append(out, map[string]int64{name: v})
	}
	return out
}

// generators selects measurement kernels as the command does.
func generators(t testing.TB) func(models.Measurement) ([]*workload.Case, error) {
	t.Helper()
	collection, err := microbench.Load()
	if err != nil {
		t.Fatal(err)
	}
	return func(m models.Measurement) ([]*workload.Case, error) {
		match, err := microbench.ParseMatch(string(m.Match))
		if err != nil {
			return nil, err
		}
		filter, err := microbench.ParseFilter(m.Tags, match)
		if err != nil {
			return nil, err
		}
		variants, err := collection.Select(filter)
		if err != nil {
			return nil, err
		}
		var cases []*workload.Case
		shared := map[*kernel.Kernel]*workload.Kernel{}
		for _, v := range variants {
			ir, err := v.Kernel()
			if err != nil {
				return nil, err
			}
			if shared[ir] == nil {
				shared[ir] = workload.NewKernel(ir)
			}
			args := map[string]string{}
			for _, a := range v.Args {
				if _, size := v.Sizes[a.Name]; !size {
					args[a.Name] = a.Value.String()
				}
			}
			cases = append(cases, &workload.Case{
				Kernel: shared[ir], Name: v.Generator, Sizes: v.Sizes, Tags: v.Tags,
				Identity: samples.Identity{Source: v.Generator, Args: args, Sizes: v.Sizes},
			})
		}
		return cases, nil
	}
}

// targetsOf reads the kernels of an example.
func targetsOf(t testing.TB, path string, sizes []map[string]int64) []Target {
	t.Helper()
	variants, err := script.Options{}.Load(context.Background(), filepath.Join("../../examples", path))
	if err != nil {
		t.Fatal(err)
	}
	var out []Target
	for _, v := range variants {
		out = append(out, Target{Script: path, Variant: v, Sizes: sizes})
	}
	return out
}

func TestExamples(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			set, err := Make(targetsOf(t, e.script, e.sizes), Options{Name: e.name, Form: e.form, Device: h200}, generators(t))
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", e.name+".yaml"), set.Text)
		})
	}
}

// TestFeaturesSelectTheirPatterns: the identifiers of a pattern select all of its accesses in each kernel, and no others.
func TestFeaturesSelectTheirPatterns(t *testing.T) {
	for _, e := range examples {
		var subjects []*subject
		for _, target := range targetsOf(t, e.script, e.sizes) {
			s, err := examine(target, Options{Device: h200})
			if err != nil {
				t.Fatal(err)
			}
			subjects = append(subjects, s)
		}
		major, small, err := findPatterns(subjects, h200)
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(major, small)
		for _, p := range all {
			for _, s := range subjects {
				want := 0.0
				for _, u := range p.Uses {
					for _, m := range u.records {
						n, err := u.subject.count(m, s.largest)
						if err != nil {
							t.Fatal(err)
						}
						if u.subject == s {
							want += n
						}
					}
				}
				got := 0.0
				for _, id := range p.features(all) {
					n, err := valueOf(s.stats, id, s.largest)
					if err != nil {
						t.Fatal(err)
					}
					got += n
				}
				if got != want {
					t.Errorf("%s of %s: %v select %g accesses, there are %g", p.Name, s.Variant.Name, p.features(all), got, want)
				}
			}
		}
	}
}

// TestOneTagOfSeveralPatterns: accesses of one tag in several kernels have costs of their own where their strides differ, also where one
// is no number or depends on a size that the other kernel lacks.
func TestOneTagOfSeveralPatterns(t *testing.T) {
	for _, c := range []struct {
		domain, index string
		sizes         map[string]int64
		want          []string
	}{
		{"0<=i<n and 0<=k<m", "i,k", map[string]int64{"n": 65536, "m": 128}, []string{"f_mem_access_tag:xLD_lstrides:{0:1}", "f_mem_access_tag:xLD_lstrides:{0:m}"}},
		{"0<=i<n and 0<=k<3", "k + i//3", map[string]int64{"n": 65536}, []string{"f_mem_access_tag:xLD_lstrides:{0:!?}", "f_mem_access_tag:xLD_lstrides:{0:?}"}},
	} {
		variants, err := script.Exec("two.star", fmt.Sprintf(`
def k(domain, text):
    knl = lp.make_kernel("{[i,k]: " + domain + "}", text, [lp.GlobalArg("x,y", "float32", shape=lp.auto), "..."], assumptions="n >= 64 and n %% 64 = 0")
    return lp.split_iname(knl, "i", 64, outer_tag="g.0", inner_tag="l.0")
one = k("0<=i<n and 0<=k<1", "y[i] = x[i]")
two = k(%q, "y[i] = sum(k, x[%s])")
`, c.domain, c.index))
		if err != nil {
			t.Fatal(err)
		}
		set, err := Make([]Target{
			{Script: "two.star", Variant: variants[0], Sizes: sizesOf("n", 65536)},
			{Script: "two.star", Variant: variants[1], Sizes: []map[string]int64{c.sizes}},
		}, Options{Name: "two", Device: h200}, generators(t))
		if err != nil {
			t.Errorf("x[%s]: %v", c.index, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(set.Text, want) {
				t.Errorf("x[%s]: no %s in\n%s", c.index, want, set.Text)
			}
		}
	}
}

// TestSizes: those measured lie around those asked for, none is one of them, and all satisfy the assumptions.
func TestSizes(t *testing.T) {
	for _, e := range examples {
		for _, target := range targetsOf(t, e.script, e.sizes) {
			s, err := examine(target, Options{Device: h200})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.chooseSizes(Options{Device: h200}, false); err != nil {
				t.Fatal(err)
			}
			if len(s.sizes) < 5 {
				t.Errorf("%s: sizes %v", s.Variant.Name, s.sizes)
			}
			for _, at := range s.sizes {
				if slices.ContainsFunc(s.Sizes, func(o map[string]int64) bool { return maps.Equal(o, at) }) {
					t.Errorf("%s: %v is to be predicted", s.Variant.Name, at)
				}
				if err := s.at(at).CheckSizes(); err != nil {
					t.Error(err)
				}
				for name, v := range at {
					var asked []int64
					for _, o := range s.Sizes {
						asked = append(asked, o[name])
					}
					if f := float64(v); f < below/2*float64(slices.Min(asked)) || f > above*1.3*float64(slices.Max(asked)) {
						t.Errorf("%s: %s=%d is far from %v", s.Variant.Name, name, v, asked)
					}
				}
			}
		}
	}
}

// TestRemovedKernelsMakeTheAccessesAsked: the kernels that are measured have the accesses that they are to keep, as often as
// the original, and nothing on chip but the additions that keep loads alive.
func TestRemovedKernelsMakeTheAccessesAsked(t *testing.T) {
	for _, e := range examples {
		targets := targetsOf(t, e.script, e.sizes)
		set, err := Make(targets, Options{Name: e.name, Device: h200}, generators(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range set.Model.Measure {
			if m.RemoveWork == nil {
				continue
			}
			at := slices.IndexFunc(targets, func(o Target) bool { return o.Variant.Name == m.Kernel })
			original := &workload.Case{Kernel: workload.NewKernel(targets[at].Variant.Kernel)}
			cases, err := Cases([]script.Variant{targets[at].Variant}, m)
			if err != nil {
				t.Fatal(err)
			}
			was, err := original.Statistics(features.Options{SubgroupSize: 32})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				is, err := c.Statistics(features.Options{SubgroupSize: 32})
				if err != nil {
					t.Fatal(err)
				}
				tags := m.RemoveWork.Keep
				if len(tags) == 0 {
					tags = []string{""}
				}
				for _, tag := range tags {
					id := "f_mem_access_tag:" + tag
					if tag == "" {
						id = "f_mem_access_global"
					}
					a, err1 := valueOf(was, id, c.Sizes)
					b, err2 := valueOf(is, id, c.Sizes)
					if err1 != nil || err2 != nil || a != b || a == 0 {
						t.Errorf("%s: %s is %g (%v), in the kernel %g (%v)", c, id, b, err2, a, err1)
					}
				}
				if n, err := valueOf(is, "f_mem_access_local", c.Sizes); n != 0 || err != nil {
					t.Errorf("%s: %g accesses to local memory are left, %v", c, n, err)
				}
			}
		}
	}
}

// TestDataDependentAccesses: they are measured with the loads that they depend on, and notes say what is estimated.
func TestDataDependentAccesses(t *testing.T) {
	for _, c := range []struct {
		text  string
		keep  []string // with the load of a
		notes []string
	}{
		{"y[i] = a[p[i]]", []string{"aLD", "pLD"}, []string{"footprint of a: a[p[16*i_outer + i_inner]]", "the elements depend on data, p;"}},
		{"y[i] = a[p[q[i]]]", []string{"aLD", "pLD", "qLD"}, []string{"footprint of a", "the elements depend on data, p;", "footprint of p", "the elements depend on data, q;"}},
		{"y[i] = a[i] {if=p[i] > q[i]}", []string{"aLD", "pLD", "qLD"}, []string{"which depends on the data in p; counted as if it always ran"}},
		{"y[i] = a[7*i % n] + p[i]", []string{"aLD"}, []string{"footprint of a"}},
		{"y[p[i]] = a[i]", []string{"aLD"}, []string{"footprint of y", "the elements depend on data, p;"}},
	} {
		variants, err := script.Exec("k.star", fmt.Sprintf(`
knl = lp.make_kernel("{[i]: 0<=i<n}", %q, [lp.GlobalArg("p,q", "int32", shape="n"), lp.GlobalArg("a,y", "float32", shape="n"), "..."], assumptions="n >= 16 and n %% 16 = 0")
knl = lp.split_iname(knl, "i", 16, outer_tag="g.0", inner_tag="l.0")
`, c.text))
		if err != nil {
			t.Fatal(err)
		}
		set, err := Make([]Target{{Script: "k.star", Variant: variants[0], Sizes: sizesOf("n", 1048576)}}, Options{Name: "k", Device: h200}, generators(t))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		kept := slices.ContainsFunc(set.Model.Measure, func(m models.Measurement) bool { return m.RemoveWork != nil && slices.Equal(m.RemoveWork.Keep, c.keep) })
		if !kept {
			t.Errorf("%s: no kernel keeps %v in\n%s", c.text, c.keep, set.Text)
		}
		for _, note := range c.notes {
			if !slices.ContainsFunc(set.Notes, func(n string) bool { return strings.Contains(n, note) }) {
				t.Errorf("%s: no note %q in %q", c.text, note, set.Notes)
			}
			if !strings.Contains(set.Text, note) {
				t.Errorf("%s: the model file does not say %q", c.text, note)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		script string
		sizes  map[string]int64
		want   string
	}{
		{`knl = lp.make_kernel("{[i]: 0<=i<64}", "y[i] = a[i]")`, nil, "has no size to vary"},
		{
			`knl = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = a[i]", assumptions="64 <= n <= 65")`,
			map[string]int64{"n": 64},
			"of the sizes around those asked for only 1 can be measured",
		},
		{`knl = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = a[i]")`, map[string]int64{"m": 64}, "has no parameter m"},
	} {
		text := c.script + "\nknl = lp.add_dtypes(knl, {\"a\": \"float32\", \"y\": \"float32\"})\n" +
			"knl = lp.tag_inames(lp.split_iname(knl, \"i\", 16), \"i_outer:g.0, i_inner:l.0\")\n"
		variants, err := script.Exec("k.star", text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Make([]Target{{Script: "k.star", Variant: variants[0], Sizes: []map[string]int64{c.sizes}}}, Options{Name: "k"}, generators(t))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngave %v\nwant %s", c.script, err, c.want)
		}
	}
}

// TestCopy: a kernel without work on chip, on a device of two multiprocessors, needs little.
func TestCopy(t *testing.T) {
	variants, err := script.Exec("copy.star", `
knl = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = x[i]", assumptions="n >= 1 and n % 64 = 0")
knl = lp.add_dtypes(lp.split_iname(knl, "i", 64, outer_tag="g.0", inner_tag="l.0"), {"x": "float64", "y": "float64"})
`)
	if err != nil {
		t.Fatal(err)
	}
	set, err := Make([]Target{{Script: "copy.star", Variant: variants[0], Sizes: sizesOf("n", 65536)}},
		Options{Name: "copy", Device: facts.Of(samples.Fingerprint{Name: "small", Type: "gpu", ComputeUnits: 2}), Points: 3}, generators(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"p_launch", "p_latency", "p_xLD", "p_yST", "p_group"}
	if d := cmp.Diff(want, set.Model.ParameterNames()); d != "" {
		t.Error(d)
	}
	if len(set.Notes) != 1 || !strings.Contains(set.Notes[0], `memory_bandwidth of device "small": not known`) {
		t.Errorf("notes %q", set.Notes)
	}
}

// TestNothingIsKnownOfTheDevice: the model then has no terms that need the number of multiprocessors or the cache.
func TestNothingIsKnownOfTheDevice(t *testing.T) {
	set, err := Make(targetsOf(t, "matvec/matvec.star", sizesOf("n", 4096, 8192)), Options{Name: "matvec"}, generators(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fillFeature, farFeature} {
		if strings.Contains(set.Text, name) {
			t.Errorf("%s in\n%s", name, set.Text)
		}
	}
}

// TestSizesTakeTheirTime: on a device on which what is asked for takes minutes, smaller sizes are measured; where it takes
// microseconds, none that are over before they have begun.
func TestSizesTakeTheirTime(t *testing.T) {
	for _, c := range []struct {
		sizes    []map[string]int64
		device   *facts.Device
		from, to int64
	}{
		{sizesOf("n", 16384), fast(1e12, 1e11), 1536, 3072},
		{sizesOf("n", 2048, 4096), fast(1e12, 1e11), 1280, 3072},
		{sizesOf("n", 64), fast(1e15, 1e15), 32, 128},
	} {
		s, err := examine(targetsOf(t, "matmul/matmul.star", c.sizes)[0], Options{Device: c.device})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.chooseSizes(Options{Device: c.device}, false); err != nil {
			t.Fatal(err)
		}
		from, to := s.sizes[0]["n"], s.sizes[len(s.sizes)-1]["n"]
		if from != c.from || to != c.to {
			t.Errorf("%v: sizes from %d to %d, want %d to %d", c.sizes, from, to, c.from, c.to)
		}
		for _, at := range s.sizes {
			e, err := Estimate(c.device, s.at(at))
			if err != nil || e > 1.2*longest {
				t.Errorf("n=%d takes %g s, %v", at["n"], e, err)
			}
		}
	}
}
