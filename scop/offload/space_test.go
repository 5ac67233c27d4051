package offload

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/kernel"
	"gpuperf/scop"
	"gpuperf/search"
)

// TestUsual: the path of first options is what is done by default at the sizes. LONG=1 takes all examples.
func TestUsual(t *testing.T) {
	names := []string{"mvt", "gemm", "jacobi-2d", "covariance"}
	if os.Getenv("LONG") != "" {
		names = slices.Sorted(maps.Keys(sizesOf))
	}
	for _, name := range names {
		n := example(t, name, "float")
		at := map[string]int64{}
		for i, p := range n.Params {
			at[p] = 10 * sizesOf[name][1][i]
		}
		s, err := NewSpace(t.Context(), n, Options{Sizes: at}, ByStrategy)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Program(usual(t, s))
		if err != nil {
			t.Fatal(err)
		}
		q, err := Find(t.Context(), n, Options{Sizes: at})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(p.Kernels, q.Kernels, func(a, b *kernel.Kernel) bool { return a.String() == b.String() }) {
			t.Errorf("%s: %v\nis by default\n%v", name, p.Kernels, q.Kernels)
		}
	}
}

// usual is the path of first options, on which no choice may be met twice.
func usual(t *testing.T, s *Space) (made search.Config) {
	t.Helper()
	for c := s.Next(made); c != nil; c = s.Next(made) {
		if made.Option(c.Name) != "" || len(c.Options) == 0 {
			t.Fatalf("%+v after %v", c, made)
		}
		made = append(made, search.Pick{Choice: c.Name, Option: c.Options[0]})
	}
	return made
}

// random draws configurations.
func random(t *testing.T, s *Space, seed uint64) func() search.Config {
	t.Helper()
	r, err := search.New("random", s, nil, seed)
	if err != nil {
		t.Fatal(err)
	}
	return r.Ask
}

// TestSpace: random configurations are different programs.
func TestSpace(t *testing.T) {
	s, err := NewSpace(t.Context(), example(t, "mvt", "double"), Options{}, ByStrategy)
	if err != nil {
		t.Fatal(err)
	}
	usual := usual(t, s)
	draw := random(t, s, 1)
	different := map[string]bool{}
	for range 8 {
		p, err := s.Program(draw())
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, k := range p.Kernels {
			text += k.String()
		}
		different[text] = true
	}
	if len(different) < 6 {
		t.Errorf("%d different programs of 8", len(different))
	}
	one := draw()
	if again, err := s.Parse(dotted(one.String())); err != nil || again.String() != one.String() {
		t.Errorf("%v is read as %v: %v", one, again, err)
	}
	if made, err := s.Parse("S1.share=64"); err != nil || made.Option("S1 share") != "64" || made[0] != usual[0] {
		t.Errorf("%v, %v", made, err)
	}
	for text, want := range map[string]string{"S1.share=3": "its options here are ", "S1.width=3": "there is no choice S1.width; there are schedule, ", "S1": `"S1" is no choice`} {
		if _, err := s.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := s.Program(usual[1:]); err == nil || !strings.Contains(err.Error(), "nothing of schedule") {
		t.Error(err)
	}
}

// TestSchedules: what choices of partitions and hyperplanes lead to computes what the text does, and there are more schedules than the strategies find.
func TestSchedules(t *testing.T) {
	dev := devicetest.Open(t)
	for _, of := range []Schedules{ByPartitions, ByHyperplanes} {
		found := 0
		for _, name := range []string{"bicg", "jacobi-1d"} {
			n := example(t, name, "float")
			s, err := NewSpace(t.Context(), n, Options{}, of)
			if err != nil {
				t.Fatal(err)
			}
			usual(t, s)
			draw := random(t, s, 3)
			at := map[string]int64{}
			for i, p := range n.Params {
				at[p] = sizesOf[name][0][i]
			}
			for i := range 6 {
				made := draw()
				if i >= 1 { // the others are only made
					continue
				}
				p, err := s.Program(made)
				if err != nil {
					t.Fatalf("%s, %v: %v", name, made, err)
				}
				if result, err := p.Run(t.Context(), dev, at, device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1}); err != nil || !result.Verified {
					t.Errorf("%s, %s, %v: %+v %v", name, of, made, result, err)
				}
			}
			t.Logf("%s, %s: %d schedules", name, of, len(s.schedules))
			found += len(s.schedules)
		}
		if found < 3 {
			t.Errorf("%s: %d schedules of two nests", of, found)
		}
	}
}

