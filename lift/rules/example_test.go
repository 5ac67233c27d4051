package rules_test

import (
	"fmt"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// A macro rule rewrites a program; every step of the derivation is a rule applied at one place.
func ExampleDerive() {
	p, err := lift.Parse("program asum\nsize n\nassume 4 | n\nfun(xs: [float32]n => reduce(+, 0) o map(abs) $ xs)")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := rules.Derive(p, rules.MacroByName("chunkReduce").Run(rules.Args{"n": lift.Nat(4)}), rules.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range d.Steps {
		fmt.Println(s)
	}
	fmt.Println(d.Result.BodyText())
	// Output:
	// reducePart(m = n/4)
	// partRedSplit(n = 4) at 2
	// splitMap at 2.0.1
	// mapFusion at 2.0
	// partRedReduce at 2.0.0.0
	// reduceSeq at 2.0.0.0
	// mapSeq at 2.0.0.0.2
	// reduceMapFusion at 2.0.0.0
	// reduce(+, 0.0f) o join o map(reduceSeq(fun(x2, x3 => x2 + abs(x3)), 0.0f)) o split(4) $ xs
}
