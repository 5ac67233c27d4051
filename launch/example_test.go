package launch_test

import (
	"fmt"
	"log"

	"gpuperf/device/facts"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
	"gpuperf/launch"
)

// A matrix is transposed by 32x8 work-items: loads are of neighbours, stores are a row apart.
func Example() {
	variants, err := script.Exec("transpose.star", `
knl = lp.make_kernel("{[i,j]: 0 <= i, j < n}", "b[j,i] = a[i,j]")
knl = lp.assume(lp.add_dtypes(knl, {"a": "float32", "b": "float32"}), "n >= 1 and n % 32 = 0")
knl = lp.split_iname(knl, "j", 32, outer_tag="g.0", inner_tag="l.0")
knl = lp.split_iname(knl, "i", 8, outer_tag="g.1", inner_tag="l.1")
`)
	if err != nil {
		log.Fatal(err)
	}
	program, err := linear.New(variants[0].Kernel)
	if err != nil {
		log.Fatal(err)
	}
	device, _ := facts.Named("NVIDIA H200")
	p, err := launch.New(program, launch.Options{Device: device})
	if err != nil {
		log.Fatal(err)
	}
	v, err := p.At(map[string]int64{"n": 1024})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"cache_lines_load", "cache_lines_store", "sectors", "coalesced", "scattered", "occupancy", "waves"} {
		x, _ := v.Value(name)
		fmt.Printf("%s %.4g\n", name, x)
	}
	totals, err := v.Totals([]string{"f_static_groups", "f_static_wavefronts"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(totals)
	// Output:
	// cache_lines_load 1
	// cache_lines_store 32
	// sectors 18
	// coalesced 0.5
	// scattered 0.5
	// occupancy 1
	// waves 3.879
	// [4096 1.115136e+06]
}
