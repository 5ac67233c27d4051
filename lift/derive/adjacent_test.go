package derive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/lift"
	"gpuperf/lift/lower"
)

// refusals are what the check of vectors says of a program without size symbols, and what lowering does.
func refusals(t interface {
	Fatalf(format string, args ...any)
}, text string,
) (checked, lowered error) {
	p, err := lift.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	_, lowered = lower.Lower(p, lower.Options{})
	return newExplorer(p, p, Options{}).checkVectors(p.Body), lowered
}

const notAdjacent = "of a vector do not lie next to each other in"

// Vectors are refused where the elements of one do not lie next to each other, and lowering refuses the same.
func TestVectorsOfElementsApart(t *testing.T) {
	const twice = "mapVec(fun(x => 2.0f*x))"
	for _, c := range []struct{ inputs, body, apart string }{
		// What is read.
		{"xs: [float32]64", "asScalar o mapGlb(" + twice + ") o asVector(4) $ xs", ""},
		{"xs: [float32]64", "asScalar o mapGlb(" + twice + ") o asVector(4) o gather(stride(8)) $ xs", "xs"},
		{"xs: [float32]64", "asScalar o mapGlb(" + twice + ") o asVector(4) o gather(reverse) $ xs", "xs"},
		{"xs: [float32]64", "asScalar o mapGlb(" + twice + ") o gather(reverse) o asVector(4) $ xs", ""},
		{"xs: [float32]64", "asScalar o mapGlb(" + twice + ") o asVector(4) o join o map(gather(stride(4))) o split(16) $ xs", "xs"},
		{"xs: [float32]64", "asScalar o mapGlb(" + twice + ") o asVector(4) o join o gather(reverse) o split(16) $ xs", ""},
		{"xs: [float32]64", "asScalar o mapGlb(" + twice + ") o asVector(4) o join o gather(reverse) o split(2) $ xs", "xs"},
		{"xs: [[float32]8]12", "asScalar o mapGlb(" + twice + ") o asVector(4) o join $ xs", ""},
		{"xs: [[float32]8]12", "asScalar o mapGlb(" + twice + ") o asVector(4) o join o transpose $ xs", "xs"},
		{"xs: [[float32]8]12", "mapGlb(fun(row => asScalar o mapSeq(" + twice + ") o asVector(4) $ row)) $ xs", ""},
		{"xs: [[float32]8]12", "mapGlb(fun(column => asScalar o mapSeq(" + twice + ") o asVector(4) $ column)) o transpose $ xs", "xs"},
		{"xs: [[float32]1]12", "mapGlb(fun(column => asScalar o mapSeq(" + twice + ") o asVector(4) $ column)) o transpose $ xs", ""},
		{"xs: [float32]64, ys: [[float32]8]8", "asScalar o mapGlb(fun((x, y) => mapVec(*, x, y))) $ zip(asVector(4) $ xs, asVector(4) o join o transpose $ ys)", "ys"},
		{"xs: [(float32, float32)]64", "asScalar o mapGlb(" + twice + ") o asVector(4) o map(fun((x, y) => y)) $ xs", ""},
		{"xs: [float32]34", "asScalar o mapGlb(" + twice + ") o asVector(2) o join o slide(3, 1) $ xs", "xs"},
		// Elements that were computed lie elsewhere.
		{"xs: [[float32]8]12", "join o mapGlb(fun(column => reduceSeq(+, 0) o asScalar o mapSeq(" + twice + ") o asVector(4) o toPrivate(mapSeq(id)) $ column)) o transpose $ xs", ""},
		// What is written.
		{"xs: [float32]64", "gather(reverse) o asScalar o mapGlb(" + twice + ") o asVector(4) $ xs", "the result"},
		{"xs: [float32]64", "asScalar o gather(reverse) o mapGlb(" + twice + ") o asVector(4) $ xs", ""},
		{"xs: [[float32]8]12", "transpose o mapGlb(fun(row => asScalar o mapSeq(" + twice + ") o asVector(4) $ row)) $ xs", "the result"},
		{"xs: [[float32]8]12", "map(gather(stride(2))) o mapGlb(fun(row => asScalar o mapSeq(" + twice + ") o asVector(4) $ row)) $ xs", "the result"},
	} {
		checked, lowered := refusals(t, fmt.Sprintf("program p\nfun(%s => %s)", c.inputs, c.body))
		if got := fmt.Sprint(checked); (checked == nil) != (c.apart == "") || checked != nil && !strings.HasSuffix(got, notAdjacent+" "+c.apart) {
			t.Errorf("%s: %v", c.body, checked)
		}
		if (checked == nil) != (lowered == nil) || lowered != nil && !strings.Contains(lowered.Error(), notAdjacent) {
			t.Errorf("%s: lowering says %v, the check %v", c.body, lowered, checked)
		}
	}
}

