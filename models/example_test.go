package models_test

import (
	"fmt"

	"gpuperf/models"
)

// An expression has a derivative by every parameter.
func ExampleParseExpr() {
	e, err := models.ParseExpr("p_launch + p_byte * (4 * f_loads + 8 * f_stores)")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Derivative("p_byte"))
	_, err = models.ParseExpr("p_byte * (4 * f_loads")
	fmt.Println(err)
	// Output:
	// 4 * f_loads + 8 * f_stores
	// 1:21: a ")" is missing after "f_loads"
	//     p_byte * (4 * f_loads
	//                         ^
}

// A compiled model gives the time for values of its features and parameters, and its gradient.
func ExampleNew() {
	m, err := models.New("copy", "f_cl_wall_time", "p_launch + p_byte * f_bytes")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	gradient := make([]float64, len(c.Parameters))
	seconds := c.Gradient([]float64{1e9}, []float64{5e-6, 1e-12}, gradient)
	fmt.Println(c.Features, c.Parameters)
	fmt.Println(seconds, gradient)
	fmt.Println(m.CostFeatures())
	// Output:
	// [f_bytes] [p_launch p_byte]
	// 0.001005 [1 1e+09]
	// map[p_byte:[f_bytes]]
}
