package kernel_test

import (
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

func TestElements(t *testing.T) {
	shape := func(texts ...string) (out []expr.Expr) {
		for _, text := range texts {
			e, err := expr.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, e)
		}
		return out
	}
	for _, c := range []struct {
		array kernel.Array
		want  int64
	}{
		{kernel.Array{Name: "scalar"}, 1},
		{kernel.Array{Name: "a", Shape: shape("n", "m")}, 35},
		{kernel.Array{Name: "a", Shape: shape("n", "m"), Offset: shape("n")[0]}, 42},
		{kernel.Array{Name: "column", Shape: shape("n", "m"), Axes: []kernel.Axis{{Nest: 0}, {Nest: 1}}}, 35},
		{kernel.Array{Name: "padded", Shape: shape("n", "m"), Axes: []kernel.Axis{{Stride: shape("8")[0]}, {Stride: shape("1")[0]}}}, 8*6 + 5},
		{kernel.Array{Name: "empty", Shape: shape("n", "m - 5")}, 0},
		{kernel.Array{Name: "floor", Shape: shape("(0 - n) // 4 + 5")}, 3},
		{kernel.Array{Name: "mod", Shape: shape("(0 - n) % 4")}, 1},
		{kernel.Array{Name: "min", Shape: shape("minimum(n, m)")}, 5},
	} {
		got, err := c.array.Elements(map[string]int64{"n": 7, "m": 5})
		if err != nil || got != c.want {
			t.Errorf("%s: got %d, %v, want %d", c.array.Name, got, err, c.want)
		}
	}
	for _, bad := range []string{"q", "n // (m - 5)", "n * 9223372036854775807", "n / m"} {
		a := kernel.Array{Name: "a", Shape: shape(bad)}
		if n, err := a.Elements(map[string]int64{"n": 7, "m": 5}); err == nil {
			t.Errorf("%s: got %d, no error", bad, n)
		}
	}
}
