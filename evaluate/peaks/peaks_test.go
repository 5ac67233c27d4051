package peaks

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gpuperf/internal/source"
	"gpuperf/samples"
)

// What follows from multiprocessors, lanes and clock is what the vendor states, but for its rounding.
func TestStated(t *testing.T) {
	all, err := devices()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		for dtype, stated := range d.StatedFLOPs {
			p, ok := d.Arithmetic(dtype, "madd", "FLOP/s")
			if off := p.Rate/stated.Value - 1; !ok || math.Abs(off) > 0.02 {
				t.Errorf("%s %s: %s = %.4g FLOP/s, stated are %.4g", d.Names[0], dtype, p.Formula, p.Rate, stated.Value)
			}
		}
	}
}

func TestOf(t *testing.T) {
	h200 := samples.Fingerprint{Name: "NVIDIA H200", ComputeUnits: 132}
	d := Of(h200)
	if d == nil {
		t.Fatal("the H200 is not known")
	}
	arithmetic := func(dtype, op, unit string) float64 {
		p, ok := d.Arithmetic(dtype, op, unit)
		if !ok {
			return 0
		}
		return p.Rate
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"madd", arithmetic("float32", "madd", "FLOP/s"), 66.908e12},
		{"madd as one operation", arithmetic("float32", "madd", "op/s"), 33.454e12},
		{"add", arithmetic("float32", "add", "FLOP/s"), 33.454e12},
		{"float64", arithmetic("float64", "madd", "FLOP/s"), 33.454e12},
		{"division", arithmetic("float32", "div", "op/s"), 0},
		{"float16", arithmetic("float16", "madd", "FLOP/s"), 0},
		{"bytes", arithmetic("float32", "madd", "B/s"), 0},
		{"local memory", d.Local().Rate, 33.454e12},
		{"global memory", d.Global().Rate, 4.8e12},
		{"L2", d.L2().Value, 60 << 20},
	} {
		if math.Abs(c.got-c.want) > 1e-4*c.want {
			t.Errorf("%s: %g, want %g", c.what, c.got, c.want)
		}
	}
	for _, other := range []samples.Fingerprint{
		{Name: "NVIDIA H200", ComputeUnits: 16}, // a part of one
		{Name: "NVIDIA H200 MIG 1g.18gb", ComputeUnits: 132},
		{Name: "cpu-x86"},
	} {
		if Of(other) != nil {
			t.Errorf("%+v is taken for an H200", other)
		}
	}
}

const small = `version: 1
devices:
  - names: [Small]
    multiprocessors: {value: 2, source: here}
    clock_mhz: {value: 1000, source: here}
    madds_per_clock: {float32: {value: 64, source: here}}
    local_bytes_per_clock: {value: 128, source: here}
    memory_bandwidth: {value: 1.0e9, source: here}
`

// The reader and the schema refuse the same mistakes and accept the same tables.
func TestParse(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("peaks.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("peaks.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	for _, text := range []string{small, string(table)} {
		if err := valid(text); err != nil {
			t.Error(err)
		}
		if _, err := Parse("p.yaml", []byte(text)); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct{ old, bad, want string }{
		{"version: 1", "version: 2", "p.yaml:1:10: version 2"},
		{"clock_mhz", "clock_ghz", "p.yaml:5:5:"},
		{"    clock_mhz: {value: 1000, source: here}\n", "", "clock_mhz is missing"},
		{"value: 1000, ", "", "value is missing"},
		{"value: 1000", "value: -1", "not a positive number"},
		{"value: 1000", "value: fast", "p.yaml:5:24:"},
		{"1000, source: here", "1000, source: \"\"", "source"},
		{"1000, source: here", "1000", "source is missing"},
		{"float32", "float8", "p.yaml:6:23:"},
		{"names: [Small]", "names: []", "no name"},
	} {
		text := strings.Replace(small, c.old, c.bad, 1)
		_, err := Parse("p.yaml", []byte(text))
		var place *source.Error
		if !errors.As(err, &place) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: got error %v, want one with %q", c.bad, c.old, err, c.want)
		}
		if valid(text) == nil {
			t.Errorf("the schema accepts %q", c.bad)
		}
	}
	if _, err := Parse("p.yaml", []byte(small+strings.TrimPrefix(small, "version: 1\ndevices:\n"))); err == nil {
		t.Error("two devices of one name are accepted")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Parse("p.yaml", []byte(text)); err != nil {
			var place *source.Error
			if !errors.As(err, &place) {
				t.Errorf("%T: %v", err, err)
			}
		}
	})
}

// Every device whose L2 cache is known says where that is from.
func TestL2HasASource(t *testing.T) {
	all, err := devices()
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for i := range all {
		if f := all[i].L2(); f.Value > 0 {
			known++
			if f.Source == "" {
				t.Errorf("%v: no source", all[i].Names)
			}
		}
	}
	if known < 5 {
		t.Errorf("the L2 cache of %d devices is known", known)
	}
}
