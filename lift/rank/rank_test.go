package rank

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuperf/launch"
	"gpuperf/samples"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func TestSpearman(t *testing.T) {
	for _, test := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 1000}, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		// The example of the textbooks: IQ and hours of television, -29/165.
		{[]float64{106, 100, 86, 101, 99, 103, 97, 113, 112, 110}, []float64{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}, -29.0 / 165},
		// Ties share their ranks: 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
		{[]float64{1, 2, 2, 3}, []float64{1, 2, 3, 4}, 4.5 / math.Sqrt(4.5*5)},
	} {
		if got := Spearman(test.a, test.b); !near(got, test.want) {
			t.Errorf("%v and %v: %v, want %v", test.a, test.b, got, test.want)
		}
	}
	if got := Spearman([]float64{1, 1}, []float64{1, 2}); !math.IsNaN(got) {
		t.Errorf("without order: %v", got)
	}
	if got := Ranks([]float64{3, math.NaN(), 1}); len(got) != 3 {
		t.Error(got)
	}
}

// Components of points along a line through three dimensions, two of which are one: the direction is known.
func TestPCA(t *testing.T) {
	var rows [][]float64
	for i := range 50 {
		x := float64(i)
		rows = append(rows, []float64{x, -2 * x, 7, 100 + 3*x})
	}
	p, err := NewPCA(rows, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Components) != 1 || !near(p.Variance[0], 1) {
		t.Fatalf("%d components, %v of the variance in the first", len(p.Components), p.Variance)
	}
	s := 1 / math.Sqrt(3)
	for j, want := range []float64{s, -s, 0, s} {
		if !near(p.Components[0][j], want) {
			t.Errorf("component %v, want (1, -1, 0, 1)/√3", p.Components[0])
		}
	}
	if got := p.Project(rows[0])[0]; !near(got, math.Sqrt(3)*(0-24.5)/p.Deviation[0]) {
		t.Errorf("the first point is at %v", got)
	}
	if p, err = NewPCA([][]float64{{1, 2}, {1, 2}}, 0.95); err != nil || len(p.Components) != 0 {
		t.Errorf("equal points have %d components (%v)", len(p.Components), err)
	}
	if _, err = NewPCA(nil, 0.95); err == nil {
		t.Error("no points have components")
	}
}

// Components are orthonormal, explain what they are asked to and no more than they need, and keep distances where all are kept.
func TestPCARandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "features")
		n := rapid.IntRange(2, 30).Draw(t, "points")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		rows := make([][]float64, n)
		for i := range rows {
			for j := range d {
				v := rng.NormFloat64()
				if j > 0 && j%2 == 0 {
					v = 2*rows[i][j-1] + 0.1*v
				}
				rows[i] = append(rows[i], v*math.Pow10(j))
			}
		}
		share := rapid.SampledFrom([]float64{0.5, 0.95, 1}).Draw(t, "share")
		p, err := NewPCA(rows, share)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for k, a := range p.Components {
			if sum >= share {
				t.Fatalf("component %d is not needed: %v of %v", k, p.Variance, share)
			}
			sum += p.Variance[k]
			for l, b := range p.Components {
				want := 0.0
				if k == l {
					want = 1
				}
				if math.Abs(dot(a, b)-want) > 1e-8 {
					t.Fatalf("components %d and %d: %v", k, l, dot(a, b))
				}
			}
		}
		if sum < share-1e-9 {
			t.Fatalf("%v explained, %v wanted", sum, share)
		}
		if share == 1 {
			a, b := p.Project(rows[0]), p.Project(rows[n-1])
			x, y := p.Apply(rows[0]), p.Apply(rows[n-1])
			if got, want := distance(a, b), distance(x, y); math.Abs(got-want) > 1e-6*(1+want) {
				t.Fatalf("distance %v, was %v", got, want)
			}
		}
	})
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

