// Package nesttest is for the tests of what changes loop nests: Same compares what two nests do, and Random makes nests of random C functions.
package nesttest

import (
	"context"
	"fmt"
	"math"

	"pgregory.net/rapid"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/scoptest"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Analysis is that of the one region of a C text.
func Analysis(ctx context.Context, text string) (*deps.Analysis, error) {
	f, err := cfront.Parse(ctx, "test.c", text, cfront.Options{})
	if err != nil {
		return nil, err
	}
	regions, err := f.Regions()
	if err != nil {
		return nil, err
	}
	n, err := scop.Build(f, regions[0])
	if err != nil {
		return nil, err
	}
	return deps.Analyze(n)
}

// Random is the analysis of a random nest of convex domains, with its text: every other one is about sums of their own array. It may be too much work for package polycount.
func Random(ctx context.Context, seed int) (a *deps.Analysis, text string, err error) {
	text = rapid.Custom(func(t *rapid.T) string {
		if seed%2 == 1 {
			return scoptest.Own(t)
		}
		return scoptest.Program(t, true)
	}).Example(seed / 2)
	a, err = Analysis(ctx, text)
	return a, text, err
}

// Same returns an error if two nests do different things to the arrays of the first.
func Same(n, m *scop.Nest, at map[string]int64) error {
	want, err := run(n, at)
	if err != nil {
		return err
	}
	got, err := run(m, at)
	if err != nil {
		return err
	}
	for _, a := range n.Arrays {
		w, g := want[a.Name], got[a.Name]
		if a.Local || w == nil || g == nil {
			continue
		}
		for i := range w.Len() {
			if x, y := w.At(i), g.At(i); x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
				return fmt.Errorf("%s[%d] is %g, want %g at %v\n%s\n%s", a.Name, i, y, x, at, n, m)
			}
		}
	}
	return nil
}

// run interprets a nest. What arrays hold first depends on their names alone.
func run(n *scop.Nest, at map[string]int64) (map[string]*interp.Buffer, error) {
	k, err := n.Kernel()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, n)
	}
	l, err := linear.New(k)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, k)
	}
	buffers := map[string]*interp.Buffer{}
	sizes := map[string]int64{}
	for _, name := range l.Kernel.Params() {
		sizes[name] = at[name]
	}
	for _, a := range l.Kernel.Args {
		count := int64(1)
		if a.IsValue && l.Kernel.IsParam(a.Name) {
			continue
		}
		if !a.IsValue {
			if count, err = a.Elements(at); err != nil {
				return nil, fmt.Errorf("%w at %v\n%s", err, at, k)
			}
		}
		b := interp.NewBuffer(a.DType, int(count))
		for i := range b.Len() {
			b.Set(i, 1+math.Mod(float64(i*i*7+i*len(a.Name)*3+int(a.Name[0])), 31)/16)
		}
		buffers[a.Name] = b
	}
	if _, err := interp.Run(l, sizes, buffers); err != nil {
		return nil, fmt.Errorf("%w at %v\n%s", err, at, k)
	}
	return buffers, nil
}
