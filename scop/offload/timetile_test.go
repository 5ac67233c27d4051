package offload

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gpuperf/scop/schedule"
	"pgregory.net/rapid"
)

// stencilText is a random stencil: in each step of time some statements, each of which writes an array from elements of others near its own, and at times of its own.
func stencilText(t *rapid.T, dims int) string {
	names := []string{"i", "j", "k"}[:dims]
	arrays := []string{"A", "B", "C"}[:rapid.IntRange(2, 3).Draw(t, "arrays")]
	var b strings.Builder
	fmt.Fprintf(&b, "void f(int m, int n")
	for _, a := range arrays {
		fmt.Fprintf(&b, ", double %s%s", a, strings.Repeat("[n]", dims))
	}
	b.WriteString(", double d[n])\n{\n#pragma scop\n  for (int t = 1; t < m; t++) {\n")
	offset := rapid.IntRange(-2, 2)
	for range rapid.IntRange(1, 4).Draw(t, "statements") {
		to := rapid.SampledFrom(arrays).Draw(t, "to")
		own := rapid.IntRange(-1, 1).Draw(t, "own")
		at := func(array string, off func() int) string {
			text := array
			for _, it := range names {
				text += fmt.Sprintf("[%s + %d]", it, own+off())
			}
			return text
		}
		value := "0.25 * d[i]"
		for range rapid.IntRange(1, 3).Draw(t, "reads") {
			from := rapid.SampledFrom(arrays).Draw(t, "from")
			far := func() int { return offset.Draw(t, "offset") }
			if from == to {
				far = func() int { return 0 }
			}
			value += " + 0.25 * " + at(from, far)
		}
		for _, it := range names {
			fmt.Fprintf(&b, "  for (int %[1]s = 3; %[1]s < n - 3; %[1]s++)\n", it)
		}
		fmt.Fprintf(&b, "    %s = %s;\n", at(to, func() int { return 0 }), value)
	}
	b.WriteString("  }\n#pragma endscop\n}\n")
	return b.String()
}

// TestTimeTiles: several steps of random stencils in a launch compute what the order of the text does.
func TestTimeTiles(t *testing.T) {
	tiled := 0
	programs := 16
	if os.Getenv("LONG") != "" {
		programs = 300
	}
	for seed := range programs {
		dims := 1 + seed%2
		text := rapid.Custom(func(t *rapid.T) string { return stencilText(t, dims) }).Example(seed)
		n := nestOf(t, "test.c", text)
		p, err := find(n, schedule.Smart, Options{Map: func(f Form) Mapping {
			if f.Updates == 0 {
				return small(f)
			}
			m := Mapping{Block: []int64{4, 2}, Points: []int64{1, 1}, Steps: 1 + int64(seed%3)}
			for axis := range dims {
				for f.width(m) < 1 && m.Points[axis] < 20 {
					m.Points[axis]++
				}
			}
			if f.width(m) > 0 {
				tiled++
			}
			return m
		}})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		check(t, p, map[string]int64{"m": 9, "n": []int64{31, 15}[dims-1]})
	}
	if tiled < programs/4 {
		t.Errorf("%d of %d stencils are tiled", tiled, programs)
	}
}
