package emit_test

import (
	"strings"
	"testing"

	"gpuperf/internal/golden"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// TestGolden compares the program and the source of each case with testdata; UPDATE=1 rewrites it.
func TestGolden(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := c.nest(t)
			s, err := emit.Write(n, emit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := "/*\n" + strings.ReplaceAll(n.String(), "*/", "* /") + "*/\n" + s.Text
			golden.Check(t, "testdata/"+c.name+".cl", got)
		})
	}
	t.Run("index64", func(t *testing.T) {
		c := cases[4]
		s, err := emit.Write(c.nest(t), emit.Options{Index64: true})
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/"+c.name+"-64.cl", s.Text)
	})
}

func TestNDRange(t *testing.T) {
	c := cases[4]
	s, err := emit.Write(c.nest(t), emit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int64][3]int64{0: {0, 0, 1}, 1: {16, 16, 1}, 16: {16, 16, 1}, 17: {32, 32, 1}} {
		global, local, err := s.NDRange(map[string]int64{"n": n})
		if err != nil || global != want || local != [3]int64{16, 16, 1} {
			t.Errorf("n = %d gives %v %v (%v), want %v", n, global, local, err, want)
		}
	}
	if _, _, err := s.NDRange(nil); err == nil {
		t.Error("no size is no error")
	}
	if s.LocalBytes != 2*16*16*4 {
		t.Errorf("local memory of %d bytes", s.LocalBytes)
	}
}

func TestComplexIsRefused(t *testing.T) {
	k, err := kernel.Make(kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i] = x[i]",
		DTypes: map[string]expr.DType{"x": "complex64", "y": "complex64"},
	})
	if err != nil {
		t.Fatal(err)
	}
	n, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := emit.Write(n, emit.Options{}); err == nil || !strings.Contains(err.Error(), "complex64") {
		t.Errorf("complex types: %v", err)
	}
}

// BenchmarkMatmul linearizes and emits the kernel of section 2.1.
func BenchmarkMatmul(b *testing.B) {
	var c testCase
	for _, x := range cases {
		if x.name == "matmul-prefetch" {
			c = x
		}
	}
	k := c.nest(b).Kernel
	for b.Loop() {
		n, err := linear.New(k)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := emit.Write(n, emit.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
