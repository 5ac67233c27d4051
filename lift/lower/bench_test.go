package lower_test

import (
	"testing"

	"gpuperf/kernel/linear"
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
