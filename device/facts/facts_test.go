package facts

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

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
			samples.Fingerprint{Name: "NVIDIA H200", ComputeUnits: 132, GlobalMem: 150109880320},
			map[Key]float64{Multiprocessors: 132, L2Bytes: 60 << 20, Groups: 32, LocalReserved: 1024, GlobalBytes: 150109880320, MemoryBandwidth: 4.8e12, L2SharedRoom: 1.0 / 3},
			nil,
		},
		{
			"one whose compute units are not told",
			samples.Fingerprint{Name: "NVIDIA H200"},
			map[Key]float64{Multiprocessors: 132},
			nil,
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
		{
			"a CPU of which the driver tells the last cache",
			samples.Fingerprint{Name: "X", Type: "cpu", Platform: "Portable Computing Language", ComputeUnits: 5, CacheSize: 1 << 25},
			map[Key]float64{L2Bytes: 1 << 25},
			[]Key{L1Bytes, LineBytes},
		},
		{
			"a CPU with two threads by core and two caches of the last level",
			samples.Fingerprint{
				Name: "X", Type: "cpu", ComputeUnits: 32, CacheSize: 1 << 25,
				Caches: []samples.Cache{{Bytes: 48 << 10, LineBytes: 64, Units: 2}, {Bytes: 2 << 20, LineBytes: 64, Units: 2}, {Bytes: 32 << 20, LineBytes: 64, Units: 16}},
			},
			map[Key]float64{L1Bytes: 1 << 20, L2Bytes: 64 << 20, LineBytes: 64, SectorBytes: 64},
			[]Key{Groups},
		},
		{
			"a CPU whose caches are those of more processors than it has",
			samples.Fingerprint{Name: "X", Type: "cpu", ComputeUnits: 2, Caches: []samples.Cache{{Bytes: 32 << 10, LineBytes: 64, Units: 1}, {Bytes: 1 << 25, LineBytes: 64, Units: 8}}},
			map[Key]float64{L1Bytes: 32 << 10, L2Bytes: 1 << 25},
			nil,
		},
		{
			"a GPU without a data sheet, by CUDA",
			samples.Fingerprint{Name: "X", Type: "gpu", Interface: samples.CUDA, Architecture: "sm_90", CacheSize: 1 << 25},
			map[Key]float64{L1Bytes: 256 << 10, L2Bytes: 1 << 25},
			[]Key{MemoryBandwidth},
		},
		{
			"and by OpenCL",
			samples.Fingerprint{Name: "X", Type: "gpu", Architecture: "sm_90", CacheSize: 1 << 25},
			nil,
			[]Key{L2Bytes},
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

// The data sheets are in the format of the schema, which knows every Key and refuses facts without a source.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
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
	if err := valid(string(table)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ old, bad string }{
		{"version: 1", "version: 2"},
		{"clock_mhz", "clock_ghz"},
		{"value: 132, ", ""},
		{"value: 132", "value: -1"},
		{"value: 132", "value: 0"},
		{"value: 132", "value: 132.5"},
		{"value: 132", "value: many"},
		{`source: "NVIDIA H200 datasheet, FP32"`, `source: ""`},
		{`, source: "NVIDIA H200 datasheet, FP32"`, ""},
		{`names: ["NVIDIA H200"]`, "names: []"},
	} {
		bad := strings.Replace(string(table), c.old, c.bad, 1)
		if bad == string(table) || valid(bad) == nil {
			t.Errorf("the schema accepts %q for %q", c.bad, c.old)
		}
	}
	code, err := os.ReadFile("facts.go")
	if err != nil {
		t.Fatal(err)
	}
	keys := regexp.MustCompile(`Key = "(\w+)"`).FindAllStringSubmatch(string(code), -1)
	for _, k := range keys {
		if !bytes.Contains(text, []byte(`"`+k[1]+`": {`)) {
			t.Errorf("the schema lacks %s", k[1])
		}
	}
	if known := bytes.Count(text, []byte("#/$defs/count")) + bytes.Count(text, []byte("#/$defs/rate")) + bytes.Count(text, []byte("#/$defs/amount")) + bytes.Count(text, []byte("#/$defs/values")); known != len(keys) {
		t.Errorf("the schema knows %d facts, there are %d keys", known, len(keys))
	}
}

// Every device names its architecture and its number of multiprocessors, and its name finds it.
func TestSheets(t *testing.T) {
	seen := map[string]bool{}
	for _, sheet := range sheets().Devices {
		for _, name := range sheet.Names {
			d, _ := Named(name)
			if err := d.Need(Multiprocessors, Groups, Registers, LineBytes); err != nil || seen[name] {
				t.Errorf("%s: %v, or named twice", name, err)
			}
			seen[name] = true
		}
	}
	if d, known := Named("no such device"); d != nil || len(known) < 10 {
		t.Errorf("found %v among %q", d, known)
	}
}
