package lower_test

import (
	"fmt"

	"gpuperf/lift"
	"gpuperf/lift/lower"
)

// A program at its sizes becomes kernels, with the meaning of their arguments.
func ExampleLower() {
	p, err := lift.Parse("program twice\nsize n\nfun(xs: [float32]n => mapGlb(fun(x => 2.0f * x)) $ xs)")
	if err != nil {
		panic(err)
	}
	l, err := lower.Lower(p, lower.Options{Sizes: map[string]int64{"n": 256}})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(l.Kernels), l.Inputs[0].Name, l.Inputs[0].Elements, l.Outputs[0].Name)
	// Output: 1 xs 256 out
}
