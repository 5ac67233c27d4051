package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/device/facts"
	"gpuperf/launch"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/workload"
)

var h200, _ = facts.Named("NVIDIA H200")

func example(t testing.TB, name string) *lift.Program {
	t.Helper()
	text, err := os.ReadFile("../../examples/lift/" + name + ".lift")
	if err != nil {
		t.Fatal(err)
	}
	p, err := lift.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func space(t testing.TB, name string, sizes map[string]int64, opt Options) *Space {
	t.Helper()
	s, err := NewSpace(example(t, name), name+".lift", sizes, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e extents
		length := rapid.Int64Range(0, 5000)
		for d := range 3 {
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				e.Glb[d] = length.Draw(t, "glb")
			case 1:
				e.Wrg[d], e.Lcl[d] = length.Draw(t, "wrg"), rapid.Int64Range(0, 64).Draw(t, "lcl")
			}
		}
		list := e.choose(e.ranges(256), 10, rand.New(rand.NewPCG(1, 2)))
		if len(list) > 10 {
			t.Fatalf("%d ranges", len(list))
		}
		for _, r := range list {
			items := int64(1)
			for d := range 3 {
				if r.Local[d] < 1 || r.Global[d] < r.Local[d] || r.Global[d]%r.Local[d] != 0 {
					t.Fatalf("%+v: %v", e, r)
				}
				items *= r.Local[d]
				// No group is without work.
				if most := max(1, e.Wrg[d], (e.Glb[d]+r.Local[d]-1)/r.Local[d]) * r.Local[d]; r.Global[d] > most {
					t.Fatalf("%+v: %v, but %d work-items do all along dimension %d", e, r, most, d)
				}
			}
			if items > 256 {
				t.Fatalf("%+v: %v", e, r)
			}
		}
	})
}

var smallSizes = map[string]map[string]int64{
	"asum": {"n": 4096}, "scal": {"n": 4096}, "dot": {"n": 4096}, "gemv": {"n": 128, "m": 64}, "matmul": {"n": 32, "m": 32, "k": 32},
	"peak": {"n": 4096}, "prefix": {"n": 1024}, "argmax": {"n": 1024}, "normalize": {"n": 1024}, "moments": {"n": 1024}, "md": {"n": 64, "k": 32}, "blackscholes": {"n": 1024},
	"filter": {"n": 1024}, "segments": {"n": 512, "m": 32}, "spmv": {"n": 512, "m": 32, "k": 64},
	"heat3d": {"d": 16, "h": 16, "w": 16}, "hotspot3d": {"d": 16, "h": 16, "w": 16},
	"diffuse": {"h": 16, "w": 32},
}

// quick are examples whose reference is found in a second.
var quick = []string{"argmax", "blackscholes", "jacobi2d_5pt", "md", "prefix", "scal", "transpose"}

// The reference of every example is what the program says: of quick ones, with LONG=1 of all.
func TestReferences(t *testing.T) {
	files, err := filepath.Glob("../../examples/lift/*.lift")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d examples (%v)", len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".lift")
		t.Run(name, func(t *testing.T) {
			p := example(t, name)
			sizes := smallSizes[name]
			if sizes == nil {
				sizes = map[string]int64{"h": 66, "w": 66}
			}
			for _, n := range p.Sizes {
				if sizes[n] == 0 {
					t.Fatalf("no size %s", n)
				}
			}
			if os.Getenv("LONG") == "" && !slices.Contains(quick, name) {
				t.Skip("slow: LONG=1")
			}
			if testing.Short() && len(p.Sizes) > 1 {
				t.Skip("slow")
			}
			s := space(t, name, sizes, Options{Variants: 40, Ranges: 1})
			at, err := s.Verify(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for n := range sizes {
				if at[n] == 0 || at[n] > sizes[n] {
					t.Errorf("verified at %v", at)
				}
			}
		})
	}
}

func TestEvaluatedFindsMistakes(t *testing.T) {
	s := space(t, "scal", map[string]int64{"n": 64}, Options{Variants: 10})
	r, err := s.Reference()
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.space.Lower(r.Point)
	if err != nil {
		t.Fatal(err)
	}
	if err := evaluated(s.Program, s.Sizes, l, nil, elemTolerance); err != nil {
		t.Error(err)
	}
	other, err := lift.Parse("program scal\nsize n\nfun(xs: [float32]n, alpha: float32 => map(fun(x => alpha + x)) $ xs)")
	if err != nil {
		t.Fatal(err)
	}
	if err := evaluated(other, s.Sizes, l, nil, elemTolerance); err == nil || !strings.Contains(err.Error(), "[0]") {
		t.Errorf("a product for a sum: %v", err)
	}
}

