package cfront

// Vectors are not converted silently: neither OpenCL C nor CUDA C gives a variable a vector of another type, or a vector to a number.

// takes refuses a vector for a variable of another type.
func (p *typer) takes(at Pos, to *ctype, v value) {
	if v.t != nil && v.t.form == numberForm && to.form == numberForm && v.t.dtype.IsVector() && v.t.dtype != to.dtype {
		p.failVectors(at, "%s takes no %s", to.named(), v.t.named())
	}
}

// sameVectors refuses an operation on vectors of two types.
func (p *typer) sameVectors(at Pos, x, y *ctype) {
	if y != nil && x.form == numberForm && y.form == numberForm && x.dtype.IsVector() && y.dtype.IsVector() && x.dtype != y.dtype {
		p.failVectors(at, "an operation on %s and %s", x.named(), y.named())
	}
}

func (p *typer) failVectors(at Pos, format string, args ...any) {
	hint := "vectors are converted by functions, such as convert_float4"
	if p.lang.plusPlus {
		hint = "vectors are made of numbers, as make_float4(v.x, v.y, v.z, v.w)"
	}
	p.failHint(at, hint, format, args...)
}
