package lower_test

import (
	"math"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/launch"
	"gpuperf/lift/lower"
)

// The static features of lowered programs are what the interpreter sees them do: statements, accesses by space, barriers. The
// lines that they touch follow from the same walk, which package features compares lane by lane.
func TestStaticFeatures(t *testing.T) {
	for _, e := range examples {
		l, err := lower.Lower(parse(t, e.text), e.opt)
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		var programs []*launch.Program
		for _, k := range l.Kernels {
			n, err := linear.New(k)
			if err != nil {
				t.Fatalf("%s: %v", e.name, err)
			}
			p, err := launch.New(n, launch.Options{Borders: true})
			if err != nil {
				t.Fatalf("%s: %v", e.name, err)
			}
			programs = append(programs, p)
			v, err := p.At(nil)
			if err != nil || !v.Exact {
				t.Errorf("%s: %s: not exact (%v)", e.name, k.Name, err)
				continue
			}
			if strings.Contains(e.name, "vector") {
				continue // the interpreter counts the elements of vectors
			}
			compareRun(t, e.name, n, v)
		}
		if v, err := launch.Sequence(programs, nil); err != nil || len(l.Kernels) == 0 {
			t.Errorf("%s: %v %v", e.name, v, err)
		}
	}
}

func compareRun(t *testing.T, name string, n *linear.Nest, v *launch.Vector) {
	buffers := map[string]*interp.Buffer{}
	for _, a := range n.Kernel.Args {
		count := int64(1)
		if !a.IsValue {
			var err error
			if count, err = a.Elements(nil); err != nil {
				t.Fatal(err)
			}
		}
		b := interp.NewBuffer(a.DType, int(count))
		for i := range int(count) {
			b.Set(i, 1)
		}
		buffers[a.Name] = b
	}
	report, err := interp.Run(n, nil, buffers)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	groups := report.Groups[0] * report.Groups[1] * report.Groups[2]
	items := float64(groups * n.Local[0] * n.Local[1] * n.Local[2])
	want := map[string]float64{"barriers": float64(report.Barriers) / float64(groups)}
	for _, c := range report.Runs {
		want["statements"] += float64(c) / items
	}
	for _, space := range []kernel.Space{kernel.Global, kernel.Local} {
		loads, stores := 0.0, 0.0
		for array, c := range report.Loads {
			if a := n.Kernel.Array(array); a != nil && a.Space == space && !a.IsValue {
				loads, stores = loads+float64(c), stores+float64(report.Stores[array])
			}
		}
		want[string(space)+"_loads"], want[string(space)+"_stores"] = loads/items, stores/items
	}
	for feature, w := range want {
		if got, ok := v.Value(feature); !ok || math.Abs(got-w) > 1e-9*max(1, w) {
			t.Errorf("%s: %s: %s is %v, the run gives %v", name, n.Kernel.Name, feature, got, w)
		}
	}
}

// BenchmarkStaticFeatures derives features from what linearization gives.
func BenchmarkStaticFeatures(b *testing.B) {
	for _, e := range examples {
		l, err := lower.Lower(parse(b, e.text), e.opt)
		if err != nil {
			b.Fatal(err)
		}
		var nests []*linear.Nest
		for _, k := range l.Kernels {
			n, err := linear.New(k)
			if err != nil {
				b.Fatal(err)
			}
			nests = append(nests, n)
		}
		b.Run(e.name, func(b *testing.B) {
			for b.Loop() {
				for _, n := range nests {
					p, err := launch.New(n, launch.Options{})
					if err == nil {
						_, err = p.At(nil)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