// The search finds what sorting all points finds.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		n, d := rapid.IntRange(1, 60).Draw(t, "points"), rapid.IntRange(1, 5).Draw(t, "features")
		tr := &training{}
		for range n {
			row := make([]float64, d)
			for j := range row {
				row[j] = float64(rng.IntN(4)) // many ties
			}
			tr.rows, tr.values = append(tr.rows, row), append(tr.values, rng.Float64())
		}
		predict, err := learnNearest(tr)
		if err != nil {
			t.Fatal(err)
		}
		pca, err := NewPCA(tr.rows, varianceShare)
		if err != nil {
			t.Fatal(err)
		}
		query := make([]float64, d)
		for j := range query {
			query[j] = rng.Float64() * 4
		}
		at := pca.Project(query)
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		far := func(i int) float64 { return distance(pca.Project(tr.rows[i]), at) }
		slices.SortStableFunc(order, func(a, b int) int {
			switch d := far(a) - far(b); {
			case d < -1e-12:
				return -1
			case d > 1e-12:
				return 1
			}
			return 0
		})
		k := min(n, neighbours)
		// Of several orders of points that are equally far any is right: only compare where the last one is alone.
		if k < n && math.Abs(far(order[k-1])-far(order[k])) < 1e-9 {
			t.Skip("a tie")
		}
		sum := 0.0
		for _, i := range order[:k] {
			sum += tr.values[i]
		}
		if got := predict(query); math.Abs(got-sum/float64(k)) > 1e-6 {
			t.Fatalf("%v, the nearest of all give %v", got, sum/float64(k))
		}
	})
}

// Expected runs and times in random order, and the curve of the best, against all orders.
func TestRandomOrder(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 2 + rng.IntN(5)
		s := &Set{}
		for i := range n {
			seconds := 1 + float64(rng.IntN(4))
			if i > 0 && rng.IntN(6) == 0 {
				seconds = math.Inf(1)
			}
			s.Points = append(s.Points, Point{ID: fmt.Sprint(i), Benchmark: "b", Seconds: seconds})
		}
		opt := OutcomeOptions{MinPoints: 1, Limit: 2.5}
		values := s.Throughput()
		best := s.best(s.Groups()[0])
		var runs, total, limited, orders float64
		curve := make([]float64, n)
		var o []Outcome
		permute(n, func(order []int) {
			scores := make([]float64, n)
			for place, i := range order {
				scores[i] = -float64(place)
			}
			one := outcomeOf(s, s.Groups()[0], scores, values, best, opt)
			o = []Outcome{one}
			orders++
			runs, total, limited = runs+float64(one.Runs), total+one.Time, limited+one.TimeLimited
			for i, v := range one.Curve {
				curve[i] += v
			}
		})
		for _, c := range []struct {
			what      string
			got, want float64
		}{{"runs", o[0].RandomRuns, runs / orders}, {"time", o[0].RandomTime, total / orders}, {"limited time", o[0].RandomTimeLimited, limited / orders}} {
			if !near(c.got, c.want) {
				t.Errorf("%v: %s is %v, all orders give %v", values, c.what, c.got, c.want)
			}
		}
		for i := range curve {
			if !near(o[0].RandomCurve[i], curve[i]/orders) {
				t.Errorf("%v: curve %v, all orders give %v at %d", values, o[0].RandomCurve, curve[i]/orders, i)
			}
		}
	}
}

