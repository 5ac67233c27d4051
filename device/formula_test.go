package device

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

func TestFormula(t *testing.T) {
	for _, c := range []struct {
		tokens string
		want   []float64
	}{
		{"i", []float64{0, 1, 2, 3}},
		{"i 0.5 * neg 1 +", []float64{1, 0.5, 0, -0.5}},
		{"i 2 % 0 == i i neg if", []float64{0, -1, 2, -3}},
		{"i 2 // 3 max", []float64{3, 3, 3, 3}},
		{"i 3 - 2 %", []float64{1, 0, 1, 0}},
		{"i sqrt 2 pow", []float64{0, 1, 2, 3}},
	} {
		f := Formula(strings.Fields(c.tokens))
		if err := f.Check("float32"); err != nil {
			t.Fatal(err)
		}
		floats, ints := make([]byte, 16), make([]byte, 16)
		Arg{DType: "float32", Formula: f}.Fill(floats, 0)
		Arg{DType: "int32", Formula: f}.Fill(ints, 0)
		for i, want := range c.want {
			x, n := math.Float32frombits(binary.LittleEndian.Uint32(floats[4*i:])), int32(binary.LittleEndian.Uint32(ints[4*i:]))
			if math.Abs(float64(x)-want) > 1e-6 || math.Abs(f.At(int64(i))-want) > 1e-9 || c.tokens != "i sqrt 2 pow" && n != int32(math.Floor(want)) {
				t.Errorf("%s: element %d is %v and %v, not %v", c.tokens, i, x, n, want)
			}
		}
	}
	for tokens, want := range map[string]string{"i +": "lacks an operand", "i i": "leaves 2 values", "": "leaves 0 values", "i gamma": `has no "gamma"`} {
		if err := Formula(strings.Fields(tokens)).Check("float32"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", tokens, err, want)
		}
	}
}

// Signed data has numbers of both signs, zeros and denormal ones, in every type.
func TestSigned(t *testing.T) {
	const n = 1000
	for _, dtype := range []string{"float16", "float32", "float64", "int8", "int32", "int64"} {
		a := Arg{DType: dtype, Signed: true, Seed: 3}
		size := int(DTypeSize(dtype))
		data := make([]byte, n*size)
		a.Fill(data, 0)
		var negative, zero, denormal, large int
		for i := range n {
			x := signedDecode(dtype, data[i*size:(i+1)*size])
			switch {
			case x == 0:
				zero++
			case DTypeIsFloat(dtype) && math.Abs(x) < 1e-4:
				denormal++
			case x < 0:
				negative++
			}
			if math.Abs(x) > 16 || math.IsNaN(x) || DTypeIsFloat(dtype) && math.Abs(x) >= 2 {
				large++
			}
		}
		if negative < n/3 || zero < n/64 || DTypeIsFloat(dtype) && denormal < n/32 || large > 0 {
			t.Errorf("%s: of %d numbers %d are negative, %d zero, %d denormal, %d large", dtype, n, negative, zero, denormal, large)
		}
	}
}

// signedDecode reads an element with a sign.
func signedDecode(dtype string, e []byte) float64 {
	switch dtype {
	case "float64":
		return math.Float64frombits(binary.LittleEndian.Uint64(e))
	case "float32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(e)))
	case "float16":
		h := binary.LittleEndian.Uint16(e)
		x := math.Ldexp(float64(h&1023), -24)
		if h>>10&31 > 0 {
			x = math.Ldexp(float64(1024|h&1023), int(h>>10&31)-25)
		}
		return x * (1 - 2*float64(h>>15))
	}
	var v uint64
	for k := len(e) - 1; k >= 0; k-- {
		v = v<<8 | uint64(e[k])
	}
	shift := 64 - 8*len(e)
	return float64(int64(v<<shift) >> shift)
}
