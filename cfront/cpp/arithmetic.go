package cpp

// Computed is x op y of integers as C computes them in 64 bits, which unsigned takes for numbers without a sign. ok is false for an operator that it does
// not know, and for what C leaves undefined: a division by 0 and a shift by less than 0.
func Computed(op string, x, y int64, unsigned bool) (n int64, ok bool) {
	less := x < y
	if unsigned {
		less = uint64(x) < uint64(y)
	}
	switch op {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	case "/", "%":
		switch {
		case y == 0 || y == -1 && x == -1<<63:
			return 0, false
		case unsigned && op == "/":
			return int64(uint64(x) / uint64(y)), true
		case unsigned:
			return int64(uint64(x) % uint64(y)), true
		case op == "/":
			return x / y, true
		}
		return x % y, true
	case "<<":
		return x << (uint64(y) & 63), y >= 0
	case ">>":
		if unsigned {
			return int64(uint64(x) >> (uint64(y) & 63)), y >= 0
		}
		return x >> (uint64(y) & 63), y >= 0
	case "&":
		return x & y, true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	case "==":
		return truth(x == y), true
	case "!=":
		return truth(x != y), true
	case "<":
		return truth(less), true
	case ">=":
		return truth(!less), true
	case ">":
		return truth(!less && x != y), true
	case "<=":
		return truth(less || x == y), true
	case "&&":
		return truth(x != 0 && y != 0), true
	case "||":
		return truth(x != 0 || y != 0), true
	}
	return 0, false
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
