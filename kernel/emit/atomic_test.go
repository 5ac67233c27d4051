package emit_test

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// TestAtomics writes atomic updates of each type and operation, or names what the language lacks.
func TestAtomics(t *testing.T) {
	for _, c := range []struct {
		dtype, update string
		opencl, cuda  string // a line, or what an error says
	}{
		{"int32", "h[0] + x[i]", "atomic_add(&h[0], x[i]);", "atomicAdd(&h[0], x[i]);"},
		{"uint32", "h[0] - 1", "atomic_sub(&h[0], 1U);", "atomicSub(&h[0], 1U);"},
		{"int32", "min(x[i], h[0])", "atomic_min(&h[0], x[i]);", "atomicMin(&h[0], x[i]);"},
		{"uint32", "max(h[0], x[i])", "atomic_max(&h[0], x[i]);", "atomicMax(&h[0], x[i]);"},
		{"int32", "h[0] & (x[i] | 1)", "atomic_and(&h[0], x[i] | 1);", "atomicAnd(&h[0], x[i] | 1);"},
		{"int32", "h[0] | x[i]", "atomic_or(", "atomicOr("},
		{"uint32", "h[0] ^ x[i]", "atomic_xor(", "atomicXor("},
		{"float32", "h[0] + 2*x[i]", "OpenCL C 1.2 has no atomic update by + of h[0], which is float32: it has those of int32, uint32", "atomicAdd(&h[0], 2.0f * x[i]);"},
		{"float64", "h[0] - x[i]", "no atomic update by -", "atomicAdd(&h[0], -(x[i]));"},
		{"float32", "max(h[0], x[i])", "no atomic update by max", "CUDA C has no atomic update by max of h[0], which is float32: it has those of int32, int64, uint32, uint64"},
		{"float16", "h[0] + x[i]", "no atomic", "no atomic"},
		{"int64", "h[0] + x[i]", "no atomic", "atomicAdd((unsigned long long *) &h[0], (unsigned long long) (x[i]));"},
		{"uint64", "h[0] - x[i]", "no atomic", "atomicAdd((unsigned long long *) &h[0], (unsigned long long) -(x[i]));"},
		{"int64", "min(h[0], x[i])", "no atomic", "atomicMin((long long *) &h[0], (long long) (x[i]));"},
		{"uint64", "max(h[0], x[i])", "no atomic", "atomicMax((unsigned long long *) &h[0], (unsigned long long) (x[i]));"},
		{"int64", "h[0] ^ x[i]", "no atomic", "atomicXor((unsigned long long *) &h[0], (unsigned long long) (x[i]));"},
	} {
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "h[0] = " + c.update + " {atomic, inames=i}",
			DTypes: map[string]expr.DType{"h": expr.DType(c.dtype), "x": expr.DType(c.dtype)},
			Args:   []*kernel.Array{{Name: "h", Shape: []expr.Expr{expr.Int{Value: 1}}}, {Name: "x", Shape: []expr.Expr{expr.Var{Name: "n"}}}},
		})
		if err != nil {
			t.Fatalf("%s: %v", c.update, err)
		}
		k.Tags["i"] = kernel.Tag{Kind: kernel.GroupAxis}
		n, err := linear.New(k)
		if err != nil {
			t.Fatalf("%s: %v", c.update, err)
		}
		for language, want := range map[emit.Language]string{emit.OpenCLC: c.opencl, emit.CUDAC: c.cuda} {
			s, err := emit.Write(n, emit.Options{Language: language})
			got := fmt.Sprint(err)
			if err == nil {
				got = s.Text
			}
			if want = strings.ReplaceAll(want, "x[i]", "x[gid(0)]"); !strings.Contains(got, want) {
				t.Errorf("%s of %s: want %q in\n%s", c.update, c.dtype, want, got)
			}
		}
	}
}
