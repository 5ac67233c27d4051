package cname_test

import (
	"slices"
	"testing"

	"gpuperf/internal/cname"
)

func TestParameters(t *testing.T) {
	for name, want := range map[string][]string{
		"void axpy<float>(int, float, float const*, float*)":                         {"int", "float", "float const*", "float*"},
		"void k<4, at::Map<int, (lambda)#1>, (bool)1>(at::Map<int, F(int, int)>)":    {"at::Map<int, F(int, int)>"},
		"(anonymous namespace)::view(View, void (*)(int, char), int [3]) [clone .x]": {"View", "void (*)(int, char)", "int [3]"},
		"nothing()": nil,
		"scale":     nil,
	} {
		if _, got := cname.Split(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestBase(t *testing.T) {
	for name, want := range map[string]string{
		"void axpy<float>(int, float)":                                 "axpy",
		"(anonymous namespace)::view(View, int)":                       "view",
		"void at::native::apply<4, at::Map<int, F(int)> >(int, float)": "apply",
		"Table<int>::find(int) const":                                  "find",
		"scale":                                                        "scale",
		"sm90_xmma_gemm_f32f32_tn":                                     "sm90_xmma_gemm_f32f32_tn",
	} {
		if got := cname.Base(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for declaration, want := range map[string]string{
		"knl":                        "knl",
		"knl(int, float *)":          "knl",
		"void k<float, (int)4>(int)": "k<float, (int)4>",
		"void (anonymous namespace)::k<a::b<int> >(a::b<int>)": "(anonymous namespace)::k<a::b<int> >",
		"a::<unnamed>::k(T1)": "a::<unnamed>::k",
	} {
		if got, _ := cname.Split(declaration); got != want {
			t.Errorf("%s: %q, want %q", declaration, got, want)
		}
	}
}