// sizesOf are the sizes that PolyBench/C 4.2.1 calls MINI and SMALL, in the order of the parameters.
var sizesOf = map[string][2][]int64{
	"2mm": {{16, 18, 22, 24}, {40, 50, 70, 80}}, "3mm": {{16, 18, 20, 22, 24}, {40, 50, 60, 70, 80}}, "adi": {{20, 20}, {40, 60}}, "atax": {{38, 42}, {116, 124}},
	"bicg": {{38, 42}, {116, 124}}, "cholesky": {{40}, {120}}, "correlation": {{28, 32}, {80, 100}}, "covariance": {{28, 32}, {80, 100}},
	"deriche": {{64, 64}, {192, 128}}, "doitgen": {{10, 8, 12}, {25, 20, 30}}, "durbin": {{40}, {120}}, "fdtd-2d": {{20, 30, 20}, {40, 80, 60}},
	"floyd-warshall": {{60}, {180}}, "gemm": {{20, 25, 30}, {60, 70, 80}}, "gemver": {{40}, {120}}, "gesummv": {{30}, {90}},
	"gramschmidt": {{30, 20}, {80, 60}}, "heat-3d": {{20, 10}, {40, 20}}, "jacobi-1d": {{20, 30}, {40, 120}}, "jacobi-2d": {{20, 30}, {40, 90}},
	"lu": {{40}, {120}}, "ludcmp": {{40}, {120}}, "mvt": {{40}, {120}}, "nussinov": {{60}, {180}}, "seidel-2d": {{20, 40}, {40, 120}},
	"symm": {{20, 30}, {60, 80}}, "syr2k": {{30, 20}, {80, 60}}, "syrk": {{30, 20}, {80, 60}}, "trisolv": {{40}, {120}}, "trmm": {{20, 30}, {60, 80}},
}

// TestConfigurations: in random configurations the examples compute what the text does, work-item by work-item, without races. LONG=1 looks at eight of each.
func TestConfigurations(t *testing.T) {
	names, count := []string{"gesummv", "trisolv"}, 2
	if os.Getenv("LONG") != "" {
		names, count = slices.Sorted(maps.Keys(sizesOf)), 8
	}
	for _, name := range names {
		n := example(t, name, "double")
		at := sizesAt(n, sizesOf[name][0])
		if name == "gramschmidt" { // of more columns than rows, the last ones are nothing but rounding
			at["m"], at["n"] = at["n"], at["m"]
		}
		s, err := NewSpace(t.Context(), n, Options{Sizes: at}, ByStrategy)
		if err != nil {
			t.Fatal(err)
		}
		for _, made := range different(random(t, s, 1), count) {
			p, err := s.Program(made)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, made, err)
			}
			check(wrongly{t, name + " " + dotted(made.String())}, p, at)
		}
	}
}

// different are configurations of twenty that are drawn: each has an option that none before it has.
func different(draw func() search.Config, count int) (out []search.Config) {
	seen := map[search.Pick]bool{}
	for range 20 {
		made, before := draw(), len(seen)
		for _, p := range made {
			seen[p] = true
		}
		if len(seen) > before && len(out) < count {
			out = append(out, made)
		}
	}
	return out
}

// wrongly is a test that says which configuration has failed.
type wrongly struct {
	t    *testing.T
	what string
}

func (w wrongly) Fatalf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf(w.what+": "+format, args...)
}

// TestConfigurationsRun: the examples are right on the device by default and in a random configuration. LONG=1 takes all of them at both sizes, in float at one of them and in double at the other.
func TestConfigurationsRun(t *testing.T) {
	names, sets := []string{"trisolv"}, 1
	if os.Getenv("LONG") != "" {
		names, sets = slices.Sorted(maps.Keys(sizesOf)), 2
	}
	dev := devicetest.Open(t)
	for i, name := range names {
		for set := range sets {
			n := example(t, name, []string{"double", "float"}[(i+set)%2])
			all, err := RunAll(t.Context(), dev, []*scop.Nest{n}, sizesAt(n, sizesOf[name][set]), RunOptions{Random: 1, Seed: uint64(set + 1), Trials: 1})
			if err != nil {
				t.Error(err)
			}
			for _, r := range all {
				if !r.Verified {
					t.Logf("%s, %d: %v: %s", name, set, r.Config, r.Why)
				}
			}
			if sets == 1 && !slices.ContainsFunc(all, func(r *Result) bool { return r.Verified && r.Config != nil }) {
				t.Error("nothing is verified")
			}
		}
	}
}

// sizesAt are the sizes of a nest, in the order of its parameters.
func sizesAt(n *scop.Nest, sizes []int64) map[string]int64 {
	at := map[string]int64{}
	for i, p := range n.Params {
		at[p] = sizes[i]
	}
	return at
}

// example is the nest of an example, with elements of a type.
func example(t *testing.T, name, kind string) *scop.Nest {
	t.Helper()
	file := filepath.Join("../../examples/polybench", name+".c")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return nestOf(t, file, strings.ReplaceAll(string(text), "double", kind))
}

// nestOf is the nest of a text with one region.
func nestOf(t *testing.T, file, text string) *scop.Nest {
	t.Helper()
	f, err := cfront.Parse(t.Context(), file, text, cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	regions, err := f.Regions()
	if err != nil {
		t.Fatal(err)
	}
	n, err := scop.Build(f, regions[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
