package capture

import (
	"slices"
	"testing"
)

func TestParameters(t *testing.T) {
	for name, want := range map[string][]string{
		"void axpy<float>(int, float, float const*, float*)":                         {"int", "float", "float const*", "float*"},
		"void k<4, at::Map<int, (lambda)#1>, (bool)1>(at::Map<int, F(int, int)>)":    {"at::Map<int, F(int, int)>"},
		"(anonymous namespace)::view(View, void (*)(int, char), int [3]) [clone .x]": {"View", "void (*)(int, char)", "int [3]"},
		"nothing()": nil,
		"scale":     nil,
	} {
		if got := parameters(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"void axpy<float>(int, float)":                                 "axpy",
		"(anonymous namespace)::view(View, int)":                       "view",
		"void at::native::apply<4, at::Map<int, F(int)> >(int, float)": "apply",
		"Table<int>::find(int) const":                                  "find",
		"scale":                                                        "scale",
		"sm90_xmma_gemm_f32f32_tn":                                     "sm90_xmma_gemm_f32f32_tn",
	} {
		if got := short(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

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
