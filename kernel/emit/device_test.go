package emit_test

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/samples"
)

// TestDeviceComputesWhatTheInterpreterDoes runs the generated source of each case on the default OpenCL device; with indices of 64 bits every
// fourth, or with LONG=1 all.
func TestDeviceComputesWhatTheInterpreterDoes(t *testing.T) {
	devicetest.Together(devicetest.Open(t), len(cases), func(i int, d device.Device) {
		c := cases[i]
		t.Run(c.name, func(t *testing.T) {
			n := c.nest(t)
			for _, wide := range []bool{false, true} {
				if wide && i%4 > 0 && os.Getenv("LONG") == "" {
					continue // building takes most of the time
				}
				s, err := emit.Write(n, emit.Options{Language: emit.Language(d.Info().Interface), Index64: wide})
				if err != nil {
					t.Fatal(err)
				}
				for i, sizes := range c.sizes {
					if wide && i > 0 {
						break
					}
					runBoth(t, d, n, s, sizes)
				}
			}
		})
	})
}

// elements is more than any of the cases needs of an array.
const elements = 4096

func runBoth(t *testing.T, d device.Device, n *linear.Nest, s *emit.Source, sizes map[string]int64) {
	t.Helper()
	global, local, err := s.NDRange(sizes)
	if err != nil {
		t.Fatal(err)
	}
	job := device.Job{
		Identity: samples.Identity{Source: "test", Sizes: sizes}, Source: s.Text, Entry: s.Entry, Global: global[:], Local: local[:],
		LocalMem: s.LocalBytes, Dynamic: s.Dynamic,
		Policy: device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: time.Millisecond},
	}
	buffers := map[string]*interp.Buffer{}
	for seed, p := range s.Params {
		size, isSize := sizes[p.Name]
		a := device.Arg{Name: p.Name, DType: string(p.DType), Kind: device.Scalar, Int: size}
		if !p.IsValue {
			a.Kind, a.Count, a.Seed, a.Read, a.Write = device.Buffer, elements, uint64(seed+1), p.Read, p.Write
			data := make([]byte, elements*p.DType.Size())
			device.Fill(a.DType, data, a.Seed)
			if buffers[p.Name], err = interp.FromBytes(p.DType, data); err != nil {
				t.Fatal(err)
			}
			if p.Write {
				job.Keep = append(job.Keep, p.Name)
			}
		} else if !isSize {
			a.Float = 1.25
			v := interp.NewBuffer(p.DType, 1)
			v.Set(0, 1.25)
			buffers[p.Name] = v
		}
		job.Args = append(job.Args, a)
	}
	if _, err := interp.Run(n, sizes, buffers); err != nil {
		t.Fatalf("%v: %v\n%s", sizes, err, n)
	}
	result, err := d.Run(context.Background(), job)
	if err != nil {
		var e *device.Error
		if errors.As(err, &e) && e.Status == samples.Refused {
			t.Skip(err)
		}
		if errors.As(err, &e) {
			t.Fatalf("%v: %v\n%s\n%s", sizes, err, e.Log, s.Text)
		}
		t.Fatal(err)
	}
	slices.Sort(job.Keep)
	for _, name := range job.Keep {
		want := buffers[name]
		got, err := interp.FromBytes(want.DType, result.Outputs[name])
		if err != nil {
			t.Fatal(err)
		}
		for i := range elements {
			if !near(want.DType, got.At(i), want.At(i)) {
				t.Fatalf("%v: %s[%d] is %v on the device and %v in the interpreter\n%s", sizes, name, i, got.At(i), want.At(i), s.Text)
			}
		}
	}
}

// near allows for contraction of products and sums, and for math functions that are not correctly rounded.
func near(t expr.DType, got, want float64) bool {
	if !t.IsFloat() {
		return got == want
	}
	tolerance := map[expr.DType]float64{expr.Float16: 2e-3, expr.Float32: 3e-6, expr.Float64: 1e-13}[t]
	return math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))
}
