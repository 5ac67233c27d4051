package polycount

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// problem is a line of testdata/problems.txt.
type problem struct {
	kind, expr string
	held, ran  bool
}

func readProblems(t testing.TB, file string) (ps []problem) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	kind := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "## "); ok {
			kind, _, _ = strings.Cut(text, ":")
		}
		if line == "" || line[0] == '#' {
			continue
		}
		half, rest, _ := strings.Cut(line, " ")
		op, expr, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if half != "choose" && half != "held" || op != "set" && op != "ran" {
			t.Fatalf("a line starts with choose or held, then set or ran: %s", line)
		}
		ps = append(ps, problem{kind, expr, half == "held", op == "ran"})
	}
	return ps
}

// graph is what is counted, and the dimensions of its points that tell them apart.
func (p problem) graph(t testing.TB) (s *Set, from int) {
	if !p.ran {
		return mustSet(t, p.expr), 0
	}
	m := must(ParseMap(p.expr))
	return m.Graph(), len(m.in)
}

func (p problem) count() (*Poly, error) {
	if p.ran {
		return countCase{Kind: "ran", Expr: p.expr}.count()
	}
	return countCase{Kind: "set", Expr: p.expr}.count()
}

// The counts are those of the points, enumerated at random sizes.
func TestProblems(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	trials := 8
	if os.Getenv("LONG") != "" {
		trials = 24
	}
	for _, x := range readProblems(t, "testdata/problems.txt") {
		p, err := x.count()
		if err != nil {
			t.Errorf("%s: %v", x.expr, err)
			continue
		}
		back := must(ParsePoly(p.String()))
		g, from := x.graph(t)
		for trial := range trials {
			at := map[string]int64{}
			size := []int64{4, 12, 40, 90}[trial%4]
			for _, n := range g.params {
				at[n] = r.Int63n(size+size/4) - size/4
				if strings.ContainsAny(n, "TUV") && slices.Contains([]string{"halo"}, x.kind) {
					at[n] = r.Int63n(size/8+2) - 1
				}
			}
			points, err := g.Points(at, 60_000)
			if err != nil {
				continue // too many
			}
			for i := range points {
				points[i] = points[i][from:]
			}
			slices.SortFunc(points, slices.Compare[[]int64])
			want := fmt.Sprint(len(slices.CompactFunc(points, slices.Equal)))
			for _, q := range []*Poly{p, back} {
				if got := must(q.Eval(at)).RatString(); got != want {
					t.Fatalf("%s\nis %v\nat %v: %s, want %s", x.expr, q, at, got, want)
				}
			}
		}
	}
}

// BenchmarkProblems counts the problems of each kind and half, and reports the median and the worst of their times and of
// the lengths of their answers.
func BenchmarkProblems(b *testing.B) {
	groups := map[string][]problem{}
	var names []string
	for _, x := range readProblems(b, "testdata/problems.txt") {
		name := x.kind + "/choose"
		if x.held {
			name = x.kind + "/held"
		}
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], x)
	}
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			var ms, chars []float64
			for _, x := range groups[name] {
				p, err := x.count()
				if err != nil {
					b.Fatal(x.expr, err)
				}
				best := time.Hour
				for range 5 {
					start := time.Now()
					if _, err := x.count(); err != nil {
						b.Fatal(err)
					}
					best = min(best, time.Since(start))
				}
				ms, chars = append(ms, float64(best)/1e6), append(chars, float64(len(p.String())))
				if testing.Verbose() {
					fmt.Printf("%-16s %8.2f ms %6d chars %3d pieces  %s\n", name, float64(best)/1e6, len(p.String()), p.Pieces(), x.expr)
				}
			}
			for b.Loop() {
				for _, x := range groups[name] {
					if _, err := x.count(); err != nil {
						b.Fatal(err)
					}
				}
			}
			slices.Sort(ms)
			slices.Sort(chars)
			b.ReportMetric(ms[len(ms)/2], "median-ms")
			b.ReportMetric(ms[len(ms)-1], "worst-ms")
			b.ReportMetric(chars[len(chars)/2], "median-chars")
			b.ReportMetric(chars[len(chars)-1], "worst-chars")
		})
	}
}