func permute(n int, f func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var rec func(k int)
	rec = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			rec(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	rec(0)
}

// synthetic makes benchmarks whose time follows from features by one law, with a factor of their own and some noise.
func synthetic(points int, noise float64) *Set {
	s := &Set{Names: []string{"global_loads", "cache_lines", "local_size_0", "ifs", "barriers", "occupancy", "sectors_item"}}
	for b := range 6 {
		rng := rand.New(rand.NewPCG(uint64(b), 4))
		scale := math.Exp(rng.NormFloat64())
		work := 1 + 3*rng.Float64()
		for _, size := range []string{"n=1024", "n=4096"} {
			for i := range points {
				loads, lines, local := work*float64(1+rng.IntN(32)), float64(1+rng.IntN(8)), float64(int(32)<<rng.IntN(4))
				occupancy := min(1, 0.1+rng.Float64())
				seconds := 1e-5 * scale * math.Pow(loads, 0.8) * lines / occupancy * math.Exp(noise*rng.NormFloat64())
				if size == "n=4096" {
					seconds *= 16
				}
				s.Points = append(s.Points, Point{
					ID: fmt.Sprintf("b%d#%d %s", b, i, size), Benchmark: fmt.Sprintf("b%d", b), Size: size,
					Features: []float64{loads, lines, local, float64(rng.IntN(3)), float64(rng.IntN(2)), occupancy, loads * lines},
					Seconds:  seconds, Predicted: seconds * math.Exp(2*noise*rng.NormFloat64()),
				})
			}
		}
	}
	return s
}

// Every ranker finds the law on benchmarks that it has not seen, some better than others; twice the same.
func TestLeaveOneOut(t *testing.T) {
	s := synthetic(120, 0.05)
	for _, r := range Rankers() {
		if err := r.Missing(s); err != nil {
			continue // the cost model, which TestCost is about
		}
		o, err := LeaveFamiliesOut(s, nil, r, OutcomeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-12s spearman %.3f, least %.3f; runs %.1f, mode %d; factors %.1f runs, %.1f time, %.1f limited",
			o.Ranker, o.MeanSpearman, o.MinSpearman, o.MeanRuns, o.ModeRuns, o.RunFactor, o.TimeFactor, o.TimeFactorLimited)
		if len(o.Groups) != 12 {
			t.Errorf("%s: %d groups, want 12", r.Name, len(o.Groups))
		}
		want := 0.9
		switch r.Name {
		case "knn": // knows of no occupancy
			want = 0.5
		}
		if o.MinSpearman < want {
			t.Errorf("%s: correlation %v at least, want %v", r.Name, o.MinSpearman, want)
		}
		if r.Name != "knn" && o.MeanRuns > o.RandomRuns/2 {
			t.Errorf("%s: %v runs, random order needs %v", r.Name, o.MeanRuns, o.RandomRuns)
		}
		again, err := LeaveFamiliesOut(s, nil, r, OutcomeOptions{})
		if err != nil || fmt.Sprint(again) != fmt.Sprint(o) {
			t.Errorf("%s: the second time it is different (%v)", r.Name, err)
		}
	}
}

// What does not depend on the features cannot be learnt: a ranker that seems to has seen the answers.
func TestLeaveOneOutBlind(t *testing.T) {
	s := synthetic(100, 0)
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range s.Points {
		s.Points[i].Seconds, s.Points[i].Predicted = 1+rng.Float64(), math.NaN()
	}
	for _, r := range Rankers() {
		if r.Missing(s) != nil {
			continue
		}
		o, err := LeaveFamiliesOut(s, nil, r, OutcomeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(o.MeanSpearman) > 0.15 {
			t.Errorf("%s: correlation %v with noise", r.Name, o.MeanSpearman)
		}
	}
}

// The cost model finds the costs that times are made of, and says what it needs.
func TestCost(t *testing.T) {
	s := &Set{}
	for _, f := range launch.Features() {
		s.Names = append(s.Names, f.Name)
	}
	rng := rand.New(rand.NewPCG(3, 6))
	for b := range 4 {
		for i := range 60 {
			p := Point{ID: fmt.Sprint(b, i), Benchmark: fmt.Sprintf("b%d", b), Features: make([]float64, len(s.Names))}
			set := func(name string, v float64) { p.Features[slices.Index(s.Names, name)] = v }
			items := float64(int(1) << (14 + rng.IntN(8)))
			sectors, ops := 0.1+rng.Float64(), float64(rng.IntN(200))
			for name, v := range map[string]float64{
				"global_size_0": items, "global_size_1": 1, "global_size_2": 1, "lanes_used": 1, "launches": 1, "work_groups": items / 256,
				"group_size": 256, "groups_resident": 8, "waves": items / 256 / 8 / 132, "data_bytes": items * sectors * 32, "tile_bytes": 256 * sectors * 32,
				"sectors_distinct": sectors, "lines_distinct": sectors / 4, "wavefronts": sectors / 4, "adds": ops, "statements": 1,
			} {
				set(name, v)
			}
			p.Seconds = 5e-6 + max(items*sectors*1e-11, items*ops*1e-13)
			s.Points = append(s.Points, p)
		}
	}
	r, err := Find("cost")
	if err != nil {
		t.Fatal(err)
	}
	o, err := LeaveFamiliesOut(s, nil, r, OutcomeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if o.MinSpearman < 0.98 {
		t.Errorf("correlation %v at least", o.MinSpearman)
	}
	s, err = s.Select(s.Names[1:])
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Missing(s); err == nil || !strings.Contains(err.Error(), "is made from global_size_0, which the vectors lack") {
		t.Error(err)
	}
}

func TestRankerErrors(t *testing.T) {
	s := synthetic(12, 0.1)
	without := &Set{Names: []string{"x"}, Points: []Point{{ID: "p", Benchmark: "b", Features: []float64{1}, Seconds: 1, Predicted: math.NaN()}}}
	for _, test := range []struct {
		name string
		set  *Set
		want string
	}{
		{"knn", without, "none of the features of the paper"},
		{"trees", s.Where(func(*Point) bool { return false }), "no measured point"},
		{"trees", &Set{Names: []string{"x"}, Points: []Point{{ID: "p", Features: []float64{math.NaN()}, Seconds: 1}}}, "feature x is NaN"},
		{"trees", &Set{Names: []string{"x"}, Points: []Point{{ID: "p", Seconds: 1}}}, "0 features, the set 1"},
	} {
		r, err := Find(test.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Fit(test.set); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
	}
	if r, err := Find("model"); err != nil || r.Missing(without) == nil || !strings.Contains(r.Missing(without).Error(), "point p has no time predicted by a model") {
		t.Error(err, r.Missing(without))
	}
	if _, err := Find("oracle"); err == nil || !strings.Contains(err.Error(), "there are knn, ") {
		t.Error(err)
	}
	if _, err := LeaveFamiliesOut(without, nil, rankers[0], OutcomeOptions{}); err == nil {
		t.Error("one benchmark can be left out of one")
	}
	if _, err := LeaveFamiliesOut(s, nil, rankers[1], OutcomeOptions{MinBest: 1e9}); err == nil || !strings.Contains(err.Error(), "no group") {
		t.Error(err)
	}
}

// A feature that decides, one that says the same, one that says nothing, and a constant.
func TestRedundancy(t *testing.T) {
	s := &Set{Names: []string{"nothing", "decides", "same", "constant"}}
	rng := rand.New(rand.NewPCG(1, 5))
	for i := range 800 {
		x := float64(i%8 + 1)
		s.Points = append(s.Points, Point{Benchmark: "b", Features: []float64{rng.Float64(), x, -x * x, 3}, Seconds: x})
	}
	r, err := NewRedundancy(s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Features[0].Feature != "decides" || !near(r.Features[0].Redundancy, 0.5) || !near(r.Features[0].Spearman, -1) {
		t.Errorf("%+v, want that it decides", r.Features[0])
	}
	if r.Features[1].Feature != "same" || !near(r.Features[1].Redundancy, 0.5) || !near(r.Features[1].Spearman, 1) {
		t.Errorf("%+v, want that it says the same", r.Features[1])
	}
	for _, f := range r.Features[2:] {
		if f.Redundancy > 0.05 {
			t.Errorf("%+v, want next to nothing", f)
		}
	}
	if c := r.Correlation[1][2]; c > -0.95 || !near(r.Correlation[2][1], c) {
		t.Errorf("correlation %v", c)
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil || !strings.Contains(out.String(), "\ndecides ") {
		t.Errorf("%s %v", &out, err)
	}
}

func TestVectors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors.jsonl")
	id := func(n int64) samples.Identity {
		return samples.Identity{Source: "k.star", Sizes: map[string]int64{"n": n}}
	}
	vector := func(n int64, values ...float64) Vector {
		return Vector{Kernel: id(n), SourceHash: fmt.Sprint(n), Benchmark: "b", Size: "s", Values: values}
	}
	for _, v := range []*Vectors{
		{[]string{"x"}, []Vector{vector(0, 9)}},
		{[]string{"y", "x"}, []Vector{vector(1, 1, 2), vector(2, 3, 4)}},
		{[]string{"y", "x"}, []Vector{vector(3, 5, 6)}},
		{[]string{"x", "z", "y"}, []Vector{vector(4, 1, 1, 1)}},
		{[]string{"x", "y"}, []Vector{vector(1, 7, 8), vector(5, 1, 1)}},
	} {
		if err := v.Append(path); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), `"version"`); n != 4 {
		t.Errorf("%d headers, want 4\n%s", n, text)
	}
	if err := os.WriteFile(path, append(text, `{"kernel":`...), 0o644); err != nil {
		t.Fatal(err)
	}
	v, warnings, err := ReadVectors(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 2 || !strings.Contains(warnings[0].Error(), "incomplete") || !strings.Contains(warnings[1].Error(), "1 vectors lack the feature y") {
		t.Error(warnings)
	}
	record := func(n int64, status samples.Status, seconds float64) samples.Record {
		r := samples.Record{Kernel: id(n), SourceHash: fmt.Sprint(n), Status: status, Time: time.Unix(1, 0)}
		if status == samples.OK {
			s := samples.Summarize([]float64{seconds})
			r.Trials, r.Summary = []float64{seconds}, &s
		}
		return r
	}
	stale := record(5, samples.OK, 1)
	stale.SourceHash = "other"
	otherwise := record(3, samples.OK, 1) // compiled
	otherwise.Options = "-prec-div=false"
	records := func(yield func(*samples.Record, error) bool) {
		for _, r := range []samples.Record{record(1, samples.OK, 2), record(2, samples.Timeout, 0), record(4, samples.WrongResult, 0), stale, otherwise} {
			if !yield(&r, nil) {
				return
			}
		}
	}
	s, warnings, err := Join(v, records)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "1 kernels are left out: wrong_result") {
		t.Error(warnings)
	}
	got := ""
	for _, p := range s.Points {
		got += fmt.Sprintf("%s %v %v; ", p.ID, p.Features, p.Seconds)
	}
	if want := "k.star n=1 [7 8] 2; k.star n=2 [4 3] +Inf; k.star n=3 [6 5] NaN; k.star n=5 [1 1] NaN; "; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	// A line that was cut off is replaced.
	if err := (&Vectors{v.Names, []Vector{vector(6, 1, 1)}}).Append(path); err != nil {
		t.Fatal(err)
	}
	if v, warnings, err = ReadVectors(path); err != nil || len(v.List) != 7 || len(warnings) != 1 {
		t.Errorf("%d vectors, %v, %v", len(v.List), warnings, err)
	}
}

func TestVectorErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"values":[1]}`:                 "v.jsonl:1:1: the names of the features are missing",
		`{"version":2,"features":["x"]}`: "version is 2",
		"{\"version\":1,\"features\":[\"x\"]}\n\n{\"kernel\":{\"source\":\"k\"},\"benchmark\":\"b\",\"values\":[1,2]}": "v.jsonl:3:1: the vector has 2 values, for 1 features",
		"{\"version\":1,\"features\":[\"x\"]}\n{\"values\":[1]}\n":                                                     "of which kernel",
		"{\"version\":1,\"features\":[\"x\"]}\n{\"valuse\":[1]}\n":                                                     "valuse",
		"nonsense\n": "not a feature vector",
	} {
		if _, _, err := ParseVectors("v.jsonl", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

func FuzzVectors(f *testing.F) {
	f.Add([]byte("{\"version\":1,\"features\":[\"x\"]}\n{\"kernel\":{\"source\":\"k\"},\"benchmark\":\"b\",\"values\":[1]}\n"))
	f.Add([]byte("{\"version\":1,\"features\":[]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, _, err := ParseVectors("v.jsonl", text)
		if err != nil || len(v.List) == 0 {
			return
		}
		path := filepath.Join(t.TempDir(), "v.jsonl")
		if err := v.Append(path); err != nil {
			t.Fatal(err)
		}
		again, warnings, err := ReadVectors(path)
		if err != nil || len(warnings) > 0 || fmt.Sprint(again) != fmt.Sprint(v) {
			t.Fatalf("%v, read back as %v (%v, %v)", v, again, warnings, err)
		}
	})
}

// Ranking 10,000 points with 10,000 others to learn from.
func BenchmarkRank(b *testing.B) {
	s := synthetic(1600, 0.05)
	train := s.Where(func(p *Point) bool { return p.Benchmark != "b0" && len(p.ID) > 0 })
	points := s.Where(func(p *Point) bool { return p.Benchmark != "b5" })
	for i := range 6 { // as many features as kernels have
		for range 7 {
			for _, set := range []*Set{train, points} {
				for j := range set.Points {
					p := &set.Points[j]
					p.Features = append(slices.Clip(p.Features), p.Features[i]*float64(i+1)+float64(j%7))
				}
			}
			s.Names = append(s.Names, fmt.Sprintf("f%d", len(s.Names)))
		}
	}
	train.Names, points.Names = s.Names, s.Names
	train.Points, points.Points = train.Points[:10000], points.Points[:10000]
	for _, r := range Rankers() {
		if r.Missing(train) != nil {
			continue
		}
		b.Run(r.Name, func(b *testing.B) {
			for b.Loop() {
				scorer, err := r.Fit(train)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := scorer(points); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
