package models

import "testing"

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse("m.yaml", []byte(matmul)); err != nil {
			b.Fatal(err)
		}
	}
}

func compiled(b *testing.B) (c *Compiled, x, p []float64) {
	m := mustParse(b, matmul)
	c, err := m.Compile()
	if err != nil {
		b.Fatal(err)
	}
	for i := range c.Features {
		x = append(x, float64(i+1)*1e6)
	}
	for i := range c.Parameters {
		p = append(p, float64(i+1)*1e-9)
	}
	return c, x, p
}

func BenchmarkCompile(b *testing.B) {
	m := mustParse(b, matmul)
	for b.Loop() {
		if _, err := m.Compile(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	c, x, p := compiled(b)
	b.ReportAllocs()
	for b.Loop() {
		c.Eval(x, p)
	}
}

func BenchmarkGradient(b *testing.B) {
	c, x, p := compiled(b)
	grad := make([]float64, len(p))
	b.ReportAllocs()
	for b.Loop() {
		c.Gradient(x, p, grad)
	}
}
