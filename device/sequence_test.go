package device

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"testing"
)

func TestSequence(t *testing.T) {
	for _, c := range []struct {
		s    Sequence
		want []int64
	}{
		{Sequence{}, []int64{0, 0, 0}},
		{Sequence{Mul: 3, Add: -4}, []int64{-4, -1, 2, 5}},
		{Sequence{Mul: 3, Add: -4, Div: 2}, []int64{-2, -1, 1, 2}},
		{Sequence{Mul: 7, Mod: 5}, []int64{0, 2, 4, 1, 3, 0}},
		{Sequence{Mul: -1, Mod: 4}, []int64{0, 3, 2, 1, 0}},
		{Sequence{Mul: 1, Mod: 5, Terms: []Term{{3, Sequence{Mul: 1, Div: 2}}}}, []int64{0, 1, 0, 1, 0}},
		{Sequence{Mul: 1000, Div: 256}, []int64{0, 3, 7, 11}}, // rows of 1000/256 entries
	} {
		text, err := json.Marshal(Arg{DType: "int32", Sequence: &c.s})
		if err != nil {
			t.Fatal(err)
		}
		var a Arg
		if err := json.Unmarshal(text, &a); err != nil {
			t.Fatal(err)
		}
		for dtype, spec := range dtypes {
			if spec.float {
				testFloats(t, a, dtype, c.want)
				continue
			}
			a.DType = dtype
			size := DTypeSize(dtype)
			whole, part := make([]byte, int64(len(c.want))*size), make([]byte, 2*size)
			a.Fill(whole, 0)
			a.Fill(part, 1)
			if !bytes.Equal(part, whole[size:3*size]) {
				t.Errorf("%+v, %s: a part differs from the whole", c.s, dtype)
			}
			var wide [8]byte
			for i, want := range c.want {
				copy(wide[:], whole[int64(i)*size:int64(i+1)*size])
				if mask := uint64(1)<<(8*size-1)<<1 - 1; binary.LittleEndian.Uint64(wide[:]) != uint64(want)&mask {
					t.Errorf("%+v, %s: element %d is %x, want %d", c.s, dtype, i, wide, want)
				}
			}
		}
	}
	for _, c := range []struct {
		s     Sequence
		dtype string
		n     int64
	}{{Sequence{Mul: 1}, "float16", 4}, {Sequence{Mod: -2}, "int32", 4}, {Sequence{Div: -1}, "int32", 4}, {Sequence{Terms: []Term{{1 << 40, Sequence{Mul: 1 << 40}}}}, "int64", 4}, {Sequence{Mul: 1 << 40}, "int64", 1 << 30}} {
		if c.s.check(c.dtype, c.n) == nil {
			t.Errorf("%+v of %d %s is not refused", c.s, c.n, c.dtype)
		}
	}
}

// testFloats: a buffer of numbers in floating point has the same numbers.
func testFloats(t *testing.T, a Arg, dtype string, want []int64) {
	a.DType = dtype
	if DTypeSize(dtype) == 2 {
		return
	}
	b := make([]byte, int64(len(want))*DTypeSize(dtype))
	a.Fill(b, 0)
	for i, v := range want {
		if got := decode(dtype, b, int64(i)); got != float64(v) {
			t.Errorf("%+v, %s: element %d is %g, want %d", a.Sequence, dtype, i, got, v)
		}
	}
}
