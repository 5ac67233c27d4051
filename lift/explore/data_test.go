package explore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/lift"
	"gpuperf/lift/derive"
)

func TestCheckData(t *testing.T) {
	p, err := lift.Parse("program p\nsize n\nfun(xs: [float32]n, is: [int32]n, k: int32 => map(fun(i => abs(at(i, xs)))) $ is)")
	if err == nil {
		p, err = p.AtSizes(map[string]int64{"n": 64})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		input string
		data  device.Sequence
		want  string
	}{
		{"is", device.Sequence{Mul: 5, Add: 3, Div: 2, Mod: 64}, ""},
		{"is", device.Sequence{Mul: 5, Add: 3, Div: 2, Mod: 65}, "numbers up to 64, and the longest array that it can choose from has 64 elements"},
		{"is", device.Sequence{Mul: 5, Add: 3, Div: 0, Mod: 64}, "divided by 0"},
		{"is", device.Sequence{Mul: 5, Add: 3, Div: 2, Mod: 0}, "modulo 0"},
		{"is", device.Sequence{Mul: 1 << 58, Add: 3, Div: 2, Mod: 64}, "too great for 64 bits"},
		{"xs", device.Sequence{Mul: 5, Add: 3, Div: 2, Mod: 64}, "are for arrays of integers"},
		{"k", device.Sequence{Mul: 5, Add: 3, Div: 2, Mod: 64}, "are for arrays of integers"},
		{"is", device.Sequence{Mul: -5, Add: 3, Div: 2, Mod: 64}, "neither may be negative"},
		{"js", device.Sequence{Mul: 5, Add: 3, Div: 2, Mod: 64}, "there is no js to hold data; there are xs, is, k"},
	} {
		err := CheckData(p, map[string]Data{c.input: {Arg: device.Arg{Sequence: &c.data}}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v: %v, want %q", c.input, c.data, err, c.want)
		}
	}
}

// Types of fewer bits hold smaller numbers.
func TestCheckDataOfNarrowTypes(t *testing.T) {
	p, err := lift.Parse("program p\nfun(bs: [int8]64, us: [uint8]64 => zip(map(id) $ bs, map(id) $ us))")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		input string
		data  device.Sequence
		want  string
	}{
		{"bs", device.Sequence{Mul: 1, Add: 64, Div: 1, Mod: 200}, ""}, // 127 at most
		{"bs", device.Sequence{Mul: 1, Add: 65, Div: 1, Mod: 200}, "numbers above 127, the greatest int8"},
		{"us", device.Sequence{Mul: 3, Add: 66, Div: 1, Mod: 256}, ""},
		{"us", device.Sequence{Mul: 3, Add: 67, Div: 1, Mod: 300}, "numbers above 255, the greatest uint8"},
	} {
		err := CheckData(p, map[string]Data{c.input: {Arg: device.Arg{Sequence: &c.data}}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v: %v, want %q", c.input, c.data, err, c.want)
		}
	}
}

// Samples with other data are other samples.
func TestIdentityTellsData(t *testing.T) {
	s := &Space{options: Options{Data: map[string]Data{"is": {Text: "(5*i+3)/2%64"}}}}
	p := &Point{Variant: &derive.Variant{ID: "v"}, Range: Range{Local: [3]int64{64, 1, 1}, Global: [3]int64{64, 1, 1}}}
	with := s.Identity(p).Key()
	s.options.Data = nil
	if without := s.Identity(p).Key(); without == with || !strings.Contains(with, "(5*i+3)/2%64") || strings.Contains(without, "data") {
		t.Errorf("%s, %s", with, without)
	}
}

func TestParseData(t *testing.T) {
	p, err := lift.Parse("program p\nsize n\nfun(xs: [float32]n, is: [int32]n, ps: [(float32, float64)]n, k: float32 => map(fun(i => k * at(i, xs))) $ is)")
	if err == nil {
		p, err = p.AtSizes(map[string]int64{"n": 6})
	}
	if err != nil {
		t.Fatal(err)
	}
	npy := filepath.Join(t.TempDir(), "x.npy")
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }"
	if err := os.WriteFile(npy, []byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), 0})+header+strings.Repeat("\x00", 24)), 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"xs=" + npy:             "",
		"is=" + npy:             "the file holds float32, and it is of int32",
		"k=" + npy:              "not read from a file",
		"xs=nothing.npy":        "there is no file nothing.npy",
		"xs=signed":             "",
		"k=signed":              "give its value",
		"k=-2.5":                "",
		"k=i":                   "it is one number",
		"xs=sin(0.1*i) - i % 3": "",
		"xs=if(i < 3, 1, -1)":   "",
		"ps_1=i*i":              "",
		"is=5 - i":              "",
		"is=i + 1":              "element 5 is 6, and the longest array that it can choose from has 6 elements",
		"is=-i":                 "element 1 is -1",
		"xs=j":                  "j is unknown",
		"xs=gamma(i)":           "gamma",
		"xs":                    "is not of the form",
	} {
		name, d, err := ParseData(text)
		if err == nil {
			err = CheckData(p, map[string]Data{name: d})
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Where functions are sums, products and choices the reference is verified with data of both signs as well.
func TestSignedData(t *testing.T) {
	for text, want := range map[string]bool{
		"fun(xs: [float32]n => map(abs) $ xs)":                                   true,
		"fun(xs: [float32]n => map(sqrt) $ xs)":                                  false,
		"fun(xs: [float32]n, k: float32 => map(fun(x => x / k)) $ xs)":           false,
		"fun(xs: [float32]n, k: float32 => reduce(+, 0) o map(*) $ zip(xs, xs))": true,
	} {
		p, err := lift.Parse("program p\nsize n\n" + text)
		if err == nil {
			p, err = p.AtSizes(map[string]int64{"n": 8})
		}
		if err != nil {
			t.Fatal(err)
		}
		d := signedData(p, nil)
		if (d != nil) != want || want && (!d["xs"].Arg.Signed || d["k"].Arg.Signed) {
			t.Errorf("%s: %v", text, d)
		}
	}
}