// randomViews is a chain of views of 32 numbers that stand in rows of m, or of 0 in no rows, and the rows that come out.
func randomViews(t *rapid.T, label string, m int) (chain []string, rows int) {
	for k := range rapid.IntRange(0, 4).Draw(t, label) {
		kinds := []string{"gather(reverse)", "split", "gather(stride(2))", "scatter(stride(4))"}
		if m != 0 {
			kinds = []string{"gather(reverse)", "join", "transpose", "map(gather(reverse))", "map(gather(stride(2)))", "map(scatter(stride(2)))"}
		}
		kind := rapid.SampledFrom(kinds).Draw(t, fmt.Sprint(label, k))
		switch kind {
		case "split":
			m = rapid.SampledFrom([]int{2, 4, 8}).Draw(t, fmt.Sprint("rows", k))
			kind = fmt.Sprintf("split(%d)", m)
		case "join":
			m = 0
		case "transpose":
			m = 32 / m
		}
		chain = append(chain, kind)
	}
	return chain, m
}

// order is where a chain of views, innermost first, takes its 32 numbers from.
func order(t *rapid.T, input string, chain []string) (from []int64) {
	views := slices.Clone(chain)
	slices.Reverse(views)
	p, err := lift.Parse(fmt.Sprintf("program p\nfun(xs: %s => %s $ xs)", input, strings.Join(append(views, "gather(shift(0))"), " o ")))
	if err != nil {
		t.Fatal(err)
	}
	next := int64(0)
	var numbers func(t *lift.Type) lift.Value
	numbers = func(t *lift.Type) lift.Value {
		if t.Kind != lift.ArrayType {
			next++
			return lift.Exact(next-1, 1)
		}
		n, _ := t.Len.Const()
		var list lift.Values
		for range n {
			list = append(list, numbers(t.Elem))
		}
		return list
	}
	v, err := lift.Eval(p, nil, []lift.Value{numbers(p.Inputs[0].Type)}, lift.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var flat func(v lift.Value)
	flat = func(v lift.Value) {
		if list, ok := v.(lift.Values); ok {
			for _, v := range list {
				flat(v)
			}
			return
		}
		n, _ := v.(lift.Num).Int()
		from = append(from, n)
	}
	flat(v)
	return from
}

// adjacent reports whether the elements of every vector of two lie next to each other.
func adjacent(place []int64) bool {
	for i := 0; i < len(place); i += 2 {
		if place[i+1] != place[i]+1 {
			return false
		}
	}
	return true
}

// With random views before and after vectors, the check refuses the programs that have vectors whose elements do not lie next to
// each other, and no other. So does lowering, but for few, whose indices it does not see through.
func TestVectorsUnderRandomViews(t *testing.T) {
	outcomes := map[[2]bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom([]int{0, 4, 8}).Draw(t, "rows")
		input := map[int]string{0: "[float32]32", 4: "[[float32]4]8", 8: "[[float32]8]4"}[m]
		before, m := randomViews(t, "before", m)
		if m != 0 {
			before = append(before, "join")
		}
		after, _ := randomViews(t, "after", 0)
		to := make([]int64, 32)
		for i, from := range order(t, "[float32]32", after) {
			to[from] = int64(i)
		}
		want := adjacent(order(t, input, before)) && adjacent(to)
		chain := slices.Concat(before, []string{"asVector(2)", "mapGlb(mapVec(fun(x => 2.0f*x)))", "asScalar"}, after)
		slices.Reverse(chain)
		text := fmt.Sprintf("program p\nfun(xs: %s => %s $ xs)", input, strings.Join(chain, " o "))
		checked, lowered := refusals(t, text)
		if (checked == nil) != want || lowered == nil && !want {
			t.Errorf("%s\nadjacent: %v, the check says %v, lowering %v", text, want, checked, lowered)
		}
		outcomes[[2]bool{checked == nil, lowered == nil}]++
	})
	good, bad, blind := outcomes[[2]bool{true, true}], outcomes[[2]bool{false, false}], outcomes[[2]bool{true, false}]
	if good == 0 || bad == 0 || 20*blind > good+bad {
		t.Errorf("%d programs of vectors are lowered, %d are not, %d of which lowering does not see that they could be", good, bad, blind)
	}
}

// A product's columns are no vectors: no recipe makes such, and those of its rows stay.
func TestProductsWithoutVectorsOfColumns(t *testing.T) {
	for _, c := range []struct {
		columns string
		vectors bool
	}{
		{"columns: [[float32]n]k", false},
		{"columns: [[float32]k]n", true},
	} {
		arrange := ""
		if !c.vectors {
			arrange = "transpose $ "
		}
		p, err := lift.Parse("program product\nsize m, k, n\nfun(rows: [[float32]k]m, " + c.columns + " => map(fun(row => join o map(fun(column => reduce(+, 0) o map(*) $ zip(row, column))) $ " + arrange + "columns)) $ rows)")
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[string]int64{"m": 64, "k": 64, "n": 64}
		result, err := Derive(p, Options{Count: 200, Seed: 1, Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for why, n := range result.Refused {
			if strings.Contains(why, "of a vector do not lie") {
				refused += n
			}
		}
		vectors := slices.ContainsFunc(result.Variants, func(v *Variant) bool { return strings.Contains(v.Recipe, "vectors of") })
		if vectors != c.vectors || (refused > 0) == c.vectors {
			t.Errorf("%s: vectors: %v, refused: %s", c.columns, vectors, counts(result.Refused))
		}
		for _, v := range result.Variants {
			if _, err := lower.Lower(v.Program, lower.Options{Sizes: sizes}); err != nil {
				t.Errorf("%s %v: %v", v.Recipe, v.Numbers, err)
			}
		}
	}
}
