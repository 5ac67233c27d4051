package offload

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gpuperf/scop/schedule"
)

// TestWindows: tiles of random sweeps, with their elements in local memory, leave what the text does, without races: sweeps over a line or a matrix at each time, over rectangles and triangles, and
// tables whose elements need those before. LONG=1 tries many.
func TestWindows(t *testing.T) {
	programs := 3
	if os.Getenv("LONG") != "" {
		programs = 100
	}
	local := 0
	for seed := range programs {
		text := sweepText(rand.New(rand.NewPCG(uint64(seed), 1)), seed%3)
		f, err := schedule.Search(nestOf(t, "test.c", text), schedule.Wavefronts, schedule.Options{Fusion: schedule.Smart})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		tree, err := f.Launches()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		sides := rand.New(rand.NewPCG(uint64(seed), 2))
		p, err := Compile(f.Nest, tree, Options{Map: func(f Form) Mapping {
			m := small(f)
			for i := range m.Side {
				m.Side[i] = 1 + sides.Int64N(5)
			}
			if f.Window.Reads > 0 {
				local++
			}
			return m
		}})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		func() {
			defer func() {
				if t.Failed() {
					t.Log(text)
				}
			}()
			check(t, p, map[string]int64{"n": 8 + int64(seed%4), "m": 2 + int64(seed%4)})
		}()
	}
	t.Logf("%d of %d nests have windows", local, programs)
	if local < programs/2 {
		t.Errorf("%d of %d nests have windows", local, programs)
	}
}

// sweepText is a nest that goes over an array in place: of one dimension, of two, or a table.
func sweepText(r *rand.Rand, kind int) string {
	about := func(name string, least, most int) string {
		return fmt.Sprintf("%s + %d", name, least+r.IntN(most-least+1))
	}
	var terms []string
	for range 2 + r.IntN(3) {
		switch kind {
		case 0:
			terms = append(terms, fmt.Sprintf("A[%s]", about("i", -2, 2)))
		case 1:
			terms = append(terms, fmt.Sprintf("A[%s][%s]", about("i", -2, 2), about("j", -2, 2)))
		default:
			terms = append(terms, fmt.Sprintf("A[%s][%s]", about("i", -2, -1), about("j", -2, 0)))
		}
	}
	value := "0.25*(" + strings.Join(terms, " + ") + ")"
	first := []string{"2", "i"}[r.IntN(2)]
	switch kind {
	case 0:
		return fmt.Sprintf("void f(int m, int n, double A[n], double B[n])\n{\n  for (int t = 0; t < m; t++)\n    for (int i = 2; i < n - 2; i++)\n      A[i] = %s + B[i];\n}\n", value)
	case 1:
		return fmt.Sprintf("void f(int m, int n, double A[n][n])\n{\n  for (int t = 0; t < m; t++)\n    for (int i = 2; i < n - 2; i++)\n      for (int j = %s; j < n - 2; j++)\n        A[i][j] = %s;\n}\n", first, value)
	}
	return fmt.Sprintf("void f(int m, int n, double A[n][n], double B[n][n])\n{\n  for (int i = 2; i < n; i++)\n    for (int j = %s; j < n; j++)\n      A[i][j] = %s + A[i][j - 1] + B[i - 1][j - 1];\n}\n", first, value)
}
