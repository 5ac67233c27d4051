package cfront_test

import (
	"errors"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/internal/source"
)

// TestProposed: the macros that are proposed for what nothing defines: a type where one stands, nothing for what stands for statements or alone in its line, a value
// elsewhere, and none for what the text declares itself.
func TestProposed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.cu", "__global__ void k(const IN *__restrict__ x, OUT *y) { y[0] = x[N]; LAST }", "-D IN=float -D OUT=float -D N=… -D LAST="},
		{"a.cu", "__global__ void k(float *y, int n) { int a = threadIdx.x, i = blockIdx.x; y[long(i * n) + N] = a; }", "-D N=…"},
		{"a.cl", "PLACE\nPLACE_OF2\nkernel void k(global float *y) { float X[2], Z[N]; y[0] = X[0] + Z[1]; }", "-D PLACE= -D PLACE_OF2= -D N=…"},
		{"a.cl", "kernel void k(global float *y) { float X[2], Z[N]; y[0] = X[0] + Z[1]; }", "-D N=…"},
		{"a.cl", "kernel void k(global struct Made *y) { y[0].x = N; }", "-D N=…"},
		{"a.cl", "kernel void k(global float *y) { struct Made m = { 1 }; y[0] = 1; }", ""},
	} {
		f, err := cfront.Parse(t.Context(), c.name, c.text, cfront.Options{Instance: "k"})
		if err == nil && f.Function("k") != nil {
			err = f.Function("k").Err
		}
		at := (*source.Error)(nil)
		if !errors.As(err, &at) || strings.Join(at.Flags, " ") != c.want {
			t.Errorf("%s:\ngot %v, want %s", c.text, err, c.want)
		}
	}
}

// TestSpecialTypes: of a template that calls one which has a body for some types alone, an instance for these is proposed.
func TestSpecialTypes(t *testing.T) {
	const text = `
template <typename D, int N> __device__ void copy(D *to, const D *from);
template <> __device__ void copy<double, 1>(double *to, const double *from) { *to = *from; }
template <typename I, typename O> __global__ void k(O *y, const I *x) {
  I a; O b;
  copy<I, 1>(&a, x);
  b = a;
  copy<O, 1>(y, &b);
}
struct Map { __device__ int at(int i) { return 2 * i; } };
template <typename M> __global__ void g(int *y, const M __restrict__ map) { y[0] = map.at(1); }
template <bool b, typename T> struct only { typedef T type; };
template <typename A> __global__ only<true, int>::type named(A *x) { x[0] = 1; }`
	f, err := cfront.Parse(t.Context(), "a.cu", text, cfront.Options{})
	if err != nil || f.Proposed["k"] != "k<double, double>" || f.Proposed["g"] != "g<Map>" || f.Proposed["named"] == "" {
		t.Errorf("%v %v", f.Proposed, err)
	}
}
