package calibrate_test

import (
	"context"
	"fmt"

	"gpuperf/calibrate"
	"gpuperf/models"
)

// A model says what a time is made of; a table has the features of kernels and their measured times in seconds. The fit finds what each
// feature costs, and predicts a kernel that nobody has measured.
func Example() {
	model, err := models.Parse("copy.yaml", []byte(`
version: 1
name: copy
output: f_cl_wall_time
expression: p_launch * f_sync_kernel_launch + p_byte * f_bytes
features: {f_bytes: 4 * f_mem_access_global_float32}
parameters:
  p_byte: {unit: s per 1 B}
fit: {scale_by_output: true, nonnegative: true}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := calibrate.ReadTable("copy.csv", []byte(`
kernel,f_sync_kernel_launch,f_mem_access_global_float32,f_cl_wall_time
small,1,1e6,7e-6
medium,1,4e6,1.3e-5
large,1,1e8,2.05e-4
huge,1,1e9,2.005e-3
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := table.Rows(model)
	if err != nil {
		fmt.Println(err)
		return
	}
	fit, err := calibrate.FitRows(context.Background(), model, rows, calibrate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range fit.Parameters {
		fmt.Printf("%s is %.3g\n", p.Name, p.Value)
	}
	fmt.Printf("bandwidth: %.3g %s\n", fit.Estimate("p_byte").Rate, fit.Estimate("p_byte").RateUnit)

	prediction, err := fit.Predict(model, map[string]float64{"f_sync_kernel_launch": 1, "f_mem_access_global_float32": 2e8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("twice the large one: %.3g s\n", prediction.Seconds)
	// Output:
	// p_launch is 5e-06
	// p_byte is 5e-13
	// bandwidth: 2e+12 B/s
	// twice the large one: 0.000405 s
}
