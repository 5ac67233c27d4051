package lift

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/internal/golden"
)

const examples = "../examples/lift"

func example(t testing.TB, name string) *Program {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(examples, name+".lift"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if p.Name != name {
		t.Errorf("%s.lift holds the program %s", name, p.Name)
	}
	return p
}

// Every example parses, and prints as a program that parses to the same term.
func TestExamplesPrint(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(examples, "*.lift"))
	if err != nil || len(files) < 17 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".lift")
		p := example(t, name)
		text := p.String()
		q, err := Parse(text)
		if err != nil {
			t.Errorf("%s does not parse back: %v\n%s", name, err, text)
			continue
		}
		if p.Body != q.Body {
			t.Errorf("%s became another term:\n%s\n%s", name, text, q)
		}
		if d := cmp.Diff(text, q.String()); d != "" {
			t.Errorf("%s prints differently: %s", name, d)
		}
		golden.Check(t, "testdata/"+name+".txt", text+"type "+p.Type().String()+"\n"+assumptionText(p))
	}
}

func assumptionText(p *Program) string {
	var b strings.Builder
	for _, a := range p.Assumptions() {
		fmt.Fprintf(&b, "needs %s\n", a)
	}
	return b.String()
}

func rat(num, den int64) Value { return Num{Rat: big.NewRat(num, den)} }

func vector(n int, at func(i int) Value) Value { return build(n, at) }

func matrix(h, w int, at func(y, x int) Value) Value {
	return build(h, func(y int) Value { return build(w, func(x int) Value { return at(y, x) }) })
}

// The golden values of stencils: H = 12, W = 10, a[y][x] = ((31y + 17x + 7 seed) mod 101)/101 + 1/2, computed by a
// program of its own in float64.
func TestGoldenStencils(t *testing.T) {
	text, err := os.ReadFile("testdata/stencils.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Golden map[string]map[string]float64 `json:"golden"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	const h, w = 12, 10
	grid := func(seed int) Value {
		return matrix(h, w, func(y, x int) Value {
			return Num{Rat: new(big.Rat).Add(big.NewRat(int64((31*y+17*x+7*seed)%101), 101), big.NewRat(1, 2))}
		})
	}
	// SHOC's weights: the centre 1/4, its sides 3/20, its corners 1/20.
	shoc := vector(9, func(i int) Value {
		return []Value{rat(1, 20), rat(3, 20), rat(1, 4)}[[]int{0, 1, 0, 1, 2, 1, 0, 1, 0}[i]]
	})
	diff := func(dy, dx int) Value {
		return matrix(h, w, func(y, x int) Value {
			j := grid(0).(Values)
			at := func(y, x int) *big.Rat {
				return j[max(0, min(y, h-1))].(Values)[max(0, min(x, w-1))].(Num).Rat
			}
			return Num{Rat: new(big.Rat).Sub(at(y+dy, x+dx), at(y, x))}
		})
	}
	// The coefficients that SRAD2 reads are what SRAD1 computes.
	c, err := Eval(example(t, "srad1"), map[string]int64{"h": h, "w": w}, []Value{grid(0)}, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		name, golden string
		inputs       []Value
		inner        bool // the input has a border that the result has not
	}{
		{"stencil2d", "stencil2d", []Value{grid(0), shoc}, true},
		{"jacobi2d_5pt", "jacobi2d5", []Value{grid(0)}, false},
		{"jacobi2d_9pt", "jacobi2d9", []Value{grid(0)}, false},
		{"gradient", "gradient", []Value{grid(0)}, false},
		{"gaussian", "gaussian", []Value{grid(0)}, false},
		{"hotspot2d", "hotspot2d", []Value{grid(0), grid(1)}, false},
		{"srad1", "srad1", []Value{grid(0)}, false},
		{"srad2", "srad2", []Value{grid(0), c, diff(-1, 0), diff(1, 0), diff(0, 1), diff(0, -1)}, false},
	} {
		sizes := map[string]int64{"h": h, "w": w}
		if k.inner {
			sizes = map[string]int64{"h": h - 2, "w": w - 2}
		}
		v, err := Eval(example(t, k.name), sizes, k.inputs, EvalOptions{})
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		in := k.inputs[0].(Values)
		at := func(y, x int) float64 {
			e := Value(Unwritten{})
			if !k.inner {
				e = element(v.(Values)[y], x)
			} else if y > 0 && y < h-1 && x > 0 && x < w-1 {
				e = element(v.(Values)[y-1], x-1)
			}
			if n, ok := e.(Num); ok {
				return n.Float64()
			}
			return in[y].(Values)[x].(Num).Float64() // the reference copies what is not written
		}
		want := file.Golden[k.golden]
		got := map[string]float64{"at_0_0": at(0, 0), "at_1_1": at(1, 1), "at_5_4": at(5, 4), "at_H-2_W-2": at(h-2, w-2)}
		for y := range h {
			for x := range w {
				got["sum"] += at(y, x)
				got["weighted"] += float64(y*w+x+1) * at(y, x)
			}
		}
		for key := range want {
			g := got[key]
			if math.Abs(g-want[key]) > 2e-6*math.Abs(want[key]) {
				t.Errorf("%s: %s is %.12g, not %.12g", k.name, key, g, want[key])
			}
		}
	}
}

// Sizes at which a program means nothing are refused, by what the program says of them.
func TestAtSizesRefuses(t *testing.T) {
	for _, c := range []struct {
		program string
		n       int64
		want    string
	}{
		{"fun(xs: [float32]n => map(abs) $ xs)", 0, "size n is 0; sizes are at least 1"},
		{"fun(xs: [float32]n => map(abs) $ xs)", -3, "size n is -3; sizes are at least 1"},
		{"fun(xs: [float32]n => map(abs) $ xs)", 1, ""},
		{"fun(xs: [float32](n - 2) => map(abs) $ xs)", 2, "assumes n - 2 >= 1, and 0 >= 1 does not hold"},
		{"fun(xs: [float32](n - 2) => map(abs) $ xs)", 3, ""},
		{"fun(xs: [[float32](n/2 + n/3)]4 => map(map(abs)) $ xs)", 4, "assumes 6 | (5*n), and 6 | 20 does not hold"},
		{"fun(xs: [[float32](n/2 + n/3)]4 => map(map(abs)) $ xs)", 6, ""},
		{"fun(xs: [float32](12/n) => map(abs) $ xs)", 5, "assumes n | 12, and 5 | 12 does not hold"},
		{"fun(xs: [float32](12/n) => map(abs) $ xs)", 4, ""},
		{"fun(xs: [(float32, float32)](n/2), y: float32 => map(get(0)) $ xs)", 3, "assumes 2 | n, and 2 | 3 does not hold"},
		{"fun(xs: [float32]n => join o split(3) $ xs)", 10, "assumes 3 | n, and 3 | 10 does not hold"},
	} {
		p, err := Parse("program p\nsize n\n" + c.program)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.AtSizes(map[string]int64{"n": c.n})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s at %d: %v, want %q", c.program, c.n, err, c.want)
		}
	}
}
