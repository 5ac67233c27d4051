package workload

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// anIndex draws an index expression over i and n; divisors are constants other than zero.
func anIndex(depth int) *rapid.Generator[expr.Expr] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.Int64Range(-1000, 1000), func(v int64) expr.Expr { return expr.Int{Value: v} }),
		rapid.Map(rapid.SampledFrom([]string{"i", "n"}), func(name string) expr.Expr { return expr.Var{Name: name} }),
	)
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) expr.Expr {
		sub := anIndex(depth - 1)
		op := rapid.SampledFrom([]expr.OpKind{"", expr.Neg, expr.Add, expr.Sub, expr.Mul, expr.FloorDiv, expr.Mod, expr.Min, expr.Max}).Draw(t, "op")
		switch op {
		case "":
			return leaf.Draw(t, "leaf")
		case expr.Neg:
			return &expr.Op{Kind: op, Args: []expr.Expr{sub.Draw(t, "a")}}
		case expr.FloorDiv, expr.Mod:
			return expr.Binary(op, sub.Draw(t, "a"), expr.Int{Value: rapid.Int64Range(1, 100).Draw(t, "divisor")})
		}
		return &expr.Op{Kind: op, Args: rapid.SliceOfN(sub, 2, 3).Draw(t, "args")}
	})
}

// Where no magnitude exceeds 32 bits, neither does the value of the expression or of any part of it.
func TestMagnitudesBoundValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anIndex(3).Draw(t, "e")
		most := map[string]int64{"i": rapid.Int64Range(0, 1<<20).Draw(t, "i"), "n": rapid.Int64Range(0, 1<<20).Draw(t, "n")}
		m := &magnitudes{kernel: &kernel.Kernel{}, known: map[string]float64{"i": float64(most["i"]), "n": float64(most["n"])}}
		bound, err := m.expr(e)
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]int64{}
		for _, name := range []string{"i", "n"} {
			at[name] = rapid.Int64Range(-most[name], most[name]).Draw(t, name+" at")
		}
		limit, _ := new(big.Float).SetFloat64(bound * (1 + 1e-12)).Int(nil) // exact for 32 bits
		if v, err := expr.EvalInt(e, at); err != nil || v.CmpAbs(limit) > 0 {
			t.Fatalf("%s is %v (%v) at %v, beyond %v", e, v, err, at, bound)
		}
		if m.large {
			return
		}
		expr.Walk(e, func(part expr.Expr) bool {
			if v, err := expr.EvalInt(part, at); err != nil || v.CmpAbs(big.NewInt(math.MaxInt32)) > 0 {
				t.Fatalf("%s in %s is %v (%v) at %v", part, e, v, err, at)
			}
			return true
		})
	})
}

// What is stored in a variable of a work-item bounds it; what memory holds, or the variable itself, does not.
func TestStoredBounds(t *testing.T) {
	for value, wide := range map[string]bool{"i // 64": false, "min(p[i], 100)": true, "p[i]": true, "at + 1": true, "max(i - 3, 0) if i < 7 else n - i": false} {
		dtypes := ""
		if strings.Contains(value, "p[") {
			dtypes = "k = lp.add_dtypes(k, {'p': 'int32'})\n"
		}
		c := makeCase(t, "k = lp.make_kernel('{[i]: 0<=i<n}', ['<int32> at = "+value+" {id=first}', 'y[i] = x[64*at] {dep=first}'], [lp.GlobalArg('x', 'float32', shape='64*n + 1'), '...'])\n"+
			dtypes, map[string]int64{"n": 1000})
		if got, err := c.needsWide(); err != nil || got != wide {
			t.Errorf("%s: indices of 64 bits: %v, %v", value, got, err)
		}
	}
}
