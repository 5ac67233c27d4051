package transform_test

import (
	"fmt"
	"log"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

// A matrix product by work-groups of 16x16 work-items, which share tiles of both factors in local memory.
func Example() {
	must := func(k *kernel.Kernel, err error) *kernel.Kernel {
		if err != nil {
			log.Fatal(err)
		}
		return k
	}
	k := must(kernel.Make(kernel.Spec{
		Name:         "matmul",
		Domains:      []string{"{[i, j, k]: 0 <= i, j, k < n}"},
		Instructions: "c[i, j] = sum(k, a[i, k]*b[k, j])",
		Assumptions:  "n >= 16 and n % 16 = 0",
		DTypes:       map[string]expr.DType{"a": expr.Float32, "b": expr.Float32},
	}))
	// Each transformation takes a kernel and returns a new one.
	k = must(transform.SplitIname(k, "i", 16, transform.Split{OuterTag: "g.1", InnerTag: "l.1"}))
	k = must(transform.SplitIname(k, "j", 16, transform.Split{}))
	k = must(transform.TagInames(k, "j_outer:g.0, j_inner:l.0"))
	k = must(transform.SplitIname(k, "k", 16, transform.Split{}))
	k = must(transform.AddPrefetch(k, "a", []string{"i_inner", "k_inner"}, transform.Prefetch{}))
	k = must(transform.AddPrefetch(k, "b", []string{"k_inner", "j_inner"}, transform.Prefetch{}))
	program, err := linear.New(k)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(program)
	// Output:
	// groups (n/16, n/16, 1), work-items (16, 16, 1)
	// insn_k_outer_k_inner_init: acc_k_outer_k_inner = 0.0f
	// for k_outer = 0 .. n/16 - 1
	//     barrier local (a_fetch: read by insn_k_outer_k_inner_update, written by a_fetch_rule)
	//     a_fetch_rule: a_fetch[lid(1), lid(0)] = a[16*gid(1) + lid(1), 16*k_outer + lid(0)]
	//     b_fetch_rule: b_fetch[lid(1), lid(0)] = b[16*k_outer + lid(1), 16*gid(0) + lid(0)]
	//     barrier local (b_fetch: written by b_fetch_rule, read by insn_k_outer_k_inner_update)
	//     for k_inner = 0 .. 15
	//         insn_k_outer_k_inner_update: acc_k_outer_k_inner = acc_k_outer_k_inner + a_fetch[lid(1), k_inner]*b_fetch[k_inner, lid(0)]
	// insn: c[16*gid(1) + lid(1), 16*gid(0) + lid(0)] = acc_k_outer_k_inner
}
