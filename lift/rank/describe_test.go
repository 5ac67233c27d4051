package rank_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/kernel/script"
	"gpuperf/launch"
	"gpuperf/lift/rank"
	"gpuperf/samples"
	"gpuperf/workload"
)

// scripts are kernels whose work-groups have the extents of the arguments.
var scripts = map[string]string{
	"copy": `
knl = lp.make_kernel("{[i,j]: 0<=i,j<n}", "z[i,j] = a[i,j]")
knl = lp.split_iname(knl, "i", %d, outer_tag="g.1", inner_tag="l.1")
knl = lp.split_iname(knl, "j", %d, outer_tag="g.0", inner_tag="l.0")
knl = lp.add_dtypes(knl, {"a": "float32", "z": "float32"})
`,
	"transposition": `
knl = lp.make_kernel("{[i,j]: 0<=i,j<n}", "z[i,j] = a[j,i]")
knl = lp.split_iname(knl, "i", %d, outer_tag="g.1", inner_tag="l.1")
knl = lp.split_iname(knl, "j", %d, outer_tag="g.0", inner_tag="l.0")
knl = lp.add_dtypes(knl, {"a": "float32", "z": "float32"})
`,
	"product": `
knl = lp.make_kernel("{[i,j,k]: 0<=i,j,k<n}", "c[i,j] = sum(k, a[i,k]*b[k,j])")
knl = lp.split_iname(knl, "i", %d, outer_tag="g.1", inner_tag="l.1")
knl = lp.split_iname(knl, "j", %d, outer_tag="g.0", inner_tag="l.0")
knl = lp.add_dtypes(knl, {"a": "float32", "b": "float32", "c": "float32"})
`,
}

var h200, _ = facts.Named("NVIDIA H200")

// subject is a case to describe: a variant of a benchmark.
type subject struct {
	*workload.Case
	Benchmark, Size string
}

