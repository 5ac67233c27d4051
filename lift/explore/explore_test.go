package explore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/device/facts"
	"gpuperf/internal/campaign"
	"gpuperf/launch"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/lift/rank"
	"gpuperf/samples"
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

// Every order runs no point twice, keeps to its budget, and comes to an end.
func TestOrders(t *testing.T) {
	for _, name := range Orders() {
		for _, budget := range []int{7, 1000} {
			if name == "descent" {
				budget = min(budget, 60)
			}
			s := &Search{Space: space(t, "scal", map[string]int64{"n": 1 << 12}, Options{Variants: 20, Ranges: 2}), Order: name, Budget: budget, Seed: 3, Static: launch.Options{Device: h200}}
			o, err := s.newOrder()
			if err != nil {
				t.Fatal(err)
			}
			var run []outcome
			seen := map[*Point]bool{}
			for len(run) < budget {
				list, err := o.next(run, min(5, budget-len(run)))
				if err != nil {
					t.Fatal(err)
				}
				if len(list) == 0 {
					break
				}
				if len(list) > 5 {
					t.Fatalf("%s: %d points at once", name, len(list))
				}
				for _, p := range list {
					if seen[p] {
						t.Fatalf("%s: %s %v twice", name, p.Variant.ID, p.Range)
					}
					seen[p] = true
					s.Space.Prepare([]*Point{p}, launch.Options{Device: h200})
					seconds := 1 / float64(p.Global[0])
					if len(run)%4 == 3 {
						seconds = math.Inf(1)
					}
					run = append(run, outcome{p, seconds})
				}
			}
			if name == "descent" { // it has no end that a test would reach
				continue
			}
			if want := min(budget, len(s.Space.Points)); len(run) != want {
				t.Errorf("%s: %d points run of %d, with a budget of %d", name, len(run), len(s.Space.Points), budget)
			}
		}
	}
	if _, err := (&Search{Order: "best"}).newOrder(); err == nil {
		t.Error("an unknown order")
	}
}

// A descent makes its variants as it goes: more than the space has, the same again for the same times, others for other times.
func TestDescent(t *testing.T) {
	s := space(t, "asum", map[string]int64{"n": 1 << 12}, Options{Variants: 3, Ranges: 1})
	walk := func(cost func(p *Point) float64) (ids []string) {
		o, err := (&Search{Space: s, Order: "descent", Seed: 4}).newOrder()
		if err != nil {
			t.Fatal(err)
		}
		var run []outcome
		for len(run) < 25 {
			list, err := o.next(run, 5)
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

// records returns all records of a set.
func records(t *testing.T, set *samples.Set) (out []samples.Record) {
	t.Helper()
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, *r)
	}
	return out
}

func explored(t *testing.T, dev device.Device, journal *samples.Journal, s *Space, dir string) *Search {
	t.Helper()
	return &Search{
		Space: s, Budget: 6, Order: "random", Trials: 2, Best: 2, Final: device.Policy{Trials: 4, MinWarmUp: -1, MaxWarmUp: 1},
		Campaign: campaign.New(dev, journal, campaign.Options{}), Vectors: filepath.Join(dir, "v.jsonl"),
	}
}

func TestSearch(t *testing.T) {
	dev := devicetest.Open(t)
	dir := t.TempDir()
	journal, err := samples.Open(filepath.Join(dir, "s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	s := space(t, "scal", map[string]int64{"n": 1 << 12}, Options{Variants: 12, Ranges: 2, MaxGroup: 256})

	// A variant of another program is wrong, and not dropped.
	bad, err := lift.Parse("program scal\nsize n\nfun(xs: [float32]n, alpha: float32 => mapGlb(fun(x => alpha + x)) $ xs)")
	if err != nil {
		t.Fatal(err)
	}
	s.Points = append(s.Points[:5:5], &Point{
		Variant: &derive.Variant{ID: "bad", Recipe: "bad", Program: bad}, Range: Range{Local: [3]int64{64, 1, 1}, Global: [3]int64{4096, 1, 1}},
	})
	var events []Event
	one := explored(t, dev, journal, s, dir)
	one.Progress = func(e Event) { events = append(events, e) }
	r, err := one.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 6 || len(events) != 6 || r.Statuses[samples.OK] != 5 || r.Statuses[samples.WrongResult] != 1 {
		t.Fatalf("%d runs, %d events, %v", len(r.Runs), len(events), r.Statuses)
	}
	for _, run := range r.Runs {
		if (run.Record.Status == samples.WrongResult) != (run.Point.Variant.ID == "bad") {
			t.Errorf("%s: %s %s", run.Point.Variant.ID, run.Record.Status, run.Record.Error)
		}
	}
	if len(r.Best) != 2 || r.Best[0].Seconds() > r.Best[1].Seconds() || len(r.Best[0].Record.Trials) < 3 {
		t.Errorf("best: %+v", r.Best)
	}

	// The same again runs nothing, but for others that are now among the fastest.
	before := len(records(t, journal.Set))
	again := explored(t, dev, journal, s, dir)
	again.Progress = func(e Event) {
		if !e.Reused {
			t.Errorf("%s is run again", e.Point.Variant.ID)
		}
	}
	if r, err = again.Run(context.Background()); err != nil || len(r.Runs) != 6 {
		t.Fatalf("%d runs (%v)", len(r.Runs), err)
	}
	if now := len(records(t, journal.Set)); now > before+again.Best {
		t.Errorf("%d records became %d", before, now)
	}

	// The vectors join with the samples.
	v, warnings, err := rank.ReadVectors(again.Vectors)
	if err != nil || len(warnings) > 0 || len(v.List) != 6 {
		t.Fatalf("%d vectors, %v (%v)", len(v.List), warnings, err)
	}
	set, _, err := rank.Join(v, journal.All())
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Points) != 5 {
		t.Errorf("%d points", len(set.Points))
	}
	for _, p := range set.Points {
		if !(p.Seconds > 0) {
			t.Errorf("%s takes %g s", p.ID, p.Seconds)
		}
	}

	// What was stopped goes on.
	ctx, cancel := context.WithCancel(context.Background())
	third := explored(t, dev, journal, space(t, "scal", map[string]int64{"n": 1 << 13}, Options{Variants: 12, Ranges: 2, MaxGroup: 256}), dir)
	runs := 0
	third.Progress = func(Event) {
		if runs++; runs == 2 {
			cancel()
		}
	}
	if _, err := third.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	reused := 0
	third.Progress = func(e Event) {
		if e.Reused {
			reused++
		}
	}
	if _, err := third.Run(context.Background()); err != nil || reused != 2 {
		t.Errorf("%d of 2 points reused (%v)", reused, err)
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
