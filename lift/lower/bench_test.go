package lower_test

import (
	"os"
	"testing"

	"gpuperf/kernel/linear"
	"gpuperf/lift/explore"
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
	sizes := map[string]int64{"h": 4096, "w": 4096}
	list := points(b, parse(b, string(text)), sizes, explore.Options{Variants: 100, Ranges: 1, Seed: 1})
	for i := 0; b.Loop(); i++ {
		x := list[i%len(list)]
		l, err := lower.Lower(x.Variant.Program, lower.Options{Sizes: sizes, Local: x.Local, Global: x.Global})
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
