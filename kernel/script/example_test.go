package script_test

import (
	"fmt"

	"gpuperf/kernel/script"
)

func ExampleExec() {
	variants, err := script.Exec("scale.star", `
_base = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = 2*x[i]", assumptions="n >= 1")
plain = lp.tag_inames(_base, "i:g.0")
tiled = lp.split_iname(_base, "i", 128, outer_tag="g.0", inner_tag="l.0")
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range variants {
		fmt.Println(v.Name, v.Kernel.Inames())
	}
	_, err = script.Exec("scale.star", `k = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = 2*")`)
	fmt.Println(err)
	// Output:
	// plain [i]
	// tiled [i_outer i_inner]
	// scale.star:1:47: make_kernel: a value is missing after "*"
	//     k = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = 2*")
	//                                                   ^
}
