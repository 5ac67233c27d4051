package expr

// Extreme recognizes x < y ? x : y and its like, where x is written as given: "min" or "max", and y. It is "" for other expressions.
func Extreme(e Expr, x string) (kind string, y Expr) {
	c, ok := e.(*Cond)
	if !ok {
		return "", nil
	}
	test, ok := c.If.(*Op)
	if !ok || len(test.Args) != 2 {
		return "", nil
	}
	left, right, then, other := test.Args[0].String(), test.Args[1].String(), c.Then.String(), c.Else.String()
	less := test.Kind == Lt || test.Kind == Le
	if !less && test.Kind != Gt && test.Kind != Ge || left == right || left != x && right != x {
		return "", nil
	}
	y = test.Args[0]
	if left == x {
		y = test.Args[1]
	}
	switch {
	case then == left && other == right && less, then == right && other == left && !less:
		return "min", y
	case then == right && other == left && less, then == left && other == right && !less:
		return "max", y
	}
	return "", nil
}

// ExtremeCalls are the functions of two numbers that choose one of them, and the kind of reduction that they make.
var ExtremeCalls = map[string]string{"max": "max", "min": "min", "fmax": "max", "fmin": "min"}
