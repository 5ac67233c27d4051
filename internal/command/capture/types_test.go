package capture

import (
	"fmt"
	"strings"
	"testing"
)

func TestDType(t *testing.T) {
	for name, want := range map[string]string{
		"float": "float32", "float const*": "float32", "unsigned long long": "uint64", "int const": "int32", "__half*": "float16", "bool*": "uint8",
		"const uint": "uint32", "float4*": "float32", "float4": "", "View": "", "void*": "", "View*": "", "int (*) [3]": "", "float**": "",
	} {
		if got := dtype(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestScalar(t *testing.T) {
	for _, c := range []struct {
		dtype string
		bytes []byte
		want  string
	}{
		{"int32", []byte{0xff, 0xff, 0xff, 0xff}, "int32: -1"},
		{"int8", []byte{0x80}, "int8: -128"},
		{"uint32", []byte{0xff, 0xff, 0xff, 0xff}, "uint32: 4294967295"},
		{"float32", []byte{0, 0, 0x80, 0x3f}, "float32: 1"},
		{"float32", []byte{0, 0, 0xc0, 0x7f}, ""}, // not a number
		{"uint64", []byte{0, 0, 0, 0, 0, 0, 0, 0x80}, ""},
		{"int32", []byte{1, 0, 0, 0, 0, 0, 0, 0}, ""},
		{"", []byte{1}, ""},
	} {
		if got, ok := scalar(c.dtype, c.bytes); got != c.want || ok != (c.want != "") {
			t.Errorf("%s %x: %q, %v; want %q", c.dtype, c.bytes, got, ok, c.want)
		}
	}
}

// TestArgs: what OpenCL tells of parameters. Images and memory from elsewhere are refused by name.
func TestArgs(t *testing.T) {
	const null, number = "0000000000000000", "0000000000000840"
	for _, c := range []struct {
		param
		want string
	}{
		{param{Size: 8, Hex: null, Space: "global", Type: "float*", Name: "x"}, `{hex: "0000000000000000"} no memory`},
		{param{Size: 8, Space: "constant", Type: "float*", Name: "x"}, `{hex: "0000000000000000"} no memory`},
		{param{Size: 8, Hex: number, Space: "global", Type: "float*", Name: "x"}, "x was not made by clCreateBuffer"},
		{param{Size: 8, Hex: number, Space: "global", Type: "image2d_t", Name: "x"}, "x is of type image2d_t, which launch files do not have"},
		{param{Size: 8, Space: "global", Type: "int*", Name: "x", SVM: true}, "x is shared virtual memory, which launch files do not have"},
		{param{Size: 12, Space: "local", Type: "float*"}, "{local: float32, size: 3}"},
		{param{Size: 10, Space: "local", Type: "float*"}, "{local: uint8, size: 10}"},
		{param{Size: 12}, "{local: uint8, size: 12}"}, // of a driver that tells no types
		{param{Size: 8, Hex: number, Type: "double"}, "{float64: 3}"},
		{param{Size: 8, Hex: number}, `{hex: "0000000000000840"} 4613937818241073152 as int64, 3 as float64; 0 and 1074266112 as int32, 0 and 2.125 as float32`},
		{param{Size: 8, Hex: number, Type: "float2"}, `{hex: "0000000000000840"} 4613937818241073152 as int64, 3 as float64; 0 and 1074266112 as int32, 0 and 2.125 as float32`},
		{param{Size: 2, Hex: "0102"}, `{hex: "0102"} 513`},
	} {
		got, comment, err := new(file).arg(c.param)
		if err != nil {
			got = err.Error()
		}
		if got = strings.TrimSpace(got + " " + comment); got != c.want {
			t.Errorf("%+v: %s; want %s", c.param, got, c.want)
		}
	}
}

// Few launch files of a kernel have a row each; many share one.
func TestRows(t *testing.T) {
	r := &Result{Kernels: []*Kernel{{Plain: "a", Name: "a", Launches: 2, File: "a-1"}, {Plain: "b", Name: "b", File: "b-1"}, {Plain: "a", Name: "a", Launches: 1, File: "a-2"}}}
	want := "[[a 2 a-1] [b  b-1] [a 1 a-2]]"
	if got := fmt.Sprint(r.Rows()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for range mostFiles {
		r.Kernels = append(r.Kernels, &Kernel{Plain: "a", Name: "a", Launches: 1})
	}
	want = fmt.Sprintf("[[a %d a-1 and %d more] [b  b-1]]", 3+mostFiles, 1+mostFiles)
	if got := fmt.Sprint(r.Rows()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
