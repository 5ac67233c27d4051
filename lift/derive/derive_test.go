package derive

import (
	"fmt"
	"math/big"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

func example(t testing.TB, name string) *lift.Program {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../examples/lift", name+".lift"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := lift.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// many is whether as many variants are tried as are known to find mistakes, and not a sample of seconds.
var many = os.Getenv("LONG") != ""

// small are sizes at which variants are evaluated.
var small = []struct {
	name  string
	sizes map[string]int64
	count int
}{
	{"scal", map[string]int64{"n": 128}, 40},
	{"asum", map[string]int64{"n": 4096}, 40},
	{"dot", map[string]int64{"n": 2048}, 40},
	{"gemv", map[string]int64{"n": 64, "m": 32}, 40},
	{"matmul", map[string]int64{"m": 32, "k": 8, "n": 16}, 110},
	{"blackscholes", map[string]int64{"n": 64}, 40},
	{"md", map[string]int64{"n": 32, "k": 6}, 40},
	{"stencil2d", map[string]int64{"h": 16, "w": 16}, 70},
	{"jacobi2d_5pt", map[string]int64{"h": 18, "w": 18}, 70},
	{"jacobi2d_9pt", map[string]int64{"h": 18, "w": 18}, 70},
	{"gaussian", map[string]int64{"h": 20, "w": 20}, 70},
	{"gradient", map[string]int64{"h": 18, "w": 18}, 70},
	{"hotspot2d", map[string]int64{"h": 16, "w": 16}, 70},
	{"srad1", map[string]int64{"h": 16, "w": 16}, 70},
	{"srad2", map[string]int64{"h": 16, "w": 16}, 70},
	{"heat3d", map[string]int64{"d": 6, "h": 10, "w": 18}, 60},
	{"hotspot3d", map[string]int64{"d": 4, "h": 8, "w": 16}, 60},
}

func randomValue(r *rand.Rand, t *lift.Type) lift.Value {
	switch t.Kind {
	case lift.ScalarType:
		if t.DType.IsInteger() {
			return lift.Exact(int64(r.Intn(4)), 1)
		}
		return lift.Num{Rat: big.NewRat(int64(1+r.Intn(64)), 64)}
	case lift.ArrayType:
		n, _ := t.Len.Const()
		out := make(lift.Values, n)
		for i := range out {
			out[i] = randomValue(r, t.Elem)
		}
		return out
	}
	out := make(lift.Values, len(t.Elems))
	for i, e := range t.Elems {
		out[i] = randomValue(r, e)
	}
	return out
}

// Every variant means what the program means, its derivation replays, and no two are the same.
func TestVariantsKeepTheMeaning(t *testing.T) {
	for _, c := range small {
		t.Run(c.name, func(t *testing.T) {
			p := example(t, c.name)
			if !many {
				c.count = min(c.count, 12)
			}
			result, err := Derive(p, Options{Count: c.count, Seed: 1, Sizes: c.sizes})
			if err != nil {
				t.Fatal(err)
			}
			skeletons, ids, recipes := map[string]bool{}, map[string]bool{}, map[string]bool{}
			r := rand.New(rand.NewSource(3))
			at, err := p.AtSizes(c.sizes)
			if err != nil {
				t.Fatal(err)
			}
			var inputs []lift.Value
			for _, in := range at.Inputs {
				inputs = append(inputs, randomValue(r, in.Type))
			}
			opt := lift.EvalOptions{Float: true}
			want, err := lift.Eval(p, c.sizes, inputs, opt)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range result.Variants {
				skeletons[v.Skeleton], recipes[v.Recipe] = true, true
				if ids[v.ID] {
					t.Errorf("two variants are %s", v.ID)
				}
				ids[v.ID] = true
				if i%4 == 0 || testing.Verbose() {
					if _, err := v.Derivation(p).Replay(rules.Options{At: []map[string]int64{c.sizes}}); err != nil {
						t.Errorf("%s: %v", v.Recipe, err)
					}
				}
				if q, err := lift.Parse(v.Program.String()); err != nil || q.Body != v.Program.Body {
					t.Errorf("%s does not parse back: %v\n%s", v.Recipe, err, v.Program)
				}
				got, err := lift.Eval(v.Program, c.sizes, inputs, opt)
				if err == nil {
					err = lift.Same(got, want, 1e-9)
				}
				if err != nil {
					t.Errorf("%s, %v: %s\n%v", v.Recipe, v.Numbers, v.Program.BodyText(), err)
				}
			}
			t.Logf("%d variants of %d recipes, %d skeletons; tried %d, same %d, refused %s", len(result.Variants), result.Recipes, len(skeletons), result.Tried, result.Same, counts(result.Refused))
		})
	}
}

func counts(m map[string]int) string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	text := ""
	for _, k := range keys {
		text += fmt.Sprintf("\n  %d × %s", m[k], k)
	}
	return text
}

// A variant keeps the size symbols: at other sizes that its assumptions admit it means the program too.
func TestVariantsAtOtherSizes(t *testing.T) {
	for _, c := range []struct {
		name            string
		derived, others map[string]int64
	}{
		{"asum", map[string]int64{"n": 2048}, map[string]int64{"n": 4096}},
		{"gemv", map[string]int64{"n": 64, "m": 32}, map[string]int64{"n": 128, "m": 16}},
		{"hotspot2d", map[string]int64{"h": 16, "w": 16}, map[string]int64{"h": 8, "w": 32}},
		{"jacobi2d_5pt", map[string]int64{"h": 18, "w": 18}, map[string]int64{"h": 10, "w": 34}},
	} {
		p := example(t, c.name)
		result, err := Derive(p, Options{Count: 40, Seed: 9, Sizes: c.derived})
		if err != nil {
			t.Fatal(err)
		}
		at, err := p.AtSizes(c.others)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewSource(8))
		var inputs []lift.Value
		for _, in := range at.Inputs {
			inputs = append(inputs, randomValue(r, in.Type))
		}
		opt := lift.EvalOptions{Float: true}
		want, err := lift.Eval(p, c.others, inputs, opt)
		if err != nil {
			t.Fatal(err)
		}
		admitted := 0
		for _, v := range result.Variants {
			if lift.CheckAll(v.Program.Assumptions(), c.others) != nil {
				continue
			}
			admitted++
			got, err := lift.Eval(v.Program, c.others, inputs, opt)
			if err == nil {
				err = lift.Same(got, want, 1e-9)
			}
			if err != nil {
				t.Errorf("%s, %v: %s\n%v", v.Recipe, v.Numbers, v.Program.BodyText(), err)
			}
		}
		if admitted < 5 {
			t.Errorf("%s: only %d variants are admitted at %v", c.name, admitted, c.others)
		}
	}
}