// describe derives the vectors of cases; the time that is predicted of each is its size.
func describe(t testing.TB, list []subject) *rank.Vectors {
	t.Helper()
	v := &rank.Vectors{Names: launch.Names(h200)}
	for _, s := range list {
		static, err := s.Kernel.Static(launch.Options{Device: h200})
		if err != nil {
			t.Fatal(err)
		}
		values, err := static.At(s.Sizes)
		if err != nil {
			t.Fatal(err)
		}
		job, err := s.Job(device.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		v.List = append(v.List, rank.Vector{
			Kernel: s.Identity, SourceHash: job.SourceHash(), Benchmark: s.Benchmark, Size: s.Size, Values: values.Values, Predicted: float64(s.Sizes["n"]),
		})
	}
	return v
}

// subjects are the kernels at several extents of work-groups and sizes.
func subjects(t testing.TB) (out []subject) {
	for _, benchmark := range []string{"copy", "product", "transposition"} {
		for _, y := range []int{1, 2, 4, 8, 16, 32} {
			for _, x := range []int{4, 8, 16, 32} {
				variants, err := script.Exec(benchmark+".star", fmt.Sprintf(scripts[benchmark], y, x))
				if err != nil {
					t.Fatal(err)
				}
				k := workload.NewKernel(variants[0].Kernel)
				for _, n := range []int64{96, 128} {
					sizes := map[string]int64{"n": n}
					id := samples.Identity{Source: benchmark + ".star", Variant: "knl", Args: map[string]string{"x": fmt.Sprint(x), "y": fmt.Sprint(y)}, Sizes: sizes}
					out = append(out, subject{
						Case:      &workload.Case{Kernel: k, Name: benchmark, Identity: id, Sizes: sizes},
						Benchmark: benchmark, Size: fmt.Sprintf("n=%d", n),
					})
				}
			}
		}
	}
	return out
}

// From kernels to ranks: features of kernel scripts at many extents of work-groups, written to a file and read again, joined to
// records, and learnt from. The times are made up from what the features say, so that the right order is known.
func TestDescribe(t *testing.T) {
	list := subjects(t)
	v := describe(t, list)
	path := filepath.Join(t.TempDir(), "vectors.jsonl")
	if err := v.Append(path); err != nil {
		t.Fatal(err)
	}
	read, warnings, err := rank.ReadVectors(path)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	value := func(x *rank.Vector, name string) float64 {
		for i, n := range read.Names {
			if n == name {
				return x.Values[i]
			}
		}
		t.Fatalf("no feature %s", name)
		return 0
	}
	var records []samples.Record
	for i, s := range list {
		x := &read.List[i]
		job, err := s.Job(device.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		if job.Local[0] != int64(value(x, "local_size_0")) || job.Global[1] != int64(value(x, "global_size_1")) {
			t.Errorf("%s: features %v and %v, the launch has %v of %v", s.Case, value(x, "local_size_0"), value(x, "global_size_1"), job.Local, job.Global)
		}
		seconds := 1e-9 * value(x, "sectors_item") * value(x, "global_size_0") * value(x, "global_size_1") / max(value(x, "lanes_used"), 0.1)
		sum := samples.Summarize([]float64{seconds})
		records = append(records, samples.Record{Kernel: s.Identity, SourceHash: job.SourceHash(), Status: samples.OK, Trials: []float64{seconds}, Summary: &sum})
	}
	all := func(yield func(*samples.Record, error) bool) {
		for i := range records {
			if !yield(&records[i], nil) {
				return
			}
		}
	}
	set, warnings, err := rank.Join(read, all)
	if err != nil || len(warnings) > 0 || len(set.Points) != len(list) || len(set.Groups()) != 6 {
		t.Fatalf("%d points in %d groups, %v", len(set.Points), len(set.Groups()), warnings)
	}
	var outcomes []*rank.Outcomes
	for _, name := range []string{"knn", "trees", "cost", "corrected"} {
		r, err := rank.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		o, err := rank.LeaveFamiliesOut(set, nil, r, rank.OutcomeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, o)
		if math.IsNaN(o.RunFactor) || len(o.Groups) != 6 {
			t.Errorf("%s: %+v", name, o)
		}
		// What it has seen it must know; three benchmarks are too few to know others.
		scorer, err := r.Fit(set)
		if err != nil {
			t.Fatal(err)
		}
		seen, err := rank.Try(set, scorer, rank.OutcomeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, g := range seen {
			mean += g.Spearman / float64(len(seen))
		}
		if mean < 0.7 {
			t.Errorf("%s: correlation %v with what it has seen", name, mean)
		}
		var text bytes.Buffer
		if err := o.Write(&text); err != nil || !strings.Contains(text.String(), "transposition    n=96") {
			t.Errorf("%s\n%v", &text, err)
		}
	}
	figures := rank.NewFigures(outcomes)
	if n := len(figures.Curves.Panels); n != 6 || len(figures.Curves.Panels[0].Curves) != 5 || len(figures.Runs.Bars) != 6 || len(figures.Factors.Bars) != 4 {
		t.Errorf("%d panels, %d bars of runs, %d of factors", n, len(figures.Runs.Bars), len(figures.Factors.Bars))
	}
	for _, svg := range []string{figures.Curves.SVG(), figures.Factors.SVG(), figures.Runs.SVG()} {
		if !strings.HasPrefix(svg, "<svg ") || strings.Contains(svg, `"NaN"`) {
			t.Error("not drawn")
		}
	}
	r, err := rank.NewRedundancy(set)
	if err != nil || len(r.Features) != len(read.Names) || r.Features[0].Redundancy <= 0 {
		t.Errorf("%v %v", r, err)
	}
}

// What a design point costs: linearized, described and hashed.
func BenchmarkDescribe(b *testing.B) {
	points := 0
	for b.Loop() {
		b.StopTimer()
		list := subjects(b)
		points += len(list)
		b.StartTimer()
		describe(b, list)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(points), "µs/point")
}
