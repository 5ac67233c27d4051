package facts

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gpuperf/internal/source"
	"gpuperf/samples"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		of    samples.Fingerprint
		want  map[Key]float64
		lacks []Key
	}{
		{
			"a device with a data sheet",
			samples.Fingerprint{Name: "NVIDIA H200", ComputeUnits: 132, GlobalMem: 1 << 37},
			map[Key]float64{Multiprocessors: 132, L2Bytes: 60 << 20, Groups: 32, LocalReserved: 1024, GlobalBytes: 1 << 37, MemoryBandwidth: 4.8e12},
			nil,
		},
		{
			"one whose compute units are not told",
			samples.Fingerprint{Name: "NVIDIA H200"},
			map[Key]float64{Multiprocessors: 132},
			[]Key{GlobalBytes},
		},
		{
			"a part of one",
			samples.Fingerprint{Name: "NVIDIA H200", Architecture: "sm_90", ComputeUnits: 16},
			map[Key]float64{Multiprocessors: 16, Groups: 32},
			[]Key{L2Bytes, MemoryBandwidth},
		},
		{
			"one of a known architecture",
			samples.Fingerprint{Name: "NVIDIA X", Architecture: "sm_80", ComputeUnits: 5, ClockMHz: 700},
			map[Key]float64{Multiprocessors: 5, ClockMHz: 700, LocalBytes: 164 << 10},
			[]Key{L2Bytes, MemoryBandwidth},
		},
		{
			"one that only tells of itself",
			samples.Fingerprint{Name: "X", Type: "gpu", ComputeUnits: 5, SubgroupSize: 16, LocalMem: 4096, MaxWorkGroup: 64},
			map[Key]float64{Multiprocessors: 5, SubgroupSize: 16},
			[]Key{ClockMHz, LocalBytes, Items, Groups},
		},
		{
			"a CPU",
			samples.Fingerprint{Name: "X", Type: "cpu", Platform: "Portable Computing Language", ComputeUnits: 5, LocalMem: 4096, MaxWorkGroup: 64},
			map[Key]float64{Multiprocessors: 5, Groups: 1, LocalBytes: 4096, Items: 64},
			[]Key{L1Bytes, L2Bytes, Registers, MemoryBandwidth},
		},
	} {
		d := Of(c.of)
		for k, want := range c.want {
			f, ok := d.Fact(k)
			if !ok || f.Value != want || f.Source == "" && k != SubgroupSize {
				t.Errorf("%s: %s is %+v, want %g", c.name, k, f, want)
			}
		}
		for _, k := range c.lacks {
			if f, ok := d.Fact(k); ok {
				t.Errorf("%s: %s is said to be %+v", c.name, k, f)
			}
		}
		if d.Known(c.lacks...) != (len(c.lacks) == 0) {
			t.Errorf("%s: %v are known", c.name, c.lacks)
		}
		for _, k := range []Key{Multiprocessors, MemoryBandwidth, LoadSeconds, LocalBytesPerClock} {
			if v := d.Typical().Value(k); !(v > 0) || d.Known(k) && v != d.Value(k) {
				t.Errorf("%s: typically, %s is %g", c.name, k, v)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	var none *Device
	for _, c := range []struct {
		device *Device
		want   string
	}{
		{none, "no device is named that would tell l1_bytes, l2_bytes"},
		{Of(samples.Fingerprint{Name: "X"}), `l1_bytes, l2_bytes of device "X": not known, neither from the device nor from a data sheet`},
		{Of(samples.Fingerprint{Name: "X"}).With(L1Bytes, 1, "test"), `l2_bytes of device "X": not known, neither from the device nor from a data sheet`},
		{none.With(L1Bytes, 1, "test").With(L2Bytes, 1, "test"), ""},
	} {
		text := ""
		if err := c.device.Need(L1Bytes, L2Bytes); err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("got %q, want %q", text, c.want)
		}
	}
}

const small = `version: 1
architectures:
  - names: [sm_1]
    banks: {value: 32, source: here}
devices:
  - names: [Small]
    architecture: sm_1
    multiprocessors: {value: 2, source: here}
    clock_mhz: {value: 1000, source: here}
    local_reserved: {value: 0, source: here}
    memory_bandwidth: {value: 1.0e9, source: here}
`

// The reader and the schema refuse the same mistakes and accept the same files.
func TestParse(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("facts.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("facts.json")
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
		if _, err := parse("f.yaml", []byte(text)); err != nil {
			t.Error(err)
		}
	}
	f, err := parse("f.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if d := f.devices[0]; d.Int(Banks) != 32 || d.Int(Multiprocessors) != 2 || !d.Known(LocalReserved) || d.Known(L2Bytes) {
		t.Errorf("read %+v", d)
	}
	for _, c := range []struct{ old, bad, want string }{
		{"version: 1", "version: 2", "f.yaml:1:10: version 2"},
		{"clock_mhz", "clock_ghz", "f.yaml:9:5:"},
		{"value: 1000, ", "", "value is missing"},
		{"value: 1000", "value: -1", "not a positive number"},
		{"value: 1000", "value: 0", "not a positive number"},
		{"value: 1000", "value: 1000.5", "not a whole number"},
		{"value: 1000", "value: fast", "f.yaml:9:24:"},
		{"1000, source: here", "1000, source: \"\"", "source"},
		{"1000, source: here", "1000", "source is missing"},
		{"names: [Small]", "names: []", "no name"},
	} {
		text := strings.Replace(small, c.old, c.bad, 1)
		_, err := parse("f.yaml", []byte(text))
		var place *source.Error
		if !errors.As(err, &place) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: got error %v, want one with %q", c.bad, c.old, err, c.want)
		}
		if valid(text) == nil {
			t.Errorf("the schema accepts %q", c.bad)
		}
	}
	for old, bad := range map[string]string{"architecture: sm_1": "architecture: sm_2", "names: [Small]": "names: [Small, Small]"} {
		if _, err := parse("f.yaml", []byte(strings.Replace(small, old, bad, 1))); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// Every device names its architecture and its number of multiprocessors, and its name finds it.
func TestSheets(t *testing.T) {
	for _, d := range sheets().devices {
		if !d.Known(Multiprocessors, Groups, Registers, LineBytes) {
			t.Errorf("%s: %v", d.Name(), d.Need(Multiprocessors, Groups, Registers, LineBytes))
		}
		for _, name := range d.Names {
			if found, _ := Named(name); found != d {
				t.Errorf("%s: found %v", name, found)
			}
		}
	}
	if d, known := Named("no such device"); d != nil || len(known) < 10 {
		t.Errorf("found %v among %q", d, known)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parse("f.yaml", []byte(text)); err != nil {
			var place *source.Error
			if !errors.As(err, &place) {
				t.Errorf("%T: %v", err, err)
			}
		}
	})
}