// A descent makes its variants as it goes: more than the space has, the same again for the same times, others for other times.
func TestDescent(t *testing.T) {
	s := space(t, "asum", map[string]int64{"n": 1 << 12}, Options{Variants: 3, Ranges: 1})
	walk := func(cost func(p *Point) float64) (ids []string) {
		g, err := NewGraph(s)
		if err != nil {
			t.Fatal(err)
		}
		o, err := g.Strategy("descent", 4)
		if err != nil {
			t.Fatal(err)
		}
		var run []outcome
		for len(run) < 25 {
			list, err := o.(*rounds).order.next(run, 5)
			if err != nil || len(list) == 0 {
				t.Fatalf("%d points (%v)", len(run), err)
			}
			s.Prepare(list, launch.Options{Device: h200})
			for _, p := range list {
				if p.Err == nil {
					run = append(run, outcome{p, cost(p)})
					ids = append(ids, p.Variant.ID+p.Range.String())
				}
			}
		}
		return ids
	}
	small := func(p *Point) float64 { return float64(p.Variant.Program.Body.Size()) }
	one := walk(small)
	if !slices.Equal(one, walk(small)) {
		t.Error("the same times, another descent")
	}
	if slices.Equal(one, walk(func(p *Point) float64 { return -small(p) })) {
		t.Error("other times, the same descent")
	}
}

func TestIdentity(t *testing.T) {
	s := space(t, "scal", map[string]int64{"n": 1 << 12}, Options{Variants: 50})
	seen := map[string]bool{}
	for _, p := range s.Points {
		id := s.Identity(p)
		key := id.Key()
		if seen[key] {
			t.Errorf("%s stands for two points", key)
		}
		seen[key] = true
	}
}

// What a model predicts for the kernels of a point is added up.
func TestPredict(t *testing.T) {
	s := space(t, "asum", map[string]int64{"n": 1 << 12}, Options{Variants: 20, Ranges: 1})
	s.predict = func(*workload.Case) (float64, error) { return 2, nil }
	s.Prepare(s.Points, launch.Options{Device: h200})
	several := false
	launches := slices.Index(s.Names(), "launches")
	for _, p := range s.Points {
		if p.Err != nil {
			t.Fatal(p.Err)
		}
		n := p.Vector.Values[launches]
		several = several || n > 1
		if p.Vector.Predicted != 2*n {
			t.Errorf("%s: %g s for %g launches", p.Variant.ID, p.Vector.Predicted, n)
		}
	}
	if !several {
		t.Error("every point has one kernel")
	}
	s.Points[0].once = sync.Once{}
	s.predict = func(*workload.Case) (float64, error) { return 0, errors.New("no model") }
	if s.Prepare(s.Points[:1], launch.Options{Device: h200}); s.Points[0].Err == nil {
		t.Error("no model, and no error")
	}
}

// TestRefused: a point whose work-group the device does not run is told apart from one that cannot be described, and is not ranked.
func TestRefused(t *testing.T) {
	s := space(t, "scal", map[string]int64{"n": 1 << 14}, Options{Variants: 40, MaxGroup: 4096})
	s.Prepare(s.Points, launch.Options{Device: h200})
	unknown, refused := s.Failed()
	if len(unknown) > 0 || len(refused) == 0 {
		t.Fatalf("%d points cannot be described and %d cannot run", len(unknown), len(refused))
	}
	for _, p := range s.Points {
		items := p.Local[0] * p.Local[1] * p.Local[2]
		if is := slices.Contains(refused, p); is != (items > 1024) {
			t.Errorf("%v: %v", p.Range, p.Err)
		}
	}
	if set, _ := s.Set(s.Points); len(set.Points) != len(s.Points)-len(refused) {
		t.Errorf("%d of %d points are ranked, %d cannot run", len(set.Points), len(s.Points), len(refused))
	}
	if err := s.FirstError(); !strings.Contains(err.Error(), "the device allows 1024") {
		t.Error(err)
	}
}

// BenchmarkPoints derives, lowers and describes design points of a stencil.
func BenchmarkPoints(b *testing.B) {
	for _, name := range []string{"stencil2d", "hotspot2d", "asum"} {
		b.Run(name, func(b *testing.B) {
			sizes := map[string]int64{"h": 4096, "w": 4096}
			if name == "asum" {
				sizes = map[string]int64{"n": 1 << 24}
			}
			points := 0
			for b.Loop() {
				s := space(b, name, sizes, Options{Variants: 100, Ranges: 10, Seed: 1})
				s.Prepare(s.Points, launch.Options{Device: h200})
				points += len(s.Points)
				for _, p := range s.Points {
					if p.Err != nil {
						b.Fatal(p.Err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(points), "µs/point")
		})
	}
}

// Every fourth point is of a recipe that has not run, as long as there is one; the others are the best left.
func TestNewRecipes(t *testing.T) {
	var points []*Point
	for i := range 20 {
		recipe := "first"
		if i >= 10 {
			recipe = []string{"second", "third"}[i%2]
		}
		points = append(points, &Point{Variant: &derive.Variant{Recipe: recipe, ID: fmt.Sprint(i)}})
	}
	o := &ranked{}
	var ids []string
	for _, p := range o.choose(points[1:], []outcome{{point: points[0]}}, 10) {
		ids = append(ids, p.Variant.ID)
	}
	if got, want := strings.Join(ids, " "), "1 2 10 3 4 5 11 6 7 8"; got != want {
		t.Errorf("points %s, want %s", got, want)
	}
	if got := len(o.choose(points, nil, 100)); got != len(points) {
		t.Errorf("%d points chosen of %d", got, len(points))
	}
}
