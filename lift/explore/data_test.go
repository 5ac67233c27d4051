package explore

import (
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
		{"xs", device.Sequence{Mul: 5, Add: 3, Div: 2, Mod: 64}, "data is for arrays of integers"},
		{"k", device.Sequence{Mul: 5, Add: 3, Div: 2, Mod: 64}, "data is for arrays of integers"},
		{"is", device.Sequence{Mul: -5, Add: 3, Div: 2, Mod: 64}, "neither may be negative"},
		{"js", device.Sequence{Mul: 5, Add: 3, Div: 2, Mod: 64}, "no input js"},
	} {
		err := CheckData(p, map[string]device.Sequence{c.input: c.data})
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
		err := CheckData(p, map[string]device.Sequence{c.input: c.data})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v: %v, want %q", c.input, c.data, err, c.want)
		}
	}
}

// Samples with other data are other samples.
func TestIdentityTellsData(t *testing.T) {
	s := &Space{options: Options{Data: map[string]device.Sequence{"is": {Mul: 5, Add: 3, Div: 2, Mod: 64}}}}
	p := &Point{Variant: &derive.Variant{ID: "v"}, Range: Range{Local: [3]int64{64, 1, 1}, Global: [3]int64{64, 1, 1}}}
	with := s.Identity(p).Key()
	s.options.Data = nil
	if without := s.Identity(p).Key(); without == with || !strings.Contains(with, "(5*i+3)/2%64") || strings.Contains(without, "data") {
		t.Errorf("%s, %s", with, without)
	}
}
