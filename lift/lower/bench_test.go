package lower_test

import (
	"os"
	"testing"

	"gpuperf/kernel/linear"
	"gpuperf/lift/derive"
	"gpuperf/lift/lower"
)

// BenchmarkLower lowers each example.
func BenchmarkLower(b *testing.B) {
	for _, e := range examples {
		b.Run(e.name, func(b *testing.B) {
			p := parse(b, e.text)
			for b.Loop() {
				if _, err := lower.Lower(p, e.opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLinearize makes programs of what Lower gives: loops, guards and barriers.
func BenchmarkLinearize(b *testing.B) {
	for _, e := range examples {
		b.Run(e.name, func(b *testing.B) {
			l, err := lower.Lower(parse(b, e.text), e.opt)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for _, k := range l.Kernels {
					if _, err := linear.New(k); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkDesignPoints lowers and linearizes derived variants of a stencil at the size at which kernels are explored: an
// iteration is one design point.
func BenchmarkDesignPoints(b *testing.B) {
	text, err := os.ReadFile("../../examples/lift/stencil2d.lift")
	if err != nil {
		b.Fatal(err)
	}
	opt := derive.Options{Count: 100, Seed: 1, Sizes: map[string]int64{"h": 4096, "w": 4096}}
	result, err := derive.Derive(parse(b, string(text)), opt)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		v := result.Variants[i%len(result.Variants)]
		c := v.Configs(opt, 1, int64(i))[0]
		l, err := lower.Lower(v.Program, lower.Options{Sizes: opt.Sizes, Local: c.Local, Global: c.Global})
		if err != nil {
			b.Fatal(err)
		}
		for _, k := range l.Kernels {
			if _, err := linear.New(k); err != nil {
				b.Fatal(err)
			}
		}
	}
}
