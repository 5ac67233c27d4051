package features_test

import (
	"fmt"
	"log"
	"os"

	"gpuperf/features"
	"gpuperf/kernel/script"
)

// A kernel is counted once, for all sizes; features are evaluated at some.
func Example() {
	variants, err := script.Exec("scale.star", `
knl = lp.make_kernel("{[i]: 0 <= i < n}", "y[i] = 2*x[i] + y[i]")
knl = lp.assume(lp.add_dtypes(knl, {"x": "float32", "y": "float32"}), "n >= 1 and n % 256 = 0")
knl = lp.split_iname(knl, "i", 256, outer_tag="g.0", inner_tag="l.0")
`)
	if err != nil {
		log.Fatal(err)
	}
	counts, err := features.Count(variants[0].Kernel, features.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := counts.Write(os.Stdout, nil); err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"f_op_float32_madd", "f_mem_access_global_float32_load", "f_mem_sectors_tag:xLD", "f_thread_groups"} {
		id, err := features.ParseID(text)
		if err != nil {
			log.Fatal(err)
		}
		v, err := counts.Value(id, map[string]int64{"n": 4096})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id, v)
	}
	// Output:
	// kind  what                  variable  strides along l and g  once per  count
	// op    float32 madd          -         -                      subgroup  [n] -> { 1/32*n }
	// mem   global float32 load   x         {0:1} {0:256}          workitem  [n] -> { n }
	// mem   global float32 load   y         {0:1} {0:256}          workitem  [n] -> { n }
	// mem   global float32 store  y         {0:1} {0:256}          workitem  [n] -> { n }
	// sync  kernel_launch         -         -                      launch    { 1 }
	// f_op_float32_madd 128
	// f_mem_access_global_float32_load 8192
	// f_mem_sectors_tag:xLD 512
	// f_thread_groups 16
}
